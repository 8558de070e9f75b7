// The routes of TKE's installer and the conversion, with a program in slipway's place.
#include "base/base64.hpp"
#include "base/files.hpp"
#include "server/testing/running_server.hpp"
#include "server/tke_progress.hpp"
#include "store/run_lock.hpp"

#include <atomic>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::server {
namespace {

using ::testing::AllOf;
using testing::Answer;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::RunningServer;

std::string encoded(std::string_view text) { return std::string(to_base64(text).reveal()); }

json::object para(const std::string& ip = "192.0.2.11") {
    return {
        {"cluster",
         json::object{{"spec", json::object{{"machines", json::array{json::object{
                                                             {"ip", ip},
                                                             {"port", 22},
                                                             {"username", "root"},
                                                             {"password", encoded("canary-login")},
                                                         }}}}}}},
        {"Config", json::object{{"basic", json::object{{"username", "admin"},
                                                       {"password", encoded("canary-console")}}}}}};
}

// As slipway validate has it of the spec above.
constexpr const char* kSeen = R"({"valid":true,"cluster":"global","problems":[],
  "spec":{"spec":{"hosts":[{"name":"cp1","password":{"prompt":true}}]}},
  "effective":{"spec":{"hosts":[{"name":"cp1","password":{"prompt":true}}],
    "kubernetes":{"version":"v1.34.11","dnsDomain":"cluster.local"}}}})";

class TkeTest : public ::testing::Test {
  protected:
    TkeTest() {
        program(begun());
        server.unlock();
    }

    static std::string begun() { return R"(echo '{"cluster":"global","run":1}')"; }

    // `validate` as above; anything else keeps its arguments and its input, and goes on.
    void program(const std::string& otherwise, const std::string& seen = kSeen) {
        server.set_program(
            fmt::format("if [ \"$1\" = validate ]; then cat >/dev/null; cat <<'END'\n{}\nEND\n"
                        "exit 0; fi\ncat > {}/input; echo \"$*\" > {}/words\n{}",
                        seen, server.state().string(), server.state().string(), otherwise));
    }
    std::string said(const char* what) const { return read_file(server.state() / what); }

    std::filesystem::path folder() const { return server.state() / "global"; }
    void make_run(const std::string& kind = "apply") {
        make_private_folders(folder());
        journal = store::Journal::create_or_open(folder() / "journal.db");
        run = journal->begin_run({.kind = kind, .plan_hash = "p", .spec = kSpec, .started_ms = 1});
    }
    void event(const std::string& type, const std::string& body) {
        journal->append_events({{.run = run,
                                 .at_ms = 2,
                                 .type = type,
                                 .level = "info",
                                 .host = "cp1",
                                 .step = "s",
                                 .body = body}});
        journal->flush();
    }
    json::object progress() { return server.get("/api/cluster/global/progress").object(); }

    static constexpr const char* kSpec = R"({"apiVersion":"slipway.dev/v1","kind":"Cluster",
      "metadata":{"name":"global"},"spec":{"hosts":[{"name":"cp1","address":"192.0.2.11",
      "roles":["control-plane"]}]}})";

    RunningServer server;
    std::unique_ptr<store::Journal> journal;
    std::int64_t run = 0;
};

TEST_F(TkeTest, AFileIsConvertedAndNothingIsKept) {
    const Answer made =
        server.post("/api/v1/convert", {{"text", json::serialize(para())}, {"from", "tke"}});
    ASSERT_EQ(made.status, 200) << made.body;
    const json::object answer = made.object();
    EXPECT_EQ(string_at(answer, "from"), "tke");
    EXPECT_THAT(string_at(answer, "yaml"), HasSubstr("192.0.2.11"));
    EXPECT_THAT(json::serialize(answer.at("unsupported")), HasSubstr("Config.basic.password"));
    EXPECT_THAT(made.body,
                AllOf(Not(HasSubstr("canary")), Not(HasSubstr(encoded("canary-login")))));
    EXPECT_EQ(server.get("/api/v1/specs").object().at("items").as_array().size(), 0u);
    EXPECT_EQ(server.post("/api/v1/convert", {{"text", "{}"}}).id(), "CONVERT-UNKNOWN");
    EXPECT_EQ(server.post("/api/v1/convert", {{"text", "{}"}, {"from", "x"}}).status, 422);
    EXPECT_EQ(server.post("/api/v1/convert", {}).status, 400);
}

