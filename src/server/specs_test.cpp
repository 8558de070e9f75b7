// Drafts, their secrets, and jobs, with a program in slipway's place that says what it was given.
#include "base/files.hpp"
#include "server/testing/running_server.hpp"

#include <csignal>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::server {
namespace {

using testing::Answer;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::RunningServer;

constexpr const char* kSeen = R"({"valid":true,"cluster":"demo","problems":[],
  "spec":{"spec":{"hosts":[{"name":"w1"}]}},
  "effective":{"spec":{"hosts":[{"name":"w1","password":{"prompt":true},"become":{"password":{"prompt":true}}}]}}})";

class SpecsTest : public ::testing::Test {
  protected:
    SpecsTest() {
        program();
        server.unlock();
    }

    // `validate` as above; anything else tells its arguments and its input.
    void program(
        const std::string& otherwise = R"(printf '{"words":"%s","input":%s}' "$*" "${in:-null}")") {
        server.set_program(fmt::format(
            "if [ \"$1\" = validate ]; then cat >/dev/null; cat <<'END'\n{}\nEND\nexit 0; fi\n"
            "in=$(cat)\n{}",
            kSeen, otherwise));
    }
    Answer put(const std::string& text, net::Headers headers) {
        return server.send("PUT", "/api/v1/specs/demo",
                           json::serialize(json::object{{"yaml", text}}), std::move(headers));
    }
    json::object job(const std::string& path, const json::object& body = {}) {
        const Answer begun = server.post("/api/v1/specs/demo/" + path, body);
        EXPECT_EQ(begun.status, 202) << begun.body;
        return server.get("/api/v1/jobs/" + string_at(begun.object(), "id") + "?wait=30").object();
    }

    RunningServer server;
};

TEST_F(SpecsTest, AreKeptByteForByteAndChangedOnlyByWhoKnowsThem) {
    EXPECT_EQ(put("a: 1\n", {}).status, 428);
    const Answer made = put("a: 1\n", {{"If-None-Match", "*"}});
    ASSERT_EQ(made.status, 201) << made.body;
    EXPECT_EQ(put("a: 2\n", {{"If-None-Match", "*"}}).status, 412);
    EXPECT_EQ(put("a: 2\n", {{"If-Match", "\"x\""}}).status, 412);
    const Answer changed = put("# mine\na: 2\n", {{"If-Match", made.header("ETag")}});
    EXPECT_EQ(changed.status, 200);
    EXPECT_EQ(put("a: 3\n", {{"If-Match", made.header("ETag")}}).status, 412) << "lost update";
    const Answer read = server.get("/api/v1/specs/demo");
    EXPECT_EQ(string_at(read.object(), "yaml"), "# mine\na: 2\n");
    EXPECT_EQ(read.header("ETag"), changed.header("ETag"));
    EXPECT_EQ(server.send("DELETE", "/api/v1/specs/demo").status, 204);
    EXPECT_EQ(server.get("/api/v1/specs/demo").status, 404);
}

TEST_F(SpecsTest, NamesStayInTheFolder) {
    for (const char* name : {"A", "-x", ".x", "a%20b"})
        EXPECT_EQ(server.send("PUT", fmt::format("/api/v1/specs/{}", name), R"({"yaml":"a: 1"})",
                              {{"If-None-Match", "*"}})
                          .status /
                      100,
                  4)
            << name;
}

TEST_F(SpecsTest, SecretsAreSealedAndReachOnlyTheChildsInput) {
    put("a: 1\n", {{"If-None-Match", "*"}});
    EXPECT_EQ(
        server.send("PUT", "/api/v1/specs/demo/secrets/hosts.w9.password", R"({"value":"canary"})")
            .status,
        404);
    EXPECT_EQ(
        server
            .send("PUT", "/api/v1/specs/demo/secrets/hosts.w1.password", R"({"value":"canary-7"})")
            .status,
        204);
    const Answer list = server.get("/api/v1/specs/demo/secrets");
    EXPECT_THAT(list.body, HasSubstr(R"({"path":"hosts.w1.password","kept":true})"));
    EXPECT_THAT(list.body, HasSubstr(R"({"path":"hosts.w1.become.password","kept":false})"));
    for (const auto& entry : std::filesystem::recursive_directory_iterator(server.state())) {
        if (entry.is_regular_file()) {
            EXPECT_THAT(read_file(entry.path()), Not(HasSubstr("canary"))) << entry.path();
        }
    }
    const json::object ended = job("preflight", {{"simulate", "demo"}, {"ignore", {"HOST-CPU"}}});
    EXPECT_EQ(string_at(ended, "state"), "succeeded") << json::serialize(ended);
    const json::object& result = ended.at("result").as_object();
    EXPECT_EQ(string_at(result.at("input").as_object(), "login password of w1"), "canary-7");
    EXPECT_THAT(string_at(result, "words"),
                ::testing::AllOf(HasSubstr("preflight --simulate=demo --ignore=HOST-CPU -c "),
                                 HasSubstr("--secrets-stdin"), Not(HasSubstr("canary"))));
    EXPECT_EQ(server.send("DELETE", "/api/v1/specs/demo/secrets/hosts.w1.password").status, 204);
    EXPECT_THAT(server.get("/api/v1/specs/demo/secrets").body, Not(HasSubstr("true")));
}

