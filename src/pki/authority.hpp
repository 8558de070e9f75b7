// A certificate authority of one's own, and certificates from it.
//
//     const Authority ca = Authority::make("kubernetes-ca", 10, clock.wall_ms());
//     const KeyPair server = ca.issue({.common_name = "kube-apiserver",
//                                      .names = {"kubernetes", "10.96.0.1"},
//                                      .usage = Usage::server}, clock.wall_ms());
//
// Keys made here are ECDSA P-256. What a certificate says is fixed by its Request: the order of
// names and organizations means nothing, and one given twice is there once.
#pragma once

#include "base/secret.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace slipway::pki {

enum class Usage { server, client, both };

struct Request {
    std::string common_name = {};
    std::vector<std::string> organizations = {};
    std::vector<std::string> names = {};  // DNS names, "*.example" too, and IP addresses
    Usage usage = Usage::client;
    int days = 365;
};

struct KeyPair {
    std::string certificate = {};  // PEM
    Secret key = {};               // PEM, PKCS#8
};

class Authority {
  public:
    // Throws PKI-REQUEST for a name that is none or less than a year.
    static Authority make(const std::string& common_name, int years, std::int64_t now_ms);
    // A CA certificate, with those above it behind it if it has any, and its key. Throws
    // PKI-INVALID when it is no CA, the key is another's, or either cannot be read.
    static Authority from_pem(std::string certificate, Secret key);

    Authority clone() const { return Authority(certificate_, key_.clone(), not_after_ms_); }

    const std::string& certificate() const { return certificate_; }  // PEM, and nothing else
    const Secret& key() const { return key_; }                       // PEM, PKCS#8
    std::int64_t not_after_ms() const { return not_after_ms_; }

    // Valid from an hour ago, since the clocks of a site's machines differ, and never longer than
    // the authority. Throws PKI-REQUEST for a request that cannot be met, PKI-EXPIRED when the
    // authority has ended.
    KeyPair issue(const Request& request, std::int64_t now_ms) const;

  private:
    Authority(std::string certificate, Secret key, std::int64_t not_after_ms)
        : certificate_(std::move(certificate)), key_(std::move(key)), not_after_ms_(not_after_ms) {}

    std::string certificate_;
    Secret key_;
    std::int64_t not_after_ms_ = 0;
};

}  // namespace slipway::pki
