// Whether a bundle may be used at all: signed by a key that is trusted, or let in by an override
// that is written down.
//
//     const Admission admission = admit(bundle, {.trusted = keys_of(read_trusted({folder}))});
//
// The one gate for `bundle verify` and whatever installs from a bundle; `registry serve` asks it
// too, and demands a signature only with --key. It fails closed. An override lets in what is
// unsigned or signed by a stranger, never what a trusted key did not sign as it is.
#pragma once

#include "oci/bundle_reader.hpp"
#include "oci/bundle_signature.hpp"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace slipway::oci {

struct TrustedKey {
    std::string name = {};  // of its file, without .pub
    std::filesystem::path file = {};
    PublicKey key = {};
};

// The *.pub files of the folders that exist, by name. Throws UserError BUNDLE-KEY when one is no
// key, or when others than its owner may write it: whoever can add a key decides what is trusted.
std::vector<TrustedKey> read_trusted(const std::vector<std::filesystem::path>& folders);
std::vector<PublicKey> keys_of(const std::vector<TrustedKey>& trusted);

// Puts a key into the folder; the same key twice is no error, another key of that name is.
TrustedKey trust_key(const std::filesystem::path& folder, const std::string& name,
                     const PublicKey& key);

struct Admission {
    std::string signed_by = {};     // id of the key; empty: let in by override
    std::string override_why = {};  // what would have kept it out: BUNDLE-UNSIGNED
    bool is_override() const { return signed_by.empty(); }
};

struct AdmitPolicy {
    std::vector<PublicKey> trusted = {};
    bool allow_unsigned = false;
    // Writes an override down; when it throws, the bundle stays out.
    std::function<void(const BundleReader&, const Admission&)> record = {};
};

// Throws UserError BUNDLE-UNSIGNED, BUNDLE-SIGNER-UNKNOWN, BUNDLE-SIGNATURE.
Admission admit(const BundleReader& bundle, const AdmitPolicy& policy);

}  // namespace slipway::oci
