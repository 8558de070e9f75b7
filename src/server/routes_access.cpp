// Who is there: signing in, passwords, tokens, the audit log.
#include "base/text.hpp"
#include "desk/control.hpp"
#include "server/front.hpp"
#include "server/openapi.hpp"

#include <fmt/format.h>

namespace slipway::server {

namespace {

void get_health(Exchange& x) { x.answer(json::object{{"status", "ok"}}); }

void get_openapi(Exchange& x) { x.answer(openapi_document(routes(), x.services.settings.version)); }

Gauges gauges_of(Services& services) {
    Gauges out{.sessions = services.sessions.count(),
               .listeners = services.hub.listeners(),
               .jobs = services.jobs.running()};
    for (const std::string& name : desk::known_clusters(services.settings.state)) {
        ++out.clusters;
        if (store::RunLock::holder(services.settings.state / name)) ++out.running;
    }
    return out;
}

void get_metrics(Exchange& x) {
    const net::ServerStats stats = x.services.stats ? x.services.stats() : net::ServerStats();
    x.answer_text(x.services.metrics.text(stats, gauges_of(x.services)),
                  "text/plain; version=0.0.4; charset=utf-8");
}

json::object session_json(Services& services, const std::optional<Session>& session) {
    const char* state = services.passwords.locked() ? "locked"
                        : session                   ? "signed-in"
                                                    : "signed-out";
    json::object out = {{"state", state},
                        {"version", services.settings.version},
                        {"fingerprint", services.identity.fingerprint()}};
    if (session) {
        out["user"] = "admin";
        out["role"] = to_string(session->role);
        out["csrf"] = session->csrf;
        out["expires"] = format_utc(session->expires_ms);
    }
    return out;
}

void get_session(Exchange& x) {
    if (x.who.role != Role::anyone && x.who.session_id.empty()) {
        json::object out = session_json(x.services, std::nullopt);
        out["state"] = "signed-in";
        out["user"] = x.who.name;
        out["role"] = to_string(x.who.role);
        return x.answer(out);
    }
    x.answer(session_json(x.services, session_of(x.services, x.request)));
}

void set_cookie(Exchange& x, const std::string& value, std::string_view more = "") {
    x.response.headers.set("Set-Cookie",
                           fmt::format("{}={}; Path=/; HttpOnly; Secure; SameSite=Strict{}",
                                       kSessionCookie, value, more));
}

// A new one each time: an id that someone put into the browser before is worth nothing after.
void open_session(Exchange& x) {
    if (!x.who.session_id.empty()) x.services.sessions.close(x.who.session_id);
    const Sessions::Opened opened = x.services.sessions.open(Role::admin);
    x.who = {.name = "admin", .role = Role::admin, .session_id = opened.id};
    set_cookie(x, opened.id);
    x.answer(session_json(x.services, opened.session));
}

Secret secret_text(Exchange& x, std::string_view key) {
    std::string text = x.text(key);
    Secret out(text);
    wipe(text);
    return out;
}

void require_locked(const Exchange& x) {
    if (x.services.passwords.locked()) return;
    throw Problem(409, "SERVER-UNLOCKED", "the server has been unlocked already",
                  {.remedy = "sign in with the password"});
}

void post_unlock(Exchange& x) {
    const Secret code = secret_text(x, "code"), password = secret_text(x, "password");
    require_locked(x);
    const bool right = x.services.gate.attempt(
        x.request.peer, [&] { return x.services.passwords.code_matches(code.reveal()); });
    x.what = right ? "right code" : "wrong code";
    if (!right) {
        require_locked(x);  // someone else was faster with the right one
        throw Problem(401, "SERVER-WRONG-CODE", "this is not the code on the server's console",
                      {.remedy = "each start of a locked server makes a new one: take the last"});
    }
    x.services.passwords.set_first(code.reveal(), password);
    x.what = "unlocked";
    open_session(x);
}

void require_password(Exchange& x, const Secret& password) {
    const auto is_right = [&] { return x.services.passwords.matches(password.reveal()); };
    if (x.services.gate.attempt(x.request.peer, is_right)) return;
    x.what = "wrong password";
    throw Problem(401, "SERVER-WRONG-PASSWORD", "the password is wrong");
}

void post_session(Exchange& x) {
    const Secret password = secret_text(x, "password");
    if (x.services.passwords.locked())
        throw Problem(409, "SERVER-LOCKED", "no password has been set yet",
                      {.remedy = "unlock the server with the code on its console"});
    require_password(x, password);
    x.what = "signed in";
    open_session(x);
}

void delete_session(Exchange& x) {
    if (!x.who.session_id.empty()) x.services.sessions.close(x.who.session_id);
    set_cookie(x, "", "; Max-Age=0");
    x.answer_nothing();
}

void put_password(Exchange& x) {
    const Secret old = secret_text(x, "old"), fresh = secret_text(x, "new");
    require_password(x, old);
    x.services.passwords.set(fresh);
    x.services.sessions.close_all_but(x.who.session_id);
    x.what = "password changed";
    x.answer_nothing();
}

void get_tokens(Exchange& x) {
    json::array all;
    for (const Token& token : x.services.tokens.list()) all.push_back(to_json(token));
    answer_list(x, std::move(all));
}

void post_token(Exchange& x) {
    constexpr std::int64_t kMostDays = 3650;
    const std::string name = x.text("name");
    const auto role = role_of(x.text("role"));
    const std::int64_t days = int_at(x.body(), "days", 0);
    if (name.empty() || name.size() > 64 || printable(name) != name || !role || days < 1 ||
        days > kMostDays)
        throw Problem(422, "SERVER-BAD-REQUEST", "a token has a name, a role and 1 to 3650 days",
                      {.remedy = "role is viewer, operator or admin"});
    const Tokens::Made made = x.services.tokens.make(name, *role, static_cast<int>(days));
    x.what = fmt::format("token {} ({})", made.token.id, to_string(*role));
    json::object out = to_json(made.token);
    out["token"] = made.text;
    x.answer(out);
}

void delete_token(Exchange& x) {
    if (!x.services.tokens.remove(x.value("id")))
        throw Problem(404, "SERVER-NOT-FOUND", "there is no such token");
    x.answer_nothing();
}

void get_audit(Exchange& x) {
    const auto limit = static_cast<std::size_t>(x.number("limit", kUsualPage, kMostPage));
    const std::int64_t before = x.number("page", 0, 1'000'000'000'000);
    json::array items;
    std::int64_t last = 0;
    for (json::object& line : x.services.audit.read(before, limit)) {
        last = int_at(line, "seq");
        items.push_back(std::move(line));
    }
    json::object out = page_of(std::move(items), last > 1 ? fmt::format("{}", last) : "");
    if (x.parameter("verify") == "true") {
        const std::int64_t broken = x.services.audit.first_broken();
        out["chain"] = broken == 0 ? "whole" : fmt::format("broken at {}", broken);
    }
    x.answer(out);
}

void get_settings(Exchange& x) {
    const Settings& s = x.services.settings;
    x.answer(
        json::object{{"listen", s.listen},
                     {"publicNames", json::array(s.public_names.begin(), s.public_names.end())},
                     {"state", s.state.string()},
                     {"version", s.version},
                     {"program", s.program}});
}

}  // namespace

std::vector<Route> access_routes() {
    return {
        {"GET", "/healthz", Role::anyone, "Whether the server answers", "", "Health", get_health},
        {"GET", "/metrics", Role::viewer, "Counters, for Prometheus", "", "text/plain",
         get_metrics},
        {"GET", "/api/v1/openapi.json", Role::anyone, "This document", "", "Document", get_openapi},
        {"GET", "/api/v1/session", Role::anyone, "Who is signed in", "", "Session", get_session},
        {"POST", "/api/v1/unlock", Role::anyone, "Set the first password, with the console's code",
         "Unlock", "Session", post_unlock, 201},
        {"POST", "/api/v1/session", Role::anyone, "Sign in", "SignIn", "Session", post_session,
         201},
        {"DELETE", "/api/v1/session", Role::viewer, "Sign out", "", "", delete_session, 204},
        {"PUT", "/api/v1/password", Role::admin, "Change the password; other sessions end",
         "PasswordChange", "", put_password, 204},
        {"GET", "/api/v1/tokens", Role::admin, "Tokens of programs", "", "TokenList", get_tokens,
         200, false, "limit,page"},
        {"POST", "/api/v1/tokens", Role::admin, "A new token, shown this once", "TokenRequest",
         "Token", post_token, 201, false, "", ErrorShape::problem, true},
        {"DELETE", "/api/v1/tokens/{id}", Role::admin, "Remove a token", "", "", delete_token, 204},
        {"GET", "/api/v1/audit", Role::admin, "Who asked for what, newest first", "", "AuditList",
         get_audit, 200, false, "limit,page,verify"},
        {"GET", "/api/v1/settings", Role::viewer, "How the server was started", "", "Settings",
         get_settings},
    };
}

}  // namespace slipway::server
