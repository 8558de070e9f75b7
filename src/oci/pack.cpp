#include "oci/pack.hpp"

#include "oci/bundle_errors.hpp"

namespace slipway::oci {

std::string_view Unpacker::raw(std::size_t size) {
    if (size > left_.size()) bundle_damaged("its index", "it ends too early");
    const std::string_view out = left_.substr(0, size);
    left_.remove_prefix(size);
    return out;
}

std::uint32_t Unpacker::count(std::size_t smallest) {
    const std::uint32_t n = number<std::uint32_t>();
    if (n > left_.size() / smallest) bundle_damaged("its index", "a count is too large");
    return n;
}

void Unpacker::require_end() const {
    if (!left_.empty()) bundle_damaged("its index", "something follows it");
}

std::string from_hex(std::string_view hex) {
    const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
    std::string out;
    for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
        out += static_cast<char>(digit(hex[i]) << 4 | digit(hex[i + 1]));
    }
    return out;
}

}  // namespace slipway::oci
