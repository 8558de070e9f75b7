#include "oci/client/registry_auth.hpp"

#include "base/error.hpp"
#include "base/ip.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "net/target.hpp"
#include "oci/client/challenge.hpp"
#include "oci/client/registry_errors.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace slipway::oci {

namespace {

constexpr std::size_t kMaxTokenAnswer = 1u << 20;
constexpr std::size_t kMaxToken = 64u << 10;
constexpr std::size_t kMaxTokens = 10'000;
constexpr std::int64_t kUsualSeconds = 60;  // when the server does not say
constexpr std::int64_t kMostSeconds = 86'400;
constexpr int kTokenRedirects = 3;

bool is_loopback(const std::string& host) {
    return host == "localhost" || host == "::1" ||
           (host.starts_with("127.") && IpAddress::parse(host).has_value());
}

bool is_token(std::string_view text) {
    return !text.empty() && text.size() <= kMaxToken &&
           std::ranges::all_of(text, [](unsigned char c) { return c > 0x20 && c < 0x7f; });
}

// Early enough that what begins with it is over when it ends.
std::chrono::seconds usable_for(std::int64_t seconds) {
    const std::int64_t lasts =
        seconds <= 0 ? kUsualSeconds : std::min<std::int64_t>(seconds, kMostSeconds);
    return std::chrono::seconds(lasts - std::min<std::int64_t>(30, (lasts + 2) / 3));
}

}  // namespace

Scopes pull_scope(const std::string& repository) { return {"repository:" + repository + ":pull"}; }
Scopes push_scope(const std::string& repository) {
    return {"repository:" + repository + ":pull,push"};
}

void RegistryAuth::refuse_login(const std::string& why) const {
    throw ApiError("REGISTRY-LOGIN", fmt::format("{}: {}", registry_.authority(), why),
                   {.cause = login_.empty() ? "no login was given" : "user or password are wrong",
                    .remedy = "give the right login for this registry",
                    .recovery = Recovery::needs_user});
}

RegistryAuth::Wanted RegistryAuth::wanted() const {
    const Lock lock(mutex_);
    return wanted_;
}

std::shared_ptr<RegistryAuth::Token> RegistryAuth::token_for(const Scopes& scopes) {
    const Lock lock(mutex_);
    if (tokens_.size() > kMaxTokens) tokens_.clear();
    std::shared_ptr<Token>& token = tokens_[scopes];
    if (token == nullptr) token = std::make_shared<Token>();
    return token;
}

Secret RegistryAuth::authorization(const Scopes& scopes) {
    const Wanted how = wanted();
    if (how.kind == Kind::nothing) return {};
    if (how.kind == Kind::basic) return login_.basic();
    const std::shared_ptr<Token> token = token_for(scopes);
    const Lock lock(token->mutex);
    if (token->value.empty() || clock_.steady() >= token->renew) renew(*token, how, scopes);
    return token->value.clone();
}

void RegistryAuth::learn(const net::Headers& answer, const Scopes& scopes, const Secret& used) {
    Wanted how;
    std::string scope;
    for (const std::string_view field : answer.find_all("WWW-Authenticate")) {
        for (const Challenge& challenge : parse_challenges(field)) {
            const auto parameter = [&](const char* name) {
                const auto found = challenge.parameters.find(name);
                return found == challenge.parameters.end() ? std::string() : found->second;
            };
            if (challenge.scheme == "bearer" && !parameter("realm").empty()) {
                how = {Kind::bearer, parameter("realm"), parameter("service")};
                scope = parameter("scope");
            } else if (challenge.scheme == "basic" && how.kind == Kind::nothing) {
                how.kind = Kind::basic;
            }
        }
    }
    if (how.kind == Kind::nothing) refuse_login("it refuses us and does not say what it wants");
    if (how.kind == Kind::basic) {
        if (login_.empty()) refuse_login("it wants a login");
        if (!used.empty()) refuse_login("it refuses the login");
    }
    {
        const Lock lock(mutex_);
        wanted_ = std::move(how);
        // Where we have no idea what to ask for, the server has.
        if (!scope.empty() && scopes.empty()) asked_for_ = {scope};
    }
    const std::shared_ptr<Token> token = token_for(scopes);
    const Lock lock(token->mutex);
    // Another thread may have a new one already.
    if (token->value.reveal() == used.reveal()) token->value = {};
}

Url RegistryAuth::token_url(const Wanted& how, const Scopes& scopes) const {
    Url url;
    try {
        url = Url::parse(how.realm);
    } catch (const BadUrl& bad) {
        bad_answer({registry_.authority(), "where its tokens come from"}, bad.what());
    }
    // A password goes unencrypted only to whom the user has allowed that for, or nowhere beyond
    // this computer.
    if (!url.tls && !url.same_origin(registry_) && !is_loopback(url.host)) {
        throw ApiError("REGISTRY-INSECURE",
                       fmt::format("{} wants the login sent to {} without TLS",
                                   registry_.authority(), url.origin()),
                       {.remedy = "have the registry name an https address for its tokens"});
    }
    std::string query = "service=" + net::percent_encoded(how.service);
    for (const std::string& scope : scopes) query += "&scope=" + net::percent_encoded(scope);
    url.target += (url.target.find('?') == std::string::npos ? "?" : "&") + query;
    return url;
}

void RegistryAuth::renew(Token& token, const Wanted& how, const Scopes& scopes) {
    Scopes wanted = scopes;
    if (wanted.empty()) {
        const Lock lock(mutex_);
        wanted = asked_for_;
    }
    net::ClientRequest request{.url = token_url(how, wanted), .redirects = kTokenRedirects};
    if (!login_.empty()) {
        request.headers.set("Authorization", std::string(login_.basic().reveal()));
    }
    const Asked asked{request.url.authority(), "a token"};
    net::ClientResponse answer = http_.send(request);
    if (answer.status == 401 || answer.status == 403) {
        refuse_login(fmt::format("{} gives no token", request.url.origin()));
    }
    if (answer.status != 200) refuse_answer(answer, asked);
    std::string text = answer.read_all(kMaxTokenAnswer);
    boost::system::error_code error;
    const json::value parsed = json::parse(text, error);
    wipe(text);
    if (error || !parsed.is_object()) bad_answer(asked, "it is not JSON");
    const json::object& fields = parsed.as_object();
    std::string value = string_at(fields, "token", string_at(fields, "access_token"));
    if (!is_token(value)) bad_answer(asked, "there is none in the answer");
    value.insert(0, "Bearer ");
    token.value = Secret(value);
    wipe(value);
    token.renew = clock_.steady() + usable_for(int_at(fields, "expires_in", kUsualSeconds));
}

}  // namespace slipway::oci
