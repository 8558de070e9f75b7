#include "server/front.hpp"

#include "base/files.hpp"
#include "net/testing/raw_client.hpp"
#include "server/openapi.hpp"
#include "server/testing/running_server.hpp"

#include <algorithm>
#include <set>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>

namespace slipway::server {
namespace {

using ::testing::AllOf;
using testing::Answer;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::RunningServer;

// A path of the route, with something in the place of each name.
std::string sample_path(const Route& route) {
    std::string out;
    for (const char c : route.path) out += c;
    for (std::size_t at = 0; (at = out.find('{')) != std::string::npos;)
        out.replace(at, out.find('}') - at + 1, "x1");
    return out;
}

net::Headers bearer(const std::string& token) { return {{"Authorization", "Bearer " + token}}; }

TEST(Routes, EachHasARoleAHandlerAndSchemas) {
    std::set<std::string> seen;
    for (const Route& route : routes()) {
        const std::string name = fmt::format("{} {}", route.method, route.path);
        EXPECT_TRUE(seen.insert(name).second) << name << " is there twice";
        EXPECT_NE(route.handler, nullptr) << name;
        EXPECT_FALSE(route.summary.empty()) << name;
        for (const std::string_view schema : {route.request, route.answer}) {
            if (schema.empty() || schema == "bytes" || schema.find('/') != std::string_view::npos)
                continue;
            EXPECT_TRUE(schemas().contains(schema)) << name << ": " << schema;
        }
    }
    EXPECT_GT(seen.size(), 40u);
}

// Nothing that changes anything is open to all but what lets people in.
TEST(Routes, OnlyTheDoorIsOpen) {
    std::set<std::string> open;
    for (const Route& route : routes()) {
        if (route.role == Role::anyone) open.insert(fmt::format("{} {}", route.method, route.path));
    }
    EXPECT_THAT(open, ::testing::UnorderedElementsAre("GET /healthz", "GET /api/v1/openapi.json",
                                                      "GET /api/v1/session", "POST /api/v1/session",
                                                      "POST /api/v1/unlock"));
}

TEST(Front, EveryRouteRefusesStrangers) {
    RunningServer server;
    server.unlock();
    const std::string expired = server.token(Role::admin, 0);
    for (const Route& route : routes()) {
        if (route.role == Role::anyone) continue;
        const std::string path = sample_path(route);
        const std::string method(route.method);
        const auto status = [&](net::Headers headers) {
            return server.ask({.method = method, .target = path, .headers = std::move(headers)})
                .status;
        };
        EXPECT_EQ(status({}), 401) << method << " " << path;
        EXPECT_EQ(status(bearer("slipway_00000000_wrong")), 401) << method << " " << path;
        EXPECT_EQ(status(bearer(expired)), 401) << method << " " << path;
        EXPECT_EQ(status({{"Cookie", "slipway_session=" + std::string(64, 'a')}}), 401) << path;
        EXPECT_EQ(status({{"Authorization", "Basic YWRtaW46YWRtaW4="}}), 401) << path;
    }
}

TEST(Front, EveryRouteRefusesARoleThatIsTooLow) {
    RunningServer server;
    const std::string viewer = server.token(Role::viewer), operate = server.token(Role::operate);
    for (const Route& route : routes()) {
        const auto status = [&](const std::string& token) {
            return server.ask({.method = std::string(route.method),
                               .target = sample_path(route),
                               .headers = bearer(token)});
        };
        if (route.role > Role::viewer) {
            const Answer refused = status(viewer);
            EXPECT_EQ(refused.status, 403) << route.path;
            EXPECT_EQ(refused.id(), "SERVER-ROLE");
        }
        if (route.role > Role::operate) {
            EXPECT_EQ(status(operate).status, 403) << route.path;
        }
    }
}

TEST(Front, ASessionNeedsItsCsrfTokenForEveryChange) {
    RunningServer server;
    server.unlock();
    for (const Route& route : routes()) {
        if (route.method == "GET" || route.role == Role::anyone) continue;
        for (const char* csrf : {"", "wrong"}) {
            const Answer refused =
                server.ask({.method = std::string(route.method),
                            .target = sample_path(route),
                            .headers = {{"Cookie", "slipway_session=" + server.cookie()},
                                        {kCsrfHeader, csrf}}});
            EXPECT_EQ(refused.status, 403) << route.path;
            EXPECT_EQ(refused.id(), "SERVER-CSRF") << route.path;
        }
    }
}

TEST(Front, UnknownPathsAndMethods) {
    RunningServer server;
    EXPECT_EQ(server.get("/api/v1/nothing").status, 404);
    EXPECT_EQ(server.get("/api").status, 404);
    EXPECT_EQ(server.send("POST", "/nothing", "{}").status, 404);
    const Answer wrong = server.send("PUT", "/api/v1/session", "{}");
    EXPECT_EQ(wrong.status, 405);
    EXPECT_THAT(wrong.header("Allow"),
                AllOf(HasSubstr("GET"), HasSubstr("HEAD"), HasSubstr("POST"), HasSubstr("DELETE")));
}

TEST(Front, OpenApiHasExactlyTheTable) {
    RunningServer server;
    const json::object document = server.get("/api/v1/openapi.json").object();
    std::set<std::string> described, known;
    for (const auto& [path, methods] : document.at("paths").as_object()) {
        for (const auto& [method, operation] : methods.as_object()) {
            described.insert(fmt::format("{} {}", std::string(method), std::string(path)));
            EXPECT_TRUE(operation.as_object().contains("x-slipway-role"));
        }
    }
    for (const Route& route : routes()) {
        std::string method(route.method);
        for (char& c : method) c = static_cast<char>(std::tolower(c));
        known.insert(fmt::format("{} {}", method, route.path));
    }
    EXPECT_EQ(described, known);
    // Every reference leads somewhere.
    const std::string text = json::serialize(document);
    constexpr std::string_view kReference = "\"#/components/schemas/";
    for (std::size_t at = 0; (at = text.find(kReference, at)) != std::string::npos;) {
        at += kReference.size();
        const std::string name = text.substr(at, text.find('"', at) - at);
        EXPECT_TRUE(schemas().contains(name)) << name;
    }
}

// As a raw client: an ordinary one names the server it talks to.
std::string status_line(const RunningServer& server, const std::string& fields) {
    net::testing::RawClient client(server.port());
    client.send("GET /healthz HTTP/1.1\r\n" + fields + "Connection: close\r\n\r\n");
    const std::string answer = client.read_to_end();
    return answer.substr(0, answer.find('\r'));
}

TEST(Front, IsReachedOnlyByItsNames) {
    const RunningServer server;
    for (const char* host : {"evil.example", "127.0.0.1.evil.example", "evil.localhost", "evil:80"})
        EXPECT_THAT(status_line(server, fmt::format("Host: {}\r\n", host)), HasSubstr(" 421 "))
            << host;
    EXPECT_THAT(status_line(server, "Host: LOCALHOST:99\r\n"), HasSubstr(" 200 "));
    EXPECT_THAT(status_line(server, "Host: 127.0.0.1\r\nHost: evil.example\r\n"),
                Not(HasSubstr(" 200 ")));
    for (const char* field : {"", "Host: localhost@evil\r\n", "Host: a b\r\n"})
        EXPECT_THAT(status_line(server, field), Not(HasSubstr(" 200 "))) << field;
}

// A target that names a server outweighs the field.
TEST(Front, ATargetMustNameItToo) {
    const RunningServer server;
    const auto status = [&](const char* target) {
        net::testing::RawClient client(server.port());
        client.send(
            fmt::format("GET {} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", target));
        return client.read_to_end().substr(0, 13);
    };
    EXPECT_EQ(status("https://localhost/healthz"), "HTTP/1.1 200 ");
    EXPECT_EQ(status("https://127.0.0.1:8443/healthz"), "HTTP/1.1 200 ");
    for (const char* other :
         {"https://evil.example/healthz", "http://localhost.evil.example/healthz",
          "https://localhost@evil.example/healthz", "http://evil.example"})
        EXPECT_EQ(status(other), "HTTP/1.1 421 ") << other;
}

TEST(Front, WhatNoRouteCouldReadIsRefusedAsAProblemToo) {
    const RunningServer server;
    net::testing::RawClient client(server.port());
    client.send("GET /%zz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    EXPECT_THAT(
        client.read_to_end(),
        AllOf(HasSubstr(" 400 "), HasSubstr("\r\nContent-Type: application/problem+json\r\n"),
              HasSubstr("\r\nX-Content-Type-Options: nosniff\r\n"),
              HasSubstr(R"("id":"SERVER-BAD-REQUEST")")));
}

TEST(Front, NamesMayChangeWhileItRuns) {
    RunningServer server;
    EXPECT_THAT(status_line(server, "Host: renamed\r\n"), HasSubstr(" 421 "));
    server.services().identity.become("EF:01", {"renamed", "127.0.0.1"});
    EXPECT_THAT(status_line(server, "Host: renamed\r\n"), HasSubstr(" 200 "));
    EXPECT_THAT(status_line(server, "Host: localhost\r\n"), HasSubstr(" 421 "));
    EXPECT_EQ(string_at(server.get("/api/v1/session").object(), "fingerprint"), "EF:01");
}

TEST(Front, TakesNothingFromPagesOfOthers) {
    RunningServer server;
    const auto status = [&](const std::string& origin) {
        return server.ask({.target = "/healthz", .headers = {{"Origin", origin}}}).status;
    };
    EXPECT_EQ(status("https://evil.example"), 403);
    EXPECT_EQ(status("null"), 403);
    EXPECT_EQ(status(fmt::format("http://127.0.0.1:{}", server.port())), 403);
    EXPECT_EQ(status(fmt::format("https://127.0.0.1:{}", server.port() ^ 1)), 403);
    EXPECT_EQ(status(fmt::format("https://127.0.0.1:{}", server.port())), 200);
}

TEST(Front, EveryAnswerKeepsBrowsersSafe) {
    RunningServer server;
    for (const char* path :
         {"/", "/healthz", "/api/v1/session", "/api/v1/tokens", "/api/nothing"}) {
        const Answer answer = server.get(path);
        EXPECT_THAT(answer.header("Content-Security-Policy"),
                    AllOf(HasSubstr("default-src 'self'"), HasSubstr("frame-ancestors 'none'")));
        EXPECT_EQ(answer.header("X-Content-Type-Options"), "nosniff");
        EXPECT_EQ(answer.header("Referrer-Policy"), "no-referrer");
        EXPECT_EQ(answer.header("Cache-Control"), "no-store");
    }
}

TEST(Unlock, NeedsTheCodeOfTheConsoleOnce) {
    RunningServer server;
    EXPECT_EQ(string_at(server.get("/api/v1/session").object(), "state"), "locked");
    const Answer wrong = server.post(
        "/api/v1/unlock", {{"code", "AAAA-AAAA-AAAA-AAAA"}, {"password", testing::kPassword}});
    EXPECT_EQ(wrong.status, 401);
    EXPECT_EQ(server.post("/api/v1/session", {{"password", "x"}}).id(), "SERVER-LOCKED");
    EXPECT_EQ(server.unlock("short").id(), "SERVER-WEAK-PASSWORD");
    const Answer right = server.unlock();
    ASSERT_EQ(right.status, 201);
    EXPECT_THAT(right.header("Set-Cookie"),
                AllOf(HasSubstr("HttpOnly"), HasSubstr("Secure"), HasSubstr("SameSite=Strict")));
    EXPECT_EQ(string_at(right.object(), "state"), "signed-in");
    EXPECT_EQ(
        server.post("/api/v1/unlock", {{"code", server.code()}, {"password", "another one!"}}).id(),
        "SERVER-UNLOCKED");
}

TEST(Unlock, IsOneStep) {
    RunningServer server;
    constexpr std::size_t kAtOnce = 4;
    std::vector<int> status(kAtOnce);
    {
        std::vector<std::jthread> all;
        for (std::size_t i = 0; i < kAtOnce; ++i)
            all.emplace_back([&, i] {
                status[i] = server
                                .post("/api/v1/unlock",
                                      {{"code", server.code()},
                                       {"password", fmt::format("the password of {}", i)}})
                                .status;
            });
    }
    EXPECT_EQ(std::ranges::count(status, 201), 1);
    EXPECT_EQ(std::ranges::count(status, 409), static_cast<std::ptrdiff_t>(kAtOnce - 1));
    for (std::size_t i = 0; i < kAtOnce; ++i)
        EXPECT_EQ(server.services().passwords.matches(fmt::format("the password of {}", i)),
                  status[i] == 201);
}

TEST(Unlock, ACodeIsNewAtEachStartAndNowhereOnDisk) {
    RunningServer server;
    const std::string first = server.code();
    server.restart();
    EXPECT_NE(server.code(), first);
    for (const auto& entry : std::filesystem::recursive_directory_iterator(server.state())) {
        if (entry.is_regular_file()) {
            EXPECT_THAT(read_file(entry.path()), Not(HasSubstr(server.code()))) << entry.path();
        }
    }
    EXPECT_EQ(
        server.post("/api/v1/unlock", {{"code", first}, {"password", testing::kPassword}}).status,
        401);
}

TEST(Session, ItAndThePasswordOutliveTheServer) {
    RunningServer server;
    server.unlock();
    const std::string cookie = server.cookie(), csrf = server.csrf();
    server.restart();
    const auto change = [&](const std::string& token) {
        return server.ask({.method = "POST",
                           .target = "/api/v1/tokens",
                           .headers = {{"Cookie", "slipway_session=" + cookie},
                                       {"Content-Type", "application/json"},
                                       {kCsrfHeader, token}},
                           .body = R"({"name": "ci", "role": "viewer", "days": 1})"});
    };
    EXPECT_EQ(change(csrf).status, 201);
    EXPECT_EQ(change(std::string(64, 'a')).id(), "SERVER-CSRF");
    const Answer in = server.post("/api/v1/session", {{"password", testing::kPassword}});
    EXPECT_EQ(in.status, 201);
    EXPECT_THAT(in.header("Set-Cookie"), Not(HasSubstr(cookie)));
}

TEST(Session, ANewOneAtEverySignInAndNoneAfterSignOut) {
    RunningServer server;
    server.unlock();
    const std::string first = server.cookie();
    const auto works = [&](const std::string& id) {
        return server
                   .ask({.target = "/api/v1/settings",
                         .headers = {{"Cookie", "slipway_session=" + id}}})
                   .status == 200;
    };
    const Answer again = server.post("/api/v1/session", {{"password", testing::kPassword}});
    const std::string cookie = again.header("Set-Cookie");
    const std::string second = cookie.substr(cookie.find('=') + 1, 64);
    EXPECT_NE(first, second);
    EXPECT_FALSE(works(first));
    EXPECT_TRUE(works(second));
    EXPECT_EQ(server
                  .ask({.method = "DELETE",
                        .target = "/api/v1/session",
                        .headers = {{"Cookie", "slipway_session=" + second},
                                    {kCsrfHeader, string_at(again.object(), "csrf")}}})
                  .status,
              204);
    EXPECT_FALSE(works(second));
}

TEST(Session, AChangedPasswordEndsTheOthers) {
    RunningServer server;
    server.unlock();
    const Sessions::Opened other = server.services().sessions.open(Role::admin);
    EXPECT_EQ(server.send("PUT", "/api/v1/password", R"({"old": "wrong", "new": "a new password"})")
                  .status,
              401);
    EXPECT_EQ(
        server
            .send("PUT", "/api/v1/password",
                  fmt::format(R"({{"old": "{}", "new": "a new password"}})", testing::kPassword))
            .status,
        204);
    EXPECT_FALSE(server.services().sessions.find(other.id).has_value());
    EXPECT_EQ(server.get("/api/v1/settings").status, 200);
    const std::string own = server.cookie();
    server.restart();
    EXPECT_FALSE(server.services().sessions.find(other.id).has_value());
    EXPECT_TRUE(server.services().sessions.find(own).has_value());
    EXPECT_EQ(server.post("/api/v1/session", {{"password", "a new password"}}).status, 201);
}

TEST(Session, NoneIsLeftWhereThePasswordWasTakenAway) {
    RunningServer server;
    server.unlock();
    const std::string cookie = server.cookie();
    std::filesystem::remove(server.state() / kServerFolder / "users.json");
    server.restart();
    const Answer answer = server.ask(
        {.target = "/api/v1/settings", .headers = {{"Cookie", "slipway_session=" + cookie}}});
    EXPECT_EQ(answer.status, 401);
    EXPECT_THAT(answer.body, HasSubstr("locked"));
}

TEST(Session, GuessesAreSlowedDownWhateverConnectionTheyComeFrom) {
    RunningServer server;
    server.unlock();
    std::atomic<int> wrong{0}, refused{0};
    std::vector<std::jthread> guessers;
    for (int i = 0; i < 12; ++i) {
        guessers.emplace_back([&] {
            const int status = server.post("/api/v1/session", {{"password", "guess"}}).status;
            ++(status == 429 ? refused : wrong);
        });
    }
    guessers.clear();
    EXPECT_EQ(wrong + refused, 12);
    EXPECT_GT(refused, 0);
    while (server.post("/api/v1/session", {{"password", "guess"}}).status != 429) {
    }
    const Answer last = server.post("/api/v1/session", {{"password", testing::kPassword}});
    EXPECT_EQ(last.status, 429) << "the right one waits as well";
    EXPECT_GE(std::stoi(last.header("Retry-After")), 1);
}

TEST(Tokens, WorkWithTheirRoleAndAreShownOnce) {
    RunningServer server;
    server.unlock();
    const Answer made =
        server.post("/api/v1/tokens", {{"name", "ci"}, {"role", "viewer"}, {"days", 7}});
    ASSERT_EQ(made.status, 201) << made.body;
    const std::string text = string_at(made.object(), "token");
    EXPECT_EQ(server.ask({.target = "/api/v1/settings", .headers = bearer(text)}).status, 200);
    EXPECT_THAT(server.get("/api/v1/tokens").body, Not(HasSubstr(text)));
    EXPECT_THAT(read_file(server.state() / kServerFolder / "tokens.json"), Not(HasSubstr(text)));
    server.restart();
    EXPECT_EQ(server.ask({.target = "/api/v1/settings", .headers = bearer(text)}).status, 200);
    EXPECT_TRUE(server.services().tokens.remove(string_at(made.object(), "id")));
    EXPECT_EQ(server.ask({.target = "/api/v1/settings", .headers = bearer(text)}).status, 401);
}

TEST(Audit, HasEveryChangeAndNoSecret) {
    RunningServer server;
    server.unlock();
    const Answer made =
        server.post("/api/v1/tokens", {{"name", "ci"}, {"role", "admin"}, {"days", 1}});
    server.post("/api/v1/session", {{"password", "wrong-guess-99"}});
    server.ask({.method = "POST", .target = "/api/v1/tokens"});  // a stranger leaves no trace
    const json::object audit = server.get("/api/v1/audit?verify=true").object();
    EXPECT_EQ(string_at(audit, "chain"), "whole");
    const json::array& items = audit.at("items").as_array();
    ASSERT_EQ(items.size(), 3u) << json::serialize(audit);
    EXPECT_EQ(string_at(items[0].as_object(), "what"), "wrong password");
    EXPECT_EQ(string_at(items[2].as_object(), "path"), "/api/v1/unlock");
    const std::string log = read_file(server.state() / kServerFolder / "audit.log");
    for (const std::string& secret :
         {std::string(testing::kPassword), std::string("wrong-guess-99"), server.code(),
          server.cookie(), server.csrf(), string_at(made.object(), "token")})
        EXPECT_THAT(log, Not(HasSubstr(secret)));
}

TEST(AuditLog, HoldsNothingOfStrangersWhoseGuessWasNotLookedAt) {
    RunningServer server;
    server.unlock();
    const auto size = [&] {
        return std::filesystem::file_size(server.state() / kServerFolder / "audit.log");
    };
    const auto stranger = [&](const std::string& path, const std::string& body,
                              const std::string& type = "application/json") {
        return server
            .ask({.method = "POST",
                  .target = path,
                  .headers = {{"Content-Type", type}},
                  .body = body})
            .status;
    };
    const auto before = size();
    EXPECT_EQ(stranger("/api/v1/unlock", R"({"code": "x", "password": "y"})"), 409);
    EXPECT_EQ(stranger("/api/v1/session", "{"), 400);
    EXPECT_EQ(stranger("/api/v1/session", "{}"), 400);
    EXPECT_EQ(stranger("/api/v1/session", "a=b", "text/plain"), 415);
    EXPECT_EQ(stranger("/api/v1/session", std::string(3u << 20, ' ')), 413);
    EXPECT_EQ(size(), before);
    EXPECT_EQ(stranger("/api/v1/session", R"({"password": "a guess"})"), 401);
    EXPECT_GT(size(), before);
}

TEST(AuditLog, NoPathBreaksTheChain) {
    RunningServer server;
    server.unlock();
    const auto chain = [&] {
        return string_at(server.get("/api/v1/audit?verify=true").object(), "chain");
    };
    EXPECT_EQ(server.send("DELETE", "/api/v1/tokens/%FF%E2%82").status, 404);
    EXPECT_EQ(chain(), "whole");
    server.restart();
    const std::string admin = server.token(Role::admin);
    const Answer audit =
        server.ask({.target = "/api/v1/audit?verify=true", .headers = bearer(admin)});
    EXPECT_EQ(string_at(audit.object(), "chain"), "whole");
    EXPECT_THAT(audit.body, HasSubstr(R"(/api/v1/tokens/\\xff\\xe2\\x82)"));
}

TEST(IdempotencyKey, DoesItOnce) {
    RunningServer server;
    server.unlock();
    const json::object wanted = {{"name", "a"}, {"size", 10}};
    const net::Headers key = {{"Idempotency-Key", "k1"}};
    const Answer first = server.post("/api/v1/bundles", wanted, key);
    const Answer second = server.post("/api/v1/bundles", wanted, key);
    EXPECT_EQ(first.body, second.body);
    EXPECT_EQ(second.status, 201);
    EXPECT_EQ(second.header("Idempotency-Replayed"), "true");
    EXPECT_EQ(server.post("/api/v1/bundles", {{"name", "x"}}, key).status, 422);
    EXPECT_EQ(
        server.post("/api/v1/bundles", wanted, {{"Idempotency-Key", std::string(65, 'k')}}).status,
        400);
}

TEST(IdempotencyKey, IsAnsweredWithWhereItIsAndWithRefusalsToo) {
    RunningServer server;
    server.unlock();
    const net::Headers one = {{"Idempotency-Key", "k1"}}, two = {{"Idempotency-Key", "k2"}};
    const std::string path = "/api/v1/bundles/a/verify";
    const Answer refused = server.post(path, {}, one);
    EXPECT_EQ(refused.status, 404);
    atomic_write(server.state() / kServerFolder / "bundles/a", "x", 0600);
    const Answer again = server.post(path, {}, one);
    EXPECT_EQ(again.status, 404);
    EXPECT_EQ(again.body, refused.body);
    EXPECT_EQ(again.header("Content-Type"), "application/problem+json");
    const Answer begun = server.post(path, {}, two), replayed = server.post(path, {}, two);
    EXPECT_EQ(begun.status, 202);
    EXPECT_THAT(begun.header("Location"), HasSubstr("/api/v1/jobs/"));
    EXPECT_EQ(replayed.header("Location"), begun.header("Location"));
}

TEST(IdempotencyKey, LetsWhatTheServerFailedAtBeTriedAgain) {
    RunningServer server;
    const std::string token = server.token(Role::admin);
    const auto verify = [&] {
        return server.ask(
            {.method = "POST",
             .target = "/api/v1/bundles/a/verify",
             .headers = {{"Authorization", "Bearer " + token}, {"Idempotency-Key", "k"}}});
    };
    atomic_write(server.state() / kServerFolder / "bundles/a", "x", 0600);
    server.set_program("exec sleep 600");
    std::vector<std::string> running;
    for (std::size_t i = 0; i < Jobs::kMostRunning; ++i)
        running.push_back(server.services().jobs.start({.kind = "verify"}));
    EXPECT_EQ(verify().status, 503);
    EXPECT_TRUE(server.services().jobs.cancel(running[0]));
    server.services().jobs.look(running[0], std::chrono::seconds(20));
    EXPECT_EQ(verify().status, 202);
}

TEST(IdempotencyKey, ShowsNoTokenTwice) {
    RunningServer server;
    server.unlock();
    const json::object wanted = {{"name", "ci"}, {"role", "viewer"}, {"days", 7}};
    const net::Headers key = {{"Idempotency-Key", "k1"}};
    const Answer first = server.post("/api/v1/tokens", wanted, key);
    EXPECT_EQ(first.status, 201);
    const Answer second = server.post("/api/v1/tokens", wanted, key);
    EXPECT_EQ(second.id(), "SERVER-IDEMPOTENCY-KEY");
    EXPECT_THAT(second.body, Not(HasSubstr(string_at(first.object(), "token"))));
    EXPECT_EQ(server.services().tokens.list().size(), 1u);
}

TEST(IdempotencyKey, IsOfOneTokenWhateverItsName) {
    RunningServer server;
    const std::string one = server.token(Role::admin), other = server.token(Role::admin);
    const auto begin = [&](const std::string& token) {
        return server
            .ask({.method = "POST",
                  .target = "/api/v1/bundles",
                  .headers = {{"Authorization", "Bearer " + token},
                              {"Idempotency-Key", "k"},
                              {"Content-Type", "application/json"}},
                  .body = R"({"name": "a", "size": 10})"})
            .status;
    };
    EXPECT_EQ(begin(one), 201);
    EXPECT_EQ(begin(one), 201);
    EXPECT_EQ(begin(other), 409) << "the bundle is there, and the first answer another's";
    const std::string log = read_file(server.state() / kServerFolder / "audit.log");
    for (const Token& token : server.services().tokens.list())
        EXPECT_THAT(log, HasSubstr(fmt::format("token test ({})", token.id)));
}

TEST(Files, AreTheServersAlone) {
    RunningServer server;
    server.unlock();
    server.token(Role::viewer);
    for (const auto& entry : std::filesystem::recursive_directory_iterator(server.state())) {
        struct stat about{};
        ASSERT_EQ(::stat(entry.path().c_str(), &about), 0);
        EXPECT_EQ(about.st_mode & 0777, entry.is_directory() ? 0700u : 0600u) << entry.path();
    }
}

TEST(Requests, BodiesThatAreNoneAreRefused) {
    RunningServer server;
    server.unlock();
    for (const char* body : {"[]", "{", "\"x\"", "{\"name\": 5}", "null"})
        EXPECT_THAT(server.send("POST", "/api/v1/tokens", body).status, AnyOf(400, 422)) << body;
    EXPECT_EQ(server
                  .send("POST", "/api/v1/tokens", "name=x",
                        {{"Content-Type", "application/x-www-form-urlencoded"}})
                  .status,
              415);
    EXPECT_EQ(server.send("POST", "/api/v1/tokens", std::string(3u << 20, ' ')).status, 413);
}

}  // namespace
}  // namespace slipway::server
