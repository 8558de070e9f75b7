// Content digests as registries write them: sha256:9f86d0…, sha512:….
//
//     const Digest wanted = Digest::parse("sha256:9f86…");
//     VerifyingStream checked(source.open(wanted), wanted, size, "layer of pause:3.9");
//
// VerifyingStream hashes while it passes bytes on: no byte is read twice to be checked.
#pragma once

#include "oci/byte_stream.hpp"

#include <compare>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace slipway::oci {

enum class Algorithm { sha256, sha512 };

struct Digest {
    Algorithm algorithm = Algorithm::sha256;
    std::string hex = {};  // lower case; empty: no digest

    static std::optional<Digest> try_parse(std::string_view text);
    static Digest parse(std::string_view text);  // throws UserError DIGEST-INVALID

    bool empty() const { return hex.empty(); }
    std::string str() const;          // sha256:9f86…
    std::string layout_path() const;  // blobs/sha256/9f86…
    std::string short_text() const;   // sha256:9f86d081884c
    auto operator<=>(const Digest&) const = default;
};

std::string_view to_string(Algorithm algorithm);

class Hasher {
  public:
    explicit Hasher(Algorithm algorithm = Algorithm::sha256);
    ~Hasher();
    Hasher(const Hasher&) = delete;
    Hasher& operator=(const Hasher&) = delete;

    void update(std::string_view bytes);
    Digest finish();  // ends the computation

  private:
    struct State;
    std::unique_ptr<State> state_;
};

Digest digest_of(std::string_view bytes, Algorithm algorithm = Algorithm::sha256);

// Passes bytes on and throws UserError DIGEST-MISMATCH before the end when they are not those of
// `wanted` or not `size` many. Whoever writes them somewhere must not keep what came before the
// throw.
class VerifyingStream : public ByteStream {
  public:
    VerifyingStream(std::unique_ptr<ByteStream> inner, Digest wanted, std::uint64_t size,
                    std::string what);
    std::size_t read(char* into, std::size_t max) override;

  private:
    [[noreturn]] void refuse(const std::string& found) const;

    std::unique_ptr<ByteStream> inner_;
    Digest wanted_;
    std::uint64_t size_;
    std::uint64_t seen_ = 0;
    std::string what_;
    Hasher hasher_;
    bool ended_ = false;
};

}  // namespace slipway::oci