TEST_F(TkeTest, NamesOfStepsAreJudgedByWhoKnowsThem) {
    server.step_problems = [](const config::LoadedSpec& loaded) {
        std::vector<config::Problem> out;
        if (!loaded.spec.steps.skip.empty())
            out.push_back({"SPEC-UNKNOWN-STEP", {}, "steps.skip[0]", "is no step", "remove it"});
        return out;
    };
    server.restart();
    server.post("/api/v1/session", {{"password", testing::kPassword}});
    json::object sent = para();
    sent["Config"].as_object()["skipSteps"] = json::array{"Nothing at all"};
    const Answer made =
        server.ask({.method = "POST",
                    .target = "/api/v1/convert",
                    .headers = {{"Authorization", "Bearer " + server.token(Role::viewer)},
                                {"Content-Type", "application/json"}},
                    .body = json::serialize(json::object{{"text", json::serialize(sent)}})});
    EXPECT_THAT(made.body, HasSubstr("is no step; remove it"));
}

TEST_F(TkeTest, AClusterIsKeptAsADraftAndApplied) {
    const Answer made = server.post("/api/cluster?simulate=true", para());
    ASSERT_EQ(made.status, 201) << made.body;
    const json::object answer = made.object();
    EXPECT_EQ(answer.at("cluster").at("metadata").at("name"), "global");
    EXPECT_EQ(answer.at("cluster").at("spec").at("version"), "1.34.11");
    EXPECT_THAT(json::serialize(answer.at("unsupported")), HasSubstr("Config.basic.password"));
    EXPECT_THAT(said("words"), AllOf(HasSubstr("apply --yes -c "), HasSubstr("--simulate"),
                                     HasSubstr("--detach"), HasSubstr("--secrets-stdin")));
    EXPECT_EQ(said("input"), R"({"login password of cp1":"canary-login"})");
    EXPECT_EQ(server.services().drafts.draft_of("global"), "global");
    EXPECT_EQ(server.get("/api/cluster/global").object(), answer);
    std::filesystem::remove(server.state() / "input");
    for (const auto& entry : std::filesystem::recursive_directory_iterator(server.state())) {
        if (!entry.is_regular_file()) continue;
        const std::string text = read_file(entry.path());
        EXPECT_THAT(text, Not(HasSubstr("canary"))) << entry.path();
        EXPECT_THAT(text, Not(HasSubstr(encoded("canary-login")))) << entry.path();
    }
}

TEST_F(TkeTest, WhatTheSpecRefusesIsInvalidByItsField) {
    json::object sent = para();
    sent["cluster"].as_object()["spec"].as_object()["clusterCIDR"] = "10.300.0.0/16";
    program(begun(), R"({"valid":false,"problems":[{"id":"SPEC-X","severity":"error",
      "path":"hosts[0].address","what":"is odd","todo":"mend it"},{"severity":"notice","path":"x","what":"y"}]})");
    const Answer refused = server.post("/api/cluster", sent);
    ASSERT_EQ(refused.status, 422) << refused.body;
    const json::object status = refused.object();
    EXPECT_EQ(string_at(status, "reason"), "Invalid");
    const json::array& causes = status.at("details").at("causes").as_array();
    ASSERT_EQ(causes.size(), 3u) << refused.body;
    EXPECT_EQ(causes[0].at("field"), "cluster.spec.clusterCIDR");
    EXPECT_EQ(causes[1].at("field"), "cluster.spec.machines[0].ip");
    EXPECT_EQ(causes[1].at("message"), "is odd; mend it");
    EXPECT_FALSE(std::filesystem::exists(server.state() / "words")) << "nothing was started";
    EXPECT_EQ(server.get("/api/v1/specs/global").status, 404);
}

TEST_F(TkeTest, EveryErrorIsAStatus) {
    for (const Answer& refused :
         {server.send("POST", "/api/cluster", "[]"), server.send("POST", "/api/cluster", "{}"),
          server.get("/api/cluster/nothing"), server.get("/api/cluster/nothing/progress"),
          server.send("PUT", "/api/cluster/nothing/retry"), server.send("POST", "/api/ssh", "{}"),
          server.send("POST", "/api/cluster", std::string(3u << 20, ' ')),
          server.ask({.method = "POST", .target = "/api/cluster"})}) {
        EXPECT_TRUE(refused.is_status()) << refused.status << " " << refused.body;
        EXPECT_EQ(int_at(refused.object(), "code"), refused.status);
    }
    EXPECT_EQ(string_at(server.get("/api/cluster/nothing").object(), "reason"), "NotFound");
    program("echo 'clock of cp1 is wrong' >&2; exit 4");
    const Answer checks = server.post("/api/cluster", para());
    EXPECT_EQ(string_at(checks.object(), "reason"), "Invalid");
    EXPECT_THAT(checks.body, HasSubstr("clock of cp1"));
    EXPECT_EQ(string_at(progress(), "status"), "Unknown") << "nothing has begun";
    program(begun());
    EXPECT_EQ(server.post("/api/cluster", para("192.0.2.12")).status, 201) << "it may be sent anew";
}

