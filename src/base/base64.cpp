#include "base/base64.hpp"

#include <string>

#include <openssl/evp.h>

namespace slipway {

namespace {

constexpr std::size_t kLongest = 64u << 10;
constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

unsigned char* bytes_of(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }

const unsigned char* bytes_of(std::string_view text) {
    return reinterpret_cast<const unsigned char*>(text.data());
}

Secret secret_of(std::string& text, std::size_t size) {
    Secret out(std::string_view(text).substr(0, size));
    wipe(text);
    return out;
}

}  // namespace

Secret to_base64(std::string_view bytes) {
    std::string out((bytes.size() + 2) / 3 * 4 + 1, '\0');
    const int size =
        EVP_EncodeBlock(bytes_of(out), bytes_of(bytes), static_cast<int>(bytes.size()));
    return secret_of(out, static_cast<std::size_t>(size));
}

std::optional<Secret> from_base64(std::string_view text) {
    const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
    const std::string_view digits = text.substr(0, text.size() - padding);
    // OpenSSL passes over blanks and counts padding as bytes.
    if (text.size() % 4 != 0 || text.size() > kLongest ||
        digits.find_first_not_of(kAlphabet) != std::string_view::npos)
        return std::nullopt;
    std::string out(text.size() / 4 * 3, '\0');
    const int size = EVP_DecodeBlock(bytes_of(out), bytes_of(text), static_cast<int>(text.size()));
    if (size < 0) return std::nullopt;
    return secret_of(out, static_cast<std::size_t>(size) - padding);
}

}  // namespace slipway
