#include "server/fingerprint.hpp"

#include <array>
#include <memory>

#include <fmt/format.h>
#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

namespace slipway::server {

std::string certificate_fingerprint(const std::string& pem) {
    const std::unique_ptr<BIO, decltype(&BIO_free)> in(
        BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), BIO_free);
    const std::unique_ptr<X509, decltype(&X509_free)> certificate(
        PEM_read_bio_X509(in.get(), nullptr, nullptr, nullptr), X509_free);
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned int size = 0;
    if (!certificate || X509_digest(certificate.get(), EVP_sha256(), digest.data(), &size) != 1)
        return "";
    std::string out;
    for (unsigned int i = 0; i < size; ++i)
        out += fmt::format("{}{:02X}", i == 0 ? "" : ":", digest.at(i));
    return out;
}

}  // namespace slipway::server