TEST_F(TkeTest, AClusterThatIsThereIsNotMadeAgain) {
    make_run();
    const Answer refused = server.post("/api/cluster", para());
    EXPECT_EQ(refused.status, 409);
    EXPECT_EQ(string_at(refused.object(), "reason"), "AlreadyExists");
    journal->finish_run(run, "succeeded", 3);
    EXPECT_EQ(server.post("/api/cluster", para()).status, 409);
    make_run("reset");
    journal->finish_run(run, "succeeded", 4);
    EXPECT_EQ(server.post("/api/cluster", para()).status, 201) << "it was reset";
}

TEST_F(TkeTest, ADraftWrittenByHandIsNotReplaced) {
    ASSERT_EQ(
        server
            .send("PUT", "/api/v1/specs/global", R"({"yaml":"mine: 1"})", {{"If-None-Match", "*"}})
            .status,
        201);
    EXPECT_EQ(server.post("/api/cluster", para()).id(), "SERVER-CLUSTER-EXISTS");
    EXPECT_EQ(string_at(server.get("/api/v1/specs/global").object(), "yaml"), "mine: 1");
    EXPECT_EQ(server.get("/api/cluster/global").status, 404);
}

TEST_F(TkeTest, OfTwoAtOnceOneBegins) {
    program(fmt::format("while [ ! -e {}/go ]; do sleep 0.01; done\n{}", server.state().string(),
                        begun()));
    std::atomic<int> made{0}, refused{0};
    {
        std::vector<std::jthread> both;
        for (int i = 0; i < 2; ++i)
            both.emplace_back([&] {
                const int status = server.post("/api/cluster", para()).status;
                ++(status == 201 ? made : refused);
                atomic_write(server.state() / "go", "");
            });
    }
    EXPECT_EQ(made, 1);
    EXPECT_EQ(refused, 1);
}

TEST_F(TkeTest, ProgressSaysHowFarItIs) {
    make_run();
    EXPECT_EQ(string_at(progress(), "status"), "Failed") << "nobody works on it";
    {
        auto lock = store::RunLock::take(folder(), "apply");
        lock.set_run(run);
        event("step.started", "{}");
        EXPECT_EQ(string_at(progress(), "status"), "Doing");
        event("step.retrying", R"({"error":"HOST-LOST","message":"link lost","wait-seconds":2})");
        EXPECT_EQ(string_at(progress(), "status"), "Retrying");
        EXPECT_THAT(string_at(progress(), "data"),
                    EndsWith("cp1  s  trying again in 2.0 s  HOST-LOST: link lost\n"));
    }
    journal->finish_run(run, "failed", 3);
    EXPECT_EQ(string_at(progress(), "status"), "Failed");
}

TEST_F(TkeTest, OnSuccessItSaysHowTheClusterIsReached) {
    make_run();
    journal->finish_run(run, "succeeded", 3);
    program(fmt::format(
        "cat <<'END'\nclusters:\n- cluster:\n    server: https://192.0.2.100:6443\n"
        "    certificate-authority-data: {}\nusers:\n- user: {{token: canary-key}}\nEND",
        encoded("PEM")));
    const json::object admin = progress();
    EXPECT_EQ(string_at(admin, "status"), "Success");
    EXPECT_EQ(string_at(admin, "url"), "https://192.0.2.100:6443");
    EXPECT_EQ(string_at(admin, "caCert"), encoded("PEM"));
    EXPECT_EQ(json::serialize(admin.at("servers")), R"(["192.0.2.100","192.0.2.11"])");
    EXPECT_THAT(from_base64(string_at(admin, "kubeconfig"))->reveal(), HasSubstr("canary-key"));
    EXPECT_THAT(read_file(server.state() / kServerFolder / "audit.log"),
                HasSubstr("/api/cluster/global/progress"));
    const Answer operate =
        server.ask({.target = "/api/cluster/global/progress",
                    .headers = {{"Authorization", "Bearer " + server.token(Role::operate)}}});
    EXPECT_FALSE(operate.object().contains("kubeconfig"));
    EXPECT_EQ(string_at(operate.object(), "url"), "https://192.0.2.100:6443");
}

