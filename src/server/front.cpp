#include "server/front.hpp"

#include "base/text.hpp"
#include "net/failure.hpp"
#include "server/kubernetes_status.hpp"
#include "server/request_fields.hpp"
#include "server/secrets_match.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace slipway::server {

namespace {

bool is_safe(std::string_view method) { return method == "GET" || method == "HEAD"; }

void set_usual_headers(net::Response& response) {
    response.headers.set("Content-Security-Policy",
                         "default-src 'self'; img-src 'self' data:; object-src 'none'; "
                         "base-uri 'none'; form-action 'self'; frame-ancestors 'none'");
    response.headers.set("X-Content-Type-Options", "nosniff");
    response.headers.set("X-Frame-Options", "DENY");
    response.headers.set("Referrer-Policy", "no-referrer");
    response.headers.set("Cross-Origin-Opener-Policy", "same-origin");
    response.headers.set("Cross-Origin-Resource-Policy", "same-origin");
}

[[noreturn]] void refuse_method(const Match& match) {
    Problem problem(405, "SERVER-METHOD", "this cannot be done here",
                    {.remedy = "use one of: " + join(match.allowed, ", ")});
    problem.headers.set("Allow", join(match.allowed, ", "));
    throw problem;
}

[[noreturn]] void refuse_stranger(bool locked) {
    Problem problem(401, "SERVER-SIGN-IN",
                    locked ? "the server is locked" : "this needs someone who has signed in",
                    {.cause = locked ? "no password has been set yet" : "",
                     .remedy = locked ? "unlock it with the code on its console"
                                      : "sign in, or send a token that is still good"});
    problem.headers.set("WWW-Authenticate", "Bearer realm=\"slipway\"");
    throw problem;
}

// "https://HOST" must be exactly where the request was sent to.
bool is_own_origin(std::string_view origin, std::string_view host) {
    constexpr std::string_view kScheme = "https://";
    return origin.starts_with(kScheme) && net::same_name(origin.substr(kScheme.size()), host);
}

std::optional<std::string> bearer_of(const net::Request& request) {
    constexpr std::string_view kBearer = "Bearer ";
    const auto field = request.headers.find("Authorization");
    if (!field || request.headers.count("Authorization") != 1) return std::nullopt;
    if (field->size() <= kBearer.size() ||
        !net::same_name(field->substr(0, kBearer.size()), kBearer))
        return std::nullopt;
    return std::string(trim(field->substr(kBearer.size())));
}

void answer_error(const net::Request& request, net::Response& response, const Problem& problem) {
    const Match match = find_route(routes(), request.method, request.target.path);
    if (match.route != nullptr && match.route->errors == ErrorShape::kubernetes)
        return answer_status(response, problem);
    answer_problem(response, problem);
}

// nullopt for one that cannot be given again.
std::optional<KeptAnswer> kept_of(const net::Response& response) {
    const auto* text = std::get_if<std::string>(&response.body);
    if (text == nullptr) return std::nullopt;
    KeptAnswer out{.status = response.status, .body = *text};
    for (const char* name : {"Content-Type", "Location", "ETag", "Retry-After"}) {
        if (const auto value = response.headers.find(name))
            out.headers.set(name, std::string(*value));
    }
    return out;
}

std::optional<KeptAnswer> refusal(const net::Request& request, const Problem& problem) {
    net::Response response;
    answer_error(request, response, problem);
    return kept_of(response);
}

// In the place of an answer that holds a secret.
Problem shown_already() {
    return {409,
            "SERVER-IDEMPOTENCY-KEY",
            "this was done, and its answer was shown already",
            {.cause = "it holds a secret, which is shown once",
             .remedy = "if it was lost, remove what was made and use a new key"}};
}

// A name alone may be that of several tokens.
std::string recorded_name(const Principal& who) {
    if (!who.token_id.empty()) return fmt::format("{} ({})", who.name, who.token_id);
    return who.name.empty() ? "-" : who.name;
}

std::string address_of(const std::string& peer) { return peer.substr(0, peer.rfind(':')); }

}  // namespace

std::optional<Session> session_of(Services& services, const net::Request& request,
                                  std::string* id) {
    if (request.headers.count("Cookie") != 1) return std::nullopt;
    const auto cookie = cookie_of(*request.headers.find("Cookie"), kSessionCookie);
    if (!cookie || cookie->size() != 64) return std::nullopt;
    const auto session = services.sessions.find(*cookie);
    if (session && id != nullptr) *id = *cookie;
    return session;
}

std::function<bool()> still_good(const Exchange& x) {
    return [&services = x.services, who = x.who] {
        return who.token_id.empty() ? services.sessions.lives(who.session_id)
                                    : services.tokens.is_good(who.token_id);
    };
}

void Front::handle(net::Request& request, net::Response& response) {
    set_usual_headers(response);
    response.headers.set("Cache-Control", "no-store");  // unless the page says otherwise
    try {
        answer(request, response);
    } catch (const Problem& problem) {
        answer_error(request, response, problem);
    } catch (const net::HttpError& error) {
        if (error.status != 413) throw;
        answer_error(request, response,
                     {413, "SERVER-TOO-LARGE", "the body is larger than may be"});
        response.close = true;
    } catch (const net::Failure&) {
        throw;
    } catch (const Error& error) {
        Problem problem = problem_of(error);
        if (problem.status >= 500) problem.internal = error.what();
        answer_error(request, response, problem);
    } catch (const std::exception& error) {
        Problem problem(500, "SERVER-FAILED", "the server has failed; its log says why");
        problem.internal = error.what();
        answer_error(request, response, problem);
    }
}

