#include "oci/client/registry_exchange.hpp"

#include "base/error.hpp"
#include "base/text.hpp"

#include <fmt/format.h>

namespace slipway::oci {

namespace {

constexpr int kRedirects = 5;
constexpr std::uint64_t kMostDrained = 64u << 10;

// Where the registry of this name answers.
Url address_of(const RegistryOptions& options) {
    const std::string host = options.host == "docker.io" ? "registry-1.docker.io" : options.host;
    try {
        return Url::parse((options.plain_http ? "http://" : "https://") + host);
    } catch (const BadUrl&) {
        throw UserError("REFERENCE-INVALID",
                        fmt::format("'{}' is not the address of a registry", printable(host)),
                        {.remedy = "write it as registry.example.com or registry.lan:5000"});
    }
}

net::ClientOptions client_options(const RegistryOptions& options) {
    return {.tls = {.ca_pem = options.ca_pem},
            .answer_timeout = std::chrono::minutes(5),  // registries hash before they answer
            .idle_per_host = options.connections,
            .user_agent = "slipway"};
}

}  // namespace

void drain(net::ClientResponse& answer) { answer.read_all(kMostDrained); }

RegistryExchange::RegistryExchange(RegistryOptions options)
    : options_(std::move(options)),
      base_(address_of(options_)),
      http_(client_options(options_)),
      auth_(http_, base_, options_.login, *options_.clock) {}

net::ClientResponse RegistryExchange::send(const RegistryCall& call) {
    Url url = base_;
    url.target = call.target;
    return send_to(url, call);
}

net::ClientResponse RegistryExchange::send_to(const Url& url, const RegistryCall& call) {
    if (options_.stop.stop_requested()) throw Cancelled();
    // A registry may have its storage elsewhere; our login is none of that server's business.
    if (!url.same_origin(base_)) return send_with(url, call, {});
    const Secret first = auth_.authorization(call.scopes);
    net::ClientResponse answer = send_with(url, call, first);
    // Of an answer after a redirect to elsewhere: nobody there may ask for our login.
    if (answer.status != 401 || !answer.url.same_origin(base_)) return answer;
    auth_.learn(answer.headers, call.scopes, first);
    drain(answer);
    if (std::holds_alternative<net::Producer>(call.body)) {
        throw ApiError("REGISTRY-FAILED",
                       fmt::format("{}: {}: the login was renewed", options_.host, call.what),
                       {.recovery = Recovery::transient});  // what a producer made is gone
    }
    return send_with(url, call, auth_.authorization(call.scopes));
}

net::ClientResponse RegistryExchange::send_with(const Url& url, const RegistryCall& call,
                                                const Secret& authorization) {
    net::ClientRequest request{.method = call.method,
                               .url = url,
                               .headers = call.headers,
                               .body = call.body,
                               .length = call.length,
                               .redirects = kRedirects,
                               .wait_for_continue = call.ask_first,
                               .only_once = call.only_once};
    if (!authorization.empty()) {
        request.headers.set("Authorization", std::string(authorization.reveal()));
    }
    ++requests_;
    return http_.send(request);
}

Url RegistryExchange::location_of(const net::ClientResponse& answer, const Asked& asked) const {
    const auto location = answer.headers.find("Location");
    if (!location) bad_answer(asked, "it does not say where to go on");
    try {
        return answer.url.redirected_to(*location);
    } catch (const BadUrl& bad) {
        bad_answer(asked, bad.what());
    }
}

}  // namespace slipway::oci
