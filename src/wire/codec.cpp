#include "wire/codec.hpp"

namespace slipway::wire {

void Encoder::number(std::uint64_t value) {
    while (value >= 0x80) {
        out_ += static_cast<char>(value | 0x80);
        value >>= 7;
    }
    out_ += static_cast<char>(value);
}

std::uint64_t Decoder::number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        if (rest_.empty()) throw ProtocolError("a message ends in the middle of a number");
        const auto byte = static_cast<unsigned char>(rest_.front());
        rest_.remove_prefix(1);
        if (shift == 63 && byte > 1) throw ProtocolError("a number too large");
        value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
        if ((byte & 0x80) == 0) return value;
    }
    throw ProtocolError("a number too large");
}

std::size_t Decoder::length() {
    const std::uint64_t count = number();
    if (count > rest_.size()) throw ProtocolError("a length beyond the end of the message");
    return static_cast<std::size_t>(count);
}

void Decoder::get(std::string& text) {
    const std::size_t size = length();
    text.assign(rest_.substr(0, size));
    rest_.remove_prefix(size);
}

void Decoder::get(std::map<std::string, std::string>& items) {
    items.clear();
    for (std::size_t left = length(); left > 0; --left) {
        std::string key;
        get(key);
        get(items[key]);
    }
}

}  // namespace slipway::wire
