// Secrets at rest: AES-256-GCM under a key file beside the journal (seal.key, 0600).
//
//     const Sealer sealer = Sealer::create_or_open(folder / "seal.key");
//     std::string sealed = sealer.seal("cp1.password", secret);   // goes into the journal
//     Secret back = sealer.open("cp1.password", sealed);
//
// The name is authenticated with the content: a sealed value moved to another name does not open.
// Format: version byte 1, nonce (12 bytes, random), ciphertext, tag (16 bytes).
#pragma once

#include "base/secret.hpp"

#include <filesystem>
#include <string>
#include <string_view>

namespace slipway::store {

inline std::filesystem::path seal_key_of(const std::filesystem::path& journal) {
    return journal.parent_path() / "seal.key";
}

class Sealer {
  public:
    // Throws STATE-KEY when the file is missing (open), readable by others or of the wrong size.
    static Sealer create_or_open(const std::filesystem::path& key_file);
    static Sealer open_existing(const std::filesystem::path& key_file);

    std::string seal(std::string_view name, const Secret& secret) const;
    Secret open(std::string_view name, std::string_view sealed) const;  // throws STATE-KEY

  private:
    explicit Sealer(Secret key) : key_(std::move(key)) {}
    Secret key_;
};

}  // namespace slipway::store