TEST_F(TkeTest, HostsThatWereOnlyPreparedHaveNoAddress) {
    make_run();
    journal->finish_run(run, "succeeded", 3);
    program(
        R"(echo '{"error":{"class":"user","id":"KUBECONFIG-NONE","message":"none yet"}}' >&2; exit 2)");
    const json::object done = progress();
    EXPECT_EQ(string_at(done, "status"), "Success");
    EXPECT_EQ(string_at(done, "url"), "");
    EXPECT_EQ(json::serialize(done.at("servers")), R"(["192.0.2.11"])");
}

TEST_F(TkeTest, TheLogHasItsLastPartInWholeLines) {
    make_run();
    for (int i = 0; i < 50; ++i)
        event("log.line", fmt::format(R"({{"stream":"stdout","line":"line {:03}"}})", i));
    const convert::TkeRun whole = tke_run({.name = "global", .folder = folder()}, *journal);
    EXPECT_THAT(whole.log, AllOf(HasSubstr("line 000"), EndsWith("line 049\n")));
    const convert::TkeRun part = tke_run({.name = "global", .folder = folder()}, *journal, 200);
    EXPECT_LE(part.log.size(), 200u);
    EXPECT_THAT(part.log, AllOf(EndsWith("line 049\n"), Not(HasSubstr("line 010"))));
    EXPECT_EQ(whole.log.substr(whole.log.size() - part.log.size()), part.log);
}

TEST_F(TkeTest, RetryGoesOnWithTheRun) {
    make_run();
    journal->finish_run(run, "failed", 3);
    const Answer retried = server.send("PUT", "/api/cluster/global/retry");
    EXPECT_EQ(retried.status, 200);
    EXPECT_EQ(retried.body, "null");
    EXPECT_THAT(said("words"), HasSubstr("retry global --detach"));
}

json::object login() {
    return {{"host", "192.0.2.11"},
            {"port", 2222},
            {"user", "ops"},
            {"password", encoded("canary-login")}};
}

TEST_F(TkeTest, ALoginIsTriedByAChildThatGetsTheSecretOnItsInput) {
    program(R"(echo '{"passed":false,"checks":[{"id":"HOST-LOGIN","result":"passed"},
      {"id":"HOST-MEMORY","result":"failed","seen":"too little"}]}'; exit 4)");
    const Answer works = server.post("/api/ssh", login());
    EXPECT_EQ(works.body, R"({"status":"OK"})");
    EXPECT_EQ(said("input"), R"({"login password of cp1":"canary-login"})");
    EXPECT_THAT(said("words"), AllOf(HasSubstr("preflight -c "), Not(HasSubstr("canary"))));
    std::filesystem::remove(server.state() / "input");
    for (const auto& entry : std::filesystem::recursive_directory_iterator(server.state())) {
        EXPECT_THAT(entry.path().filename().string(), Not(HasSubstr("login-"))) << "left behind";
        const std::string text = entry.is_regular_file() ? read_file(entry.path()) : "";
        EXPECT_THAT(text, Not(HasSubstr("canary")));
    }
}

TEST_F(TkeTest, ALoginThatDoesNotWorkSaysWhy) {
    program(R"(echo '{"passed":false,"checks":[{"id":"HOST-KEY","result":"failed",
      "seen":"its key is not trusted yet","remedy":"look at it"}]}'; exit 4)");
    const Answer refused = server.post("/api/ssh", login());
    EXPECT_EQ(refused.status, 400);
    EXPECT_EQ(string_at(refused.object(), "message"), "its key is not trusted yet; look at it");
    std::filesystem::remove(server.state() / "words");
    for (const char* host : {"local", "somewhere", "", "-x"}) {
        json::object odd = login();
        odd["host"] = host;
        EXPECT_EQ(server.post("/api/ssh", odd).status, 400) << host;
    }
    json::object without = login();
    without.erase("password");
    EXPECT_THAT(server.post("/api/ssh", without).body, HasSubstr("password or privateKey"));
    // TKE's page calls the passphrase something else; both are understood.
    for (const char* key : {"passPhrase", "privatePassword"}) {
        json::object phrase = login();
        phrase[key] = encoded("canary-phrase");
        EXPECT_THAT(server.post("/api/ssh", phrase).body,
                    AllOf(HasSubstr("without a passphrase"), Not(HasSubstr("canary"))));
    }
    EXPECT_FALSE(std::filesystem::exists(server.state() / "words")) << "nothing was tried";
}

}  // namespace
}  // namespace slipway::server