TEST_F(SpecsTest, AScanIsAJobOfABoundedRange) {
    for (const char* network : {"10.0.0.0/21", "fd00::/64", "-x", "nonsense", ""})
        EXPECT_EQ(server.post("/api/v1/scan", {{"network", network}}).status, 422) << network;
    for (const json::value& port : {json::value(0), json::value(65536), json::value("22")})
        EXPECT_EQ(server.post("/api/v1/scan", {{"network", "10.0.0.0/24"}, {"port", port}}).status,
                  422);
    const Answer begun = server.post("/api/v1/scan", {{"network", "10.0.0.7/24"}, {"port", 2222}});
    ASSERT_EQ(begun.status, 202) << begun.body;
    const Answer ended = server.get(begun.header("Location") + "?wait=30");
    EXPECT_EQ(string_at(ended.object(), "kind"), "scan");
    EXPECT_THAT(string_at(ended.object().at("result").as_object(), "words"),
                HasSubstr("hosts scan 10.0.0.0/24 --port=2222"));
}

TEST_F(SpecsTest, ProfilesAreNamesNotFiles) {
    put("a: 1\n", {{"If-None-Match", "*"}});
    for (const char* profile : {"/etc/passwd", "../x", "-x", ""})
        EXPECT_EQ(server.post("/api/v1/specs/demo/plan", {{"simulate", profile}}).status, 422)
            << profile;
}

TEST_F(SpecsTest, AJobThatFailsPassesTheErrorOn) {
    put("a: 1\n", {{"If-None-Match", "*"}});
    program(
        "echo looking >&2; echo '{\"error\":{\"class\":\"host\",\"id\":\"HOST-UNREACHABLE\","
        "\"message\":\"w1 does not answer\",\"remedy\":\"plug it in\"}}' >&2; exit 1");
    const json::object ended = job("plan");
    EXPECT_EQ(string_at(ended, "state"), "failed");
    EXPECT_EQ(ended.at("lines"), json::array{"looking"});
    const json::object& problem = ended.at("problem").as_object();
    EXPECT_EQ(string_at(problem, "id"), "HOST-UNREACHABLE");
    EXPECT_EQ(int_at(problem, "status"), 502);
    EXPECT_EQ(string_at(problem, "remedy"), "plug it in");
}

TEST_F(SpecsTest, AJobThatHangsIsCancelledAndItsProcessEnds) {
    put("a: 1\n", {{"If-None-Match", "*"}});
    program(fmt::format("echo $$ > {}/pid; exec sleep 600", server.state().string()));
    const Answer begun = server.post("/api/v1/specs/demo/plan");
    const std::string path = "/api/v1/jobs/" + string_at(begun.object(), "id");
    while (!std::filesystem::exists(server.state() / "pid")) std::this_thread::yield();
    EXPECT_EQ(server.send("DELETE", path).status, 204);
    EXPECT_EQ(string_at(server.get(path + "?wait=30").object(), "state"), "cancelled");
    const pid_t child = std::stoi("0" + read_file(server.state() / "pid"));
    EXPECT_NE(::kill(child, 0), 0);
}

TEST_F(SpecsTest, OnlySoManyJobsAtOnce) {
    put("a: 1\n", {{"If-None-Match", "*"}});
    program("exec sleep 600");
    for (std::size_t i = 0; i < Jobs::kMostRunning; ++i)
        EXPECT_EQ(server.post("/api/v1/specs/demo/plan").status, 202);
    EXPECT_EQ(server.post("/api/v1/specs/demo/plan").status, 503);
}

TEST_F(SpecsTest, AChildThatDiesIsAFailedRequestAndNothingElse) {
    put("a: 1\n", {{"If-None-Match", "*"}});
    program("kill -SEGV $$");
    EXPECT_EQ(server.post("/api/v1/specs/demo/apply").id(), "SERVER-CHILD");
    EXPECT_EQ(server.get("/healthz").status, 200);
    program("echo 'clock of w1 is wrong' >&2; exit 4");
    const Answer checks = server.post("/api/v1/specs/demo/apply");
    EXPECT_EQ(checks.id(), "SERVER-CHECKS-FAILED");
    EXPECT_THAT(checks.body, HasSubstr("clock of w1"));
}

TEST_F(SpecsTest, ApplyAnswersWithTheRunAndRemembersTheDraft) {
    put("a: 1\n", {{"If-None-Match", "*"}});
    program(R"(echo '{"cluster":"demo","run":3,"pid":1,"result":"detached"}')");
    const Answer begun = server.post("/api/v1/specs/demo/apply", {{"simulate", true}});
    EXPECT_EQ(begun.status, 202);
    EXPECT_EQ(begun.body, R"({"cluster":"demo","run":3})");
    EXPECT_EQ(server.services().drafts.draft_of("demo"), "demo");
    EXPECT_EQ(server.post("/api/v1/specs/demo/apply", {{"plan", "nothing"}}).status, 404);
}

