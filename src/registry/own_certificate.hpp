// A certificate for a registry, or another server of Slipway, that was given none: an authority of
// its own, made once and kept, and a certificate from it that is made again when the names change
// or it grows old.
//
//     FOLDER/ca.crt      to be trusted by clients
//     FOLDER/ca.key      0600
//     FOLDER/server.pem  certificate and key, 0600
#pragma once

#include "net/tls.hpp"

#include <filesystem>
#include <set>
#include <string>

namespace slipway::registry {

net::TlsServerOptions own_certificate(const std::filesystem::path& folder,
                                      const std::set<std::string>& names,
                                      const std::string& common_name = "Slipway registry");

// What this computer is called: its name, localhost and its addresses.
std::set<std::string> names_of_this_computer();

}  // namespace slipway::registry
