#include "kube/client.hpp"

#include "base/error.hpp"

#include <fmt/format.h>

namespace slipway::kube {

namespace {

// 1,000 nodes are some 10 MB.
constexpr std::uint64_t kMostBytes = 256u << 20;

net::ClientOptions options(const Access& access, const Patience& patience) {
    return {.tls = {.ca_pem = access.ca_pem,
                    .certificate_pem = access.client_certificate,
                    .key_pem = access.client_key.clone()},
            .connect_timeout = patience.connect,
            .answer_timeout = patience.answer,
            .idle_timeout = patience.answer};
}

// An API server explains itself in a Status object; others in text, or not at all.
std::string words_of(const std::string& body, int status) {
    boost::system::error_code failed;
    const json::value parsed = json::parse(body, failed);
    if (!failed && parsed.is_object()) {
        if (const json::value* message = parsed.as_object().if_contains("message");
            message != nullptr && message->is_string())
            return std::string(message->as_string());
    }
    return fmt::format("status {}", status);
}

}  // namespace

Client::Client(Access access, Patience patience)
    : access_(std::move(access)), http_(options(access_, patience)) {}

net::ClientResponse Client::ask(const std::string& path) {
    net::ClientRequest request{.url = Url::parse(access_.server + path)};
    request.headers.set("Accept", "application/json");
    if (!access_.token.empty())
        request.headers.set("Authorization", fmt::format("Bearer {}", access_.token.reveal()));
    return http_.send(request);
}

json::value Client::get(const std::string& path) {
    net::ClientResponse answer = ask(path);
    const std::string body = answer.read_all(kMostBytes);
    const auto refused = [&](const std::string& why) {
        return HostError("KUBE-REFUSED",
                         fmt::format("{} did not give {}: {}", access_.server, path, why));
    };
    if (answer.status / 100 != 2) throw refused(words_of(body, answer.status));
    boost::system::error_code failed;
    json::value out = json::parse(body, failed);
    if (failed) throw refused("the answer is no JSON");
    return out;
}

std::string Client::text(const std::string& path) { return ask(path).read_all(kMostBytes); }

}  // namespace slipway::kube
