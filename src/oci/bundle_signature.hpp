// Signatures of bundles: Ed25519 over the digest of the content.
//
//     const SigningKey key = SigningKey::generate();
//     sign_bundle("x.bundle", key);
//     require_signature(BundleReader("x.bundle"), {read_public_key("release.pub")});
//
// Key files are PEM as OpenSSL writes them: private ones PKCS#8 with mode 0600, public ones
// SubjectPublicKeyInfo. A key's id is the SHA-256 of its 32 public bytes. Signatures stand in the
// bundle's own 4 KiB for them, one a line: `ed25519 KEYID SIGNATURE`, both in hex, so that signing
// moves nothing and several may sign. Whatever is not a good signature of a trusted key is none.
// Whoever uses what is in a bundle asks bundle_trust.hpp first.
#pragma once

#include "base/secret.hpp"
#include "oci/bundle_index.hpp"
#include "oci/bundle_reader.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::oci {

struct PublicKey {
    std::string bytes = {};  // 32

    std::string id() const;  // 64 hex digits
    std::string pem() const;
};

class SigningKey {
  public:
    static SigningKey generate();
    static SigningKey from_pem(std::string_view pem);  // throws UserError BUNDLE-KEY

    PublicKey public_key() const;
    Secret pem() const;
    std::string sign(std::string_view message) const;  // 64 bytes

  private:
    explicit SigningKey(Secret seed) : seed_(std::move(seed)) {}
    Secret seed_;  // 32 bytes
};

PublicKey public_key_from_pem(std::string_view pem);  // throws UserError BUNDLE-KEY
PublicKey read_public_key(const std::filesystem::path& path);
SigningKey read_signing_key(const std::filesystem::path& path);

struct BundleSignature {
    std::string key_id = {};     // hex
    std::string signature = {};  // hex
};

// Throws BUNDLE-DAMAGED when the block is not as we write it.
std::vector<BundleSignature> parse_signatures(std::string_view block);
std::string signature_block(const std::vector<BundleSignature>& signatures);

// Adds the key's signature to the file, in place; a former one of the same key is replaced.
void sign_bundle(const std::filesystem::path& path, const SigningKey& key);

struct Signers {
    std::string trusted = {};                 // id of the first of those asked for that signed
    std::vector<std::string> strangers = {};  // ids of other keys
    bool is_unsigned() const { return trusted.empty() && strangers.empty(); }
};

// Throws UserError BUNDLE-SIGNATURE when a trusted key has signed something else.
Signers find_signers(const BundleReader& bundle, const std::vector<PublicKey>& trusted);

// The id of the first of `trusted` that signed this content. Throws UserError BUNDLE-UNSIGNED,
// BUNDLE-SIGNER-UNKNOWN, and BUNDLE-SIGNATURE when a trusted key has signed something else.
std::string require_signature(const BundleReader& bundle, const std::vector<PublicKey>& trusted);

}  // namespace slipway::oci
