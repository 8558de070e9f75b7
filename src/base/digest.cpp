#include "base/digest.hpp"

#include "base/error.hpp"

#include <array>
#include <cstdint>
#include <vector>

#include <openssl/evp.h>
#include <openssl/rand.h>

namespace slipway {

namespace {

// EVP_sha256() looks the algorithm up on every use; a plan hashes a hundred thousand times.
const EVP_MD* sha256_algorithm() {
    static const EVP_MD* algorithm = EVP_MD_fetch(nullptr, "SHA256", nullptr);
    return algorithm;
}

}  // namespace

std::string to_hex(std::string_view bytes) {
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string out(bytes.size() * 2, '0');
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        const auto byte = static_cast<unsigned char>(bytes[i]);
        out[2 * i] = kDigits[byte >> 4];
        out[2 * i + 1] = kDigits[byte & 15];
    }
    return out;
}

struct Sha256::State {
    std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context{EVP_MD_CTX_new(),
                                                                    &EVP_MD_CTX_free};
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
    EVP_DigestInit_ex(state_->context.get(), sha256_algorithm(), nullptr);
}

Sha256::~Sha256() = default;

Sha256& Sha256::update(std::string_view bytes) {
    EVP_DigestUpdate(state_->context.get(), bytes.data(), bytes.size());
    return *this;
}

Sha256& Sha256::field(std::string_view bytes) {
    const std::uint64_t size = bytes.size();
    std::array<char, 8> length{};
    for (std::size_t i = 0; i < length.size(); ++i) length[i] = static_cast<char>(size >> (8 * i));
    return update({length.data(), length.size()}).update(bytes);
}

std::string Sha256::hex() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> out{};
    unsigned int size = 0;
    EVP_DigestFinal_ex(state_->context.get(), out.data(), &size);
    return to_hex({reinterpret_cast<const char*>(out.data()), size});
}

std::string sha256_hex(std::string_view bytes) { return Sha256().update(bytes).hex(); }

std::string random_hex(std::size_t count) {
    std::vector<unsigned char> bytes(count);
    if (RAND_bytes(bytes.data(), static_cast<int>(count)) != 1) {
        throw StateError("SYSTEM-NO-RANDOM", "the system gave no random bytes");
    }
    return to_hex({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

}  // namespace slipway
