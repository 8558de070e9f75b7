#include "oci/client/base64.hpp"

#include <openssl/evp.h>

namespace slipway::oci {

namespace {

unsigned char* as_unsigned(std::string& text) {
    return reinterpret_cast<unsigned char*>(text.data());
}

}  // namespace

Secret base64(std::string_view bytes) {
    std::string out((bytes.size() + 2) / 3 * 4 + 1, '\0');
    const int size =
        EVP_EncodeBlock(as_unsigned(out), reinterpret_cast<const unsigned char*>(bytes.data()),
                        static_cast<int>(bytes.size()));
    Secret secret(std::string_view(out).substr(0, static_cast<std::size_t>(size)));
    wipe(out);
    return secret;
}

std::optional<Secret> from_base64(std::string_view text) {
    if (text.empty() || text.size() % 4 != 0 || text.size() > (64u << 10)) return std::nullopt;
    // OpenSSL would pass over white space at the ends.
    if (text.find_first_of(" \t\r\n") != std::string_view::npos) return std::nullopt;
    std::string out(text.size() / 4 * 3, '\0');
    const int size =
        EVP_DecodeBlock(as_unsigned(out), reinterpret_cast<const unsigned char*>(text.data()),
                        static_cast<int>(text.size()));
    if (size < 0) return std::nullopt;
    std::size_t used = static_cast<std::size_t>(size);
    for (std::size_t i = text.size(); i > 0 && text[i - 1] == '=' && used > 0; --i) --used;
    Secret secret(std::string_view(out).substr(0, used));
    wipe(out);
    return secret;
}

}  // namespace slipway::oci
