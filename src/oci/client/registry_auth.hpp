// How a registry wants to be logged in to, found out when it first says so: not at all, with Basic,
// or with tokens of another server (Bearer).
//
// Tokens are kept for each set of scopes and renewed before they run out: an upload that ends in
// 401 would have to be sent again. May be used by any number of threads; only those that want the
// same token wait for each other.
#pragma once

#include "base/clock.hpp"
#include "base/mutex.hpp"
#include "net/http_client.hpp"
#include "oci/client/login.hpp"

#include <map>
#include <memory>
#include <set>
#include <string>

namespace slipway::oci {

using Scopes = std::set<std::string>;  // repository:team/app:pull,push

Scopes pull_scope(const std::string& repository);
Scopes push_scope(const std::string& repository);

class RegistryAuth {
  public:
    // `registry` is its address; all of these must outlive this.
    RegistryAuth(net::HttpClient& http, Url registry, const Login& login, Clock& clock)
        : http_(http), registry_(std::move(registry)), login_(login), clock_(clock) {}

    // The value of Authorization; empty when none is wanted as far as we know.
    Secret authorization(const Scopes& scopes);

    // The registry answered 401 to a request that had `used`. Afterwards authorization() gives
    // something else. Throws REGISTRY-LOGIN when there is nothing else to give.
    void learn(const net::Headers& answer, const Scopes& scopes, const Secret& used);

  private:
    enum class Kind { nothing, basic, bearer };
    struct Wanted {
        Kind kind = Kind::nothing;
        std::string realm = {};
        std::string service = {};
    };
    struct Token {
        Mutex mutex = {};
        Secret value SLIPWAY_GUARDED_BY(mutex) = {};  // "Bearer …"
        SteadyTime renew SLIPWAY_GUARDED_BY(mutex) = {};
    };

    Wanted wanted() const;
    std::shared_ptr<Token> token_for(const Scopes& scopes);
    void renew(Token& token, const Wanted& how, const Scopes& scopes) SLIPWAY_REQUIRES(token.mutex);
    Url token_url(const Wanted& how, const Scopes& scopes) const;
    [[noreturn]] void refuse_login(const std::string& why) const;

    net::HttpClient& http_;
    Url registry_;
    const Login& login_;
    Clock& clock_;
    mutable Mutex mutex_;
    Wanted wanted_ SLIPWAY_GUARDED_BY(mutex_);
    Scopes asked_for_ SLIPWAY_GUARDED_BY(mutex_);  // what challenges named beyond our own
    // Shared: a thread may still renew a token that another has dropped.
    std::map<Scopes, std::shared_ptr<Token>> tokens_ SLIPWAY_GUARDED_BY(mutex_);
};

}  // namespace slipway::oci
