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
            .least_rate = kDripRate,
            .idle_per_host = options.connections,
            .user_agent = "slipway"};
}

}  // namespace

void drain(net::ClientResponse& answer) { answer.read_all(kMostDrained); }

RegistryExchange::Wire::Wire(RegistryOptions given)
    : options(std::move(given)),
      base(address_of(options)),
      http(client_options(options)),
      auth(http, base, options.login, *options.clock) {}

RegistryExchange::RegistryExchange(RegistryOptions options)
    : wire_(std::make_shared<Wire>(std::move(options))), stop_(wire_->options.stop) {}

RegistryExchange::RegistryExchange(const RegistryExchange& other, std::stop_token stop)
    : wire_(other.wire_), stop_(std::move(stop)) {}

net::ClientResponse RegistryExchange::send(const RegistryCall& call) {
    Url url = base();
    url.target = call.target;
    return send_to(url, call);
}

net::ClientResponse RegistryExchange::send_to(const Url& url, const RegistryCall& call) {
    if (stop_.stop_requested()) throw Cancelled();
    // A registry may have its storage elsewhere; our login is none of that server's business.
    if (!url.same_origin(base())) return send_with(url, call, {});
    const Secret first = wire_->auth.authorization(call.scopes);
    net::ClientResponse answer = send_with(url, call, first);
    // Of an answer after a redirect to elsewhere: nobody there may ask for our login.
    if (answer.status != 401 || !answer.url.same_origin(base())) return answer;
    wire_->auth.learn(answer.headers, call.scopes, first);
    drain(answer);
    if (std::holds_alternative<net::Producer>(call.body)) {
        throw ApiError("REGISTRY-FAILED",
                       fmt::format("{}: {}: the login was renewed", options().host, call.what),
                       {.recovery = Recovery::transient});  // what a producer made is gone
    }
    return send_with(url, call, wire_->auth.authorization(call.scopes));
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
    ++wire_->requests;
    return wire_->http.send(request);
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
