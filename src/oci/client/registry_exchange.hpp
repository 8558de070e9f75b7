// Requests to one registry: its address, connections, login and patience. What RegistryClient is
// made of.
#pragma once

#include "net/http_client.hpp"
#include "oci/client/rate_limit.hpp"
#include "oci/client/registry_auth.hpp"
#include "oci/client/registry_errors.hpp"
#include "oci/client/retry.hpp"

#include <atomic>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

namespace slipway::oci {

struct RegistryOptions {
    std::string host = {};    // registry.example.com:5000, as names of images have it
    bool plain_http = false;  // no TLS: everyone on the way can read and change what is sent
    std::string ca_pem = {};  // trusted instead of the system's certificates
    Login login = {};
    RetryRules retry = {};
    RateLimit* rate = nullptr;  // of uploads; must outlive the client
    // Up to this size a blob goes in one request; a larger one in pieces, so that little is lost
    // with a connection.
    std::uint64_t piece = 256u << 20;
    std::size_t connections = 8;
    Clock* clock = &system_clock();
    std::stop_token stop = {};
};

struct RegistryCounts {
    std::uint64_t requests = 0;
    std::uint64_t bytes_sent = 0;  // of blobs
};

struct RegistryCall {
    std::string method = "GET";
    std::string target = {};  // /v2/…
    net::Headers headers = {};
    Scopes scopes = {};
    net::Body body = {};
    std::optional<std::uint64_t> length = {};  // of a producer
    std::string what = {};                     // for messages: "blob sha256:… of team/app"
    bool ask_first = false;                    // before a large body is sent
    bool only_once = false;                    // see net::ClientRequest
};

class RegistryExchange {
  public:
    explicit RegistryExchange(RegistryOptions options);
    // The same connections and login, for someone who stops by a token of their own.
    RegistryExchange(const RegistryExchange& other, std::stop_token stop);

    // Any answer but 401, which leads to a login and a second try. No retries.
    net::ClientResponse send(const RegistryCall& call);
    net::ClientResponse send_to(const Url& url, const RegistryCall& call);

    // Until it succeeds or fails for good.
    template <class Work>
    auto persist(const Work& work) {
        Retry retry = patience();
        while (true) {
            try {
                return work();
            } catch (const Error& error) {
                retry.wait_or_rethrow(error);
            }
        }
    }

    // Where an answer's Location points to, "" when it has none.
    Url location_of(const net::ClientResponse& answer, const Asked& asked) const;

    Asked asked(const RegistryCall& call) const { return {options().host, call.what}; }
    Asked asked(std::string what) const { return {options().host, std::move(what)}; }
    Retry patience() const { return {options().retry, *options().clock, stop_}; }
    const RegistryOptions& options() const { return wire_->options; }
    const std::stop_token& stop() const { return stop_; }
    const Url& base() const { return wire_->base; }
    RegistryCounts counts() const { return {wire_->requests, wire_->bytes_sent}; }
    void count_sent(std::uint64_t bytes) { wire_->bytes_sent += bytes; }

  private:
    net::ClientResponse send_with(const Url& url, const RegistryCall& call,
                                  const Secret& authorization);

    struct Wire {
        explicit Wire(RegistryOptions given);

        RegistryOptions options;
        Url base;
        net::HttpClient http;
        RegistryAuth auth;
        std::atomic<std::uint64_t> requests = 0;
        std::atomic<std::uint64_t> bytes_sent = 0;
    };

    std::shared_ptr<Wire> wire_;
    std::stop_token stop_;
};

// Reads what little there is, so that the connection can be used again.
void drain(net::ClientResponse& answer);

}  // namespace slipway::oci
