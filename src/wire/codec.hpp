// Typed messages to bytes and back. A message lists its fields once:
//
//     struct Exec {
//         std::vector<std::string> argv;
//         std::int64_t deadline_ms = 0;
//         template <class Archive> void fields(Archive& a) { a(argv, deadline_ms); }
//     };
//     std::string bytes = encode(exec);
//     Exec again = decode<Exec>(bytes);       // throws ProtocolError on anything malformed
//
// Numbers are varints (zig-zag when signed), texts and lists have their length in front. A length
// is never believed before the bytes are there, so a small lie cannot ask for much memory.
#pragma once

#include "wire/frame.hpp"

#include <concepts>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace slipway::wire {

class Encoder {
  public:
    template <class... Fields>
    void operator()(Fields&... fields) {
        (put(fields), ...);
    }
    std::string take() { return std::move(out_); }

  private:
    void number(std::uint64_t value);

    void put(const std::string& text) {
        number(text.size());
        out_ += text;
    }
    void put(bool value) { number(value ? 1 : 0); }
    template <std::signed_integral T>
    void put(T value) {
        const auto wide = static_cast<std::int64_t>(value);
        number((static_cast<std::uint64_t>(wide) << 1) ^ static_cast<std::uint64_t>(wide >> 63));
    }
    template <std::unsigned_integral T>
    void put(T value) {
        number(value);
    }
    template <class T>
        requires std::is_enum_v<T>
    void put(T value) {
        number(static_cast<std::uint64_t>(value));
    }
    template <class T>
    void put(std::vector<T>& items) {
        number(items.size());
        for (T& item : items) put(item);
    }
    void put(std::map<std::string, std::string>& items) {
        number(items.size());
        for (const auto& [key, value] : items) {
            put(key);
            put(value);
        }
    }
    template <class T>
        requires requires(T& t, Encoder& e) { t.fields(e); }
    void put(T& message) {
        message.fields(*this);
    }

    std::string out_;
};

class Decoder {
  public:
    explicit Decoder(std::string_view bytes) : rest_(bytes) {}

    template <class... Fields>
    void operator()(Fields&... fields) {
        (get(fields), ...);
    }
    void finish() const {
        if (!rest_.empty()) throw ProtocolError("bytes left over after a message");
    }

  private:
    std::uint64_t number();
    std::size_t length();  // of something that takes at least one byte an item

    void get(std::string& text);
    void get(bool& value) { value = number() != 0; }
    template <std::signed_integral T>
    void get(T& value) {
        const std::uint64_t raw = number();
        const auto wide = static_cast<std::int64_t>((raw >> 1) ^ (~(raw & 1) + 1));
        value = static_cast<T>(wide);
        if (static_cast<std::int64_t>(value) != wide) throw ProtocolError("a number too large");
    }
    template <std::unsigned_integral T>
    void get(T& value) {
        const std::uint64_t raw = number();
        value = static_cast<T>(raw);
        if (value != raw) throw ProtocolError("a number too large");
    }
    template <class T>
        requires std::is_enum_v<T>
    void get(T& value) {
        const std::uint64_t raw = number();
        if (raw > 255) throw ProtocolError("an unknown choice");
        value = static_cast<T>(raw);
    }
    template <class T>
    void get(std::vector<T>& items) {
        items.clear();
        for (std::size_t left = length(); left > 0; --left) get(items.emplace_back());
    }
    void get(std::map<std::string, std::string>& items);
    template <class T>
        requires requires(T& t, Decoder& d) { t.fields(d); }
    void get(T& message) {
        message.fields(*this);
    }

    std::string_view rest_;
};

template <class Message>
std::string encode(Message message) {
    Encoder encoder;
    encoder(message);
    return encoder.take();
}

template <class Message>
Message decode(std::string_view bytes) {
    Message message;
    Decoder decoder(bytes);
    decoder(message);
    decoder.finish();
    return message;
}

}  // namespace slipway::wire
