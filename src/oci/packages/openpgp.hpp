// Signatures of repositories, checked by gpgv: the one program for that on every Debian.
#pragma once

#include "oci/spool.hpp"

#include <filesystem>
#include <string>
#include <string_view>

namespace slipway::oci::packages {

// `signed_text` has its signature inside (InRelease). Returns what was signed, and only that.
// Throws UserError REPOSITORY-SIGNATURE unless a key of the keyring has signed it and no signature
// is bad.
std::string verified_inline(std::string_view signed_text, const std::filesystem::path& keyring,
                            const std::string& what, Spool& spool);

// The signature is a file of its own (Release.gpg, repomd.xml.asc).
void verify_detached(std::string_view text, std::string_view signature,
                     const std::filesystem::path& keyring, const std::string& what, Spool& spool);

// Keys in ASCII armour as the binary keyring gpgv wants; binary ones stay as they are.
std::string without_armour(std::string_view keyring);

}  // namespace slipway::oci::packages
