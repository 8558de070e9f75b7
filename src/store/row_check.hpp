// The check value of a journal row: a 64-bit FNV-1a hash of the table's name and the row's fields.
//
//     db.run("INSERT INTO facts VALUES (?1, ?2, ?3, ?4)", host, at_ms, text,
//            row_check("facts", host, at_ms, text));
//
// It guards against damage, not against people. Each step of FNV-1a is a bijection of the state, so
// any change within one byte is found for certain; anything wider is missed once in 2^64.
#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>

namespace slipway::store {

class RowCheck {
  public:
    void add(std::string_view text) {
        add(static_cast<std::int64_t>(text.size()));  // ("ab","c") and ("a","bc") differ
        for (const char c : text) mix(static_cast<unsigned char>(c));
    }
    void add(std::int64_t number) {
        auto bits = static_cast<std::uint64_t>(number);
        for (int i = 0; i < 8; ++i, bits >>= 8) mix(static_cast<unsigned char>(bits));
    }
    std::int64_t value() const { return static_cast<std::int64_t>(state_); }

  private:
    void mix(unsigned char byte) { state_ = (state_ ^ byte) * 0x100000001b3ull; }

    std::uint64_t state_ = 0xcbf29ce484222325ull;
};

template <class... Fields>
std::int64_t row_check(std::string_view table, const Fields&... fields) {
    RowCheck check;
    check.add(table);
    const auto add = [&](const auto& field) {
        if constexpr (std::integral<std::decay_t<decltype(field)>>) {
            check.add(static_cast<std::int64_t>(field));
        } else {
            check.add(std::string_view(field));
        }
    };
    (add(fields), ...);
    return check.value();
}

}  // namespace slipway::store
