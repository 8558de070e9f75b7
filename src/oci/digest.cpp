#include "oci/digest.hpp"

#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <openssl/evp.h>

namespace slipway::oci {

namespace {

struct Known {
    std::string_view name;
    Algorithm algorithm;
    std::size_t hex_length;
};
constexpr Known kKnown[] = {{"sha256", Algorithm::sha256, 64}, {"sha512", Algorithm::sha512, 128}};

bool is_lower_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

const EVP_MD* evp(Algorithm algorithm) {
    static const EVP_MD* sha256 = EVP_MD_fetch(nullptr, "SHA256", nullptr);
    static const EVP_MD* sha512 = EVP_MD_fetch(nullptr, "SHA512", nullptr);
    return algorithm == Algorithm::sha256 ? sha256 : sha512;
}

}  // namespace

std::string_view to_string(Algorithm algorithm) {
    return algorithm == Algorithm::sha256 ? "sha256" : "sha512";
}

std::optional<Digest> Digest::try_parse(std::string_view text) {
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos) return std::nullopt;
    for (const Known& known : kKnown) {
        const std::string_view hex = text.substr(colon + 1);
        if (text.substr(0, colon) == known.name && hex.size() == known.hex_length &&
            std::ranges::all_of(hex, is_lower_hex)) {
            return Digest{known.algorithm, std::string(hex)};
        }
    }
    return std::nullopt;
}

Digest Digest::parse(std::string_view text) {
    if (std::optional<Digest> digest = try_parse(text)) return *std::move(digest);
    throw UserError("DIGEST-INVALID",
                    fmt::format("'{}' is not a digest", printable(text.substr(0, 160))),
                    {.remedy = "write it as sha256: and 64 lower-case hexadecimal digits"});
}

std::string Digest::str() const { return fmt::format("{}:{}", to_string(algorithm), hex); }

std::string Digest::layout_path() const {
    return fmt::format("blobs/{}/{}", to_string(algorithm), hex);
}

std::string Digest::short_text() const {
    return fmt::format("{}:{}", to_string(algorithm), hex.substr(0, 12));
}

struct Hasher::State {
    Algorithm algorithm;
    std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context{EVP_MD_CTX_new(),
                                                                    &EVP_MD_CTX_free};
};

Hasher::Hasher(Algorithm algorithm) : state_(std::make_unique<State>()) {
    state_->algorithm = algorithm;
    EVP_DigestInit_ex(state_->context.get(), evp(algorithm), nullptr);
}

Hasher::~Hasher() = default;

void Hasher::update(std::string_view bytes) {
    EVP_DigestUpdate(state_->context.get(), bytes.data(), bytes.size());
}

Digest Hasher::finish() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> out{};
    unsigned int size = 0;
    EVP_DigestFinal_ex(state_->context.get(), out.data(), &size);
    return {state_->algorithm, to_hex({reinterpret_cast<const char*>(out.data()), size})};
}

Digest digest_of(std::string_view bytes, Algorithm algorithm) {
    Hasher hasher(algorithm);
    hasher.update(bytes);
    return hasher.finish();
}

VerifyingStream::VerifyingStream(std::unique_ptr<ByteStream> inner, Digest wanted,
                                 std::uint64_t size, std::string what)
    : inner_(std::move(inner)),
      wanted_(std::move(wanted)),
      size_(size),
      what_(std::move(what)),
      hasher_(wanted_.algorithm) {}

std::size_t VerifyingStream::read(char* into, std::size_t max) {
    if (ended_) return 0;
    const std::size_t n = inner_->read(into, max);
    seen_ += n;
    if (seen_ > size_) refuse(fmt::format("more than the {} bytes announced", size_));
    if (n > 0) {
        hasher_.update({into, n});
        return n;
    }
    ended_ = true;
    if (seen_ != size_) refuse(fmt::format("{} bytes instead of {}", seen_, size_));
    const Digest found = hasher_.finish();
    if (found != wanted_) refuse(found.str());
    return 0;
}

void VerifyingStream::refuse(const std::string& found) const {
    throw UserError("DIGEST-MISMATCH", fmt::format("{} is not {}", printable(what_), wanted_.str()),
                    {.cause = "found " + found,
                     .remedy = "the file was damaged or changed: fetch or build it again"});
}

}  // namespace slipway::oci
