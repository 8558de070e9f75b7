// Little-endian numbers and short texts, for the bundle's own index. Reading past the end throws.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace slipway::oci {

class Packer {
  public:
    template <class T>
    void number(T value) {
        for (std::size_t i = 0; i < sizeof(T); ++i) {
            bytes_ += static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * i));
        }
    }
    void text(std::string_view value) {
        number(static_cast<std::uint16_t>(value.size()));
        bytes_ += value;
    }
    void raw(std::string_view value) { bytes_ += value; }
    std::string take() { return std::move(bytes_); }
    std::size_t size() const { return bytes_.size(); }

  private:
    std::string bytes_;
};

class Unpacker {
  public:
    explicit Unpacker(std::string_view bytes) : left_(bytes) {}

    template <class T>
    T number() {
        const std::string_view field = raw(sizeof(T));
        std::uint64_t value = 0;
        for (std::size_t i = 0; i < sizeof(T); ++i) {
            value |= static_cast<std::uint64_t>(static_cast<unsigned char>(field[i])) << (8 * i);
        }
        return static_cast<T>(value);
    }
    std::string_view text() { return raw(number<std::uint16_t>()); }
    std::string_view raw(std::size_t size);
    // A count of things of which each takes at least `smallest` bytes.
    std::uint32_t count(std::size_t smallest);
    std::size_t left() const { return left_.size(); }
    void require_end() const;

  private:
    std::string_view left_;
};

// "9f86…" to 32 bytes; to_hex of base/digest.hpp is the way back.
std::string from_hex(std::string_view hex);

}  // namespace slipway::oci