void Front::answer(net::Request& request, net::Response& response) {
    require_own_host(request);
    Match match = find_route(routes(), request.method, request.target.path);
    if (match.route == nullptr) {
        if (!match.allowed.empty()) refuse_method(match);
        const std::string& path = request.target.path;
        if (path.starts_with("/api/") || path == "/api" || !is_safe(request.method))
            throw Problem(404, "SERVER-NO-ROUTE", "there is nothing here",
                          {.remedy = "/api/v1/openapi.json lists what there is"});
        return page_.answer(request, response);
    }
    Exchange x(services_, request, response, *match.route, std::move(match.values));
    try {
        authorise(x);
        carry_out(x);
    } catch (const Problem& problem) {
        record(x, problem.status);
        throw;
    } catch (const Error& error) {
        record(x, problem_of(error).status);
        throw;
    }
    record(x, response.status);
}

// A page of another site, or a name that someone made point here, gets nothing. A target may name
// the server as well (http://NAME/path), and proxies go by that.
void Front::require_own_host(const net::Request& request) const {
    const auto field = request.headers.find("Host");
    const auto host = field && request.headers.count("Host") == 1 ? host_of(*field) : std::nullopt;
    const std::string& target = request.target.authority;
    const auto asked = target.empty() ? host : host_of(target);
    if (!host || !asked || !services_.identity.is_named(*host) ||
        !services_.identity.is_named(*asked)) {
        throw Problem(421, "SERVER-HOST", "this server is not known by that name",
                      {.cause = "the Host of the request is not among its names",
                       .remedy = "start it with --public-name NAME to be reached by another"});
    }
    const auto origin = request.headers.find("Origin");
    if (origin && !is_own_origin(*origin, *field)) {
        throw Problem(403, "SERVER-ORIGIN", "the request comes from a page of another site",
                      {.cause = "its Origin is not this server"});
    }
}

void Front::authorise(Exchange& x) {
    if (const auto token_text = bearer_of(x.request)) {
        const auto token = services_.tokens.find(*token_text);
        if (!token) refuse_stranger(services_.passwords.locked());
        x.who = {.name = "token " + token->name, .role = token->role, .token_id = token->id};
    } else if (const auto session = session_of(services_, x.request, &x.who.session_id)) {
        x.who.name = "admin";
        x.who.role = session->role;
        const std::string csrf(x.request.headers.find(kCsrfHeader).value_or(""));
        if (!is_safe(x.request.method) && x.route.role != Role::anyone &&
            !secrets_match(csrf, session->csrf)) {
            throw Problem(
                403, "SERVER-CSRF", "the request does not prove that the page made it",
                {.cause = fmt::format("{} is missing or not that of the session", kCsrfHeader),
                 .remedy = "load the page again"});
        }
    }
    if (x.route.role == Role::anyone) return;
    if (x.who.role == Role::anyone) refuse_stranger(services_.passwords.locked());
    if (x.who.role < x.route.role) {
        throw Problem(
            403, "SERVER-ROLE", fmt::format("this needs the role {}", to_string(x.route.role)),
            {.cause = fmt::format("{} has the role {}", x.who.name, to_string(x.who.role))});
    }
}

void Front::carry_out(Exchange& x) {
    const auto key = x.request.headers.find("Idempotency-Key");
    if (!key || x.request.method != "POST" || x.route.role == Role::anyone)
        return x.route.handler(x);
    constexpr std::size_t kLongestKey = 64;
    if (key->empty() || key->size() > kLongestKey)
        throw Problem(400, "SERVER-BAD-REQUEST", "the Idempotency-Key has 1 to 64 characters");
    // Of this one and this path only: a key tells nobody else's answers.
    const std::string who = x.who.token_id.empty() ? x.who.name : "token " + x.who.token_id;
    carry_out_once(x, who + "\n" + x.request.target.path + "\n" + std::string(*key));
}

void Front::carry_out_once(Exchange& x, const std::string& key) {
    Answers& answers = services_.answers;
    if (const auto kept = answers.take(key, x.raw_body())) {
        x.response.status = kept->status;
        for (const auto& [name, value] : kept->headers) x.response.headers.set(name, value);
        x.response.headers.set("Idempotency-Replayed", "true");
        x.response.body = kept->body;
        return;
    }
    const auto settle = [&](const std::optional<KeptAnswer>& answer) {
        // What the server itself failed at may be tried again.
        if (!answer || answer->status >= 500) return answers.give_up(key);
        answers.keep(key, *answer);
    };
    try {
        x.route.handler(x);
    } catch (const Problem& problem) {
        settle(refusal(x.request, problem));
        throw;
    } catch (const Error& error) {
        settle(refusal(x.request, problem_of(error)));
        throw;
    } catch (...) {
        answers.give_up(key);
        throw;
    }
    settle(x.route.shown_once ? refusal(x.request, shown_already()) : kept_of(x.response));
}

// Strangers fill no disk: of them only those whose guess was looked at are written down, and the
// gate lets few of these through.
void Front::record(const Exchange& x, int status) {
    if (is_safe(x.request.method) && !x.route.recorded && x.what.empty()) return;
    if (x.who.role == Role::anyone && x.what.empty()) return;
    services_.audit.write({.who = recorded_name(x.who),
                           .role = std::string(to_string(x.who.role)),
                           .from = address_of(x.request.peer),
                           .method = x.request.method,
                           .path = x.request.target.path,
                           .status = status,
                           .what = x.what},
                          services_.clock.wall_ms());
}

}  // namespace slipway::server