TEST_F(SpecsTest, OnlyTheKeysThatWereNamedAreTrusted) {
    put("a: 1\n", {{"If-None-Match", "*"}});
    program(
        R"(printf '{"hosts":[{"host":"w1","address":"a","state":"trusted","fingerprint":"%s"}]}' "$*")");
    const json::object ended =
        job("hosts/trust", {{"keys", {{{"host", "w1"}, {"fingerprint", "SHA256:abc"}}}}});
    const std::string said = json::serialize(ended);
    EXPECT_THAT(said, HasSubstr("hosts trust --only=w1=SHA256:abc"));
    EXPECT_THAT(said, HasSubstr(R"("state":"known")"));
    EXPECT_EQ(server.post("/api/v1/specs/demo/hosts/trust", {{"keys", json::array()}}).status, 422);
    EXPECT_EQ(server
                  .post("/api/v1/specs/demo/hosts/trust",
                        {{"keys", {{{"host", "w1,w2=x"}, {"fingerprint", "y"}}}}})
                  .status,
              422);
}

// Whoever writes a spec may name programs of this computer in it.
TEST_F(SpecsTest, AreWrittenByAdminsAndUsedByOperators) {
    ASSERT_EQ(put("a: 1\n", {{"If-None-Match", "*"}}).status, 201);
    const net::Headers operate = {{"Authorization", "Bearer " + server.token(Role::operate)},
                                  {"Content-Type", "application/json"}};
    const auto as_operator = [&](const char* method, const std::string& path, const char* body) {
        return server.ask({.method = method, .target = path, .headers = operate, .body = body});
    };
    const std::string draft = "/api/v1/specs/demo";
    EXPECT_EQ(as_operator("PUT", draft, R"({"yaml":"a: 2"})").status, 403);
    EXPECT_EQ(as_operator("DELETE", draft, "").status, 403);
    EXPECT_EQ(as_operator("POST", draft + "/plan", "{}").status, 202);
}

TEST_F(SpecsTest, ATextOfWhoeverLooksIsCheckedWithoutFilesOfThisComputer) {
    server.set_program(R"(printf '{"valid":true,"problems":[],"spec":{"words":"%s"}}' "$*")");
    const Answer looked = server.post("/api/v1/validate", json::object{{"yaml", "a: 1"}});
    EXPECT_THAT(looked.body, Not(HasSubstr("--relative-to")));
    EXPECT_THAT(looked.body, HasSubstr("--no-files"));
}

// Its paths begin where plan and apply will look for them: beside the draft.
TEST_F(SpecsTest, PathsOfADraftBeginInItsFolder) {
    server.set_program(
        R"(cat >/dev/null; printf '{"valid":true,"problems":[],"spec":{"words":"%s"}}' "$*")");
    EXPECT_THAT(put("a: 1\n", {{"If-None-Match", "*"}}).body,
                HasSubstr("--relative-to " + (server.state() / ".server/specs").string()));
}

TEST_F(SpecsTest, ATextThatIsNoMapIsNoSpec) {
    server.set_program(R"(printf '{"valid":false,"problems":[],"spec":"text"}')");
    const Answer looked = server.post("/api/v1/validate", json::object{{"yaml", "text"}});
    EXPECT_FALSE(looked.object().contains("spec")) << looked.body;
    EXPECT_FALSE(put("text", {{"If-None-Match", "*"}}).object().contains("spec"));
}

TEST_F(SpecsTest, ADraftThatCannotBeLookedAtIsKeptAndSpoilsNoList) {
    server.set_program("exit 9");
    const Answer made = put("a: 1\n", {{"If-None-Match", "*"}});
    EXPECT_EQ(made.status, 201) << made.body;
    EXPECT_THAT(made.body, HasSubstr("SERVER-CHILD"));
    EXPECT_EQ(server.get("/api/v1/specs").status, 200);
}

TEST_F(SpecsTest, AsDeepAsASpecMayBe) {
    std::string deep = "1";
    for (int i = 0; i < 60; ++i) deep = "[" + deep + "]";
    server.set_program(fmt::format(
        "cat >/dev/null; echo '{{\"valid\":false,\"problems\":[],\"spec\":{{\"a\":{}}}}}'", deep));
    EXPECT_THAT(put("a: 1\n", {{"If-None-Match", "*"}}).body, HasSubstr(deep));
}

TEST_F(SpecsTest, APlanBringsItsOwnSpec) {
    ASSERT_EQ(put("a: 1\n", {{"If-None-Match", "*"}}).status, 201);
    const json::object planned = job("plan");
    server.set_program(fmt::format(
        "cat >/dev/null; printf '{{\"cluster\":\"demo\",\"run\":1}}'; echo \"$*\" >{}/words",
        server.state().string()));
    const Answer begun =
        server.post("/api/v1/specs/demo/apply", json::object{{"plan", string_at(planned, "id")}});
    EXPECT_EQ(begun.status, 202) << begun.body;
    const std::string words = read_file(server.state() / "words");
    EXPECT_THAT(words, HasSubstr("--plan="));
    EXPECT_THAT(words, Not(HasSubstr(" -c ")));
}

}  // namespace
}  // namespace slipway::server
