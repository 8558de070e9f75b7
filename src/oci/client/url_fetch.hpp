// A file by its URL, with the digest it must have.
#pragma once

#include "oci/client/retry.hpp"
#include "oci/digest.hpp"

#include <filesystem>
#include <stop_token>
#include <string>

namespace slipway::oci {

struct UrlFetch {
    std::string url = {};
    Digest digest = {};
    std::string ca_pem = {};  // trusted instead of the system's certificates
    RetryRules retry = {};
    std::stop_token stop = {};
};

// Into a new file; what breaks off goes on where it was. Throws DIGEST-MISMATCH, URL-INVALID,
// REGISTRY-* and NET-*; then there is no file.
void fetch_url(const UrlFetch& what, const std::filesystem::path& to);

// For people: without its query. Throws UserError URL-INVALID, which shows no password.
std::string shown_url(const std::string& url);
// The last part of the path: kubeadm of https://dl.k8s.io/v1.34.1/bin/linux/amd64/kubeadm?x=y.
std::string file_name_of(const std::string& url);

}  // namespace slipway::oci
