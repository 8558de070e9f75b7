#include "convert/tke_answers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::convert {

namespace {

std::string status(TkeRun::State state) {
    return std::string(tke_progress({.state = state}).at("status").as_string());
}

TEST(TkeProgress, EveryStateHasItsWord) {
    EXPECT_EQ(status(TkeRun::State::none), "Unknown");
    EXPECT_EQ(status(TkeRun::State::running), "Doing");
    EXPECT_EQ(status(TkeRun::State::retrying), "Retrying");
    EXPECT_EQ(status(TkeRun::State::succeeded), "Success");
    EXPECT_EQ(status(TkeRun::State::failed), "Failed");
}

TEST(TkeProgress, ARunningOneHoldsOnlyItsLog) {
    const json::object progress = tke_progress({.state = TkeRun::State::running,
                                                .log = "cp1/set-hostname done\n",
                                                .url = "https://192.0.2.100:6443"});
    EXPECT_EQ(json::serialize(progress), R"({"status":"Doing","data":"cp1/set-hostname done\n"})");
}

TEST(TkeProgress, AFinishedOneSaysHowToReachTheClusterButNoSecret) {
    const json::object progress = tke_progress({.state = TkeRun::State::succeeded,
                                                .log = "done\n",
                                                .url = "https://192.0.2.100:6443",
                                                .domain = "api.demo.local",
                                                .ca_certificate = "PEM",
                                                .addresses = {"192.0.2.100", "192.0.2.11"}});
    EXPECT_EQ(json::serialize(progress),
              R"({"status":"Success","data":"done\n","url":"https://192.0.2.100:6443",)"
              R"("caCert":"UEVN","hosts":["192.0.2.100 api.demo.local"],)"
              R"("servers":["192.0.2.100","192.0.2.11"]})");
    for (const char* key : {"username", "password", "kubeconfig"})
        EXPECT_FALSE(progress.contains(key)) << key;
}

TEST(TkeStatus, HasTheShapeOfKubernetes) {
    EXPECT_EQ(
        json::serialize(tke_status(TkeReason::not_found, "no such cluster",
                                   {{.message = "is another", .field = "name"}})),
        R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",)"
        R"("message":"no such cluster","reason":"NotFound","details":{"causes":[)"
        R"({"reason":"FieldValueInvalid","message":"is another","field":"name"}]},"code":404})");
    EXPECT_FALSE(tke_status(TkeReason::bad_request, "x").contains("details"));
}

TEST(TkeStatus, TheKindOfErrorGivesTheCode) {
    EXPECT_EQ(tke_status(UserError("A-B", "x")).at("code"), 400);
    EXPECT_EQ(tke_status(LockedError("A-B", "x")).at("code"), 409);
    EXPECT_EQ(tke_status(HostError("A-B", "x")).at("code"), 500);
    const json::object status =
        tke_status(UserError("A-B", "it failed", {.cause = "why", .remedy = "do this"}));
    EXPECT_EQ(status.at("message"), "it failed: why; do this");
}

TEST(TkeStatus, ProblemsOfASpecAreCauses) {
    const json::object status =
        tke_status({{"SPEC-RANGE", {}, "hosts[0].port", "is 0", "use another"},
                    {"SPEC-LATER", {}, "hosts", "later", "wait", config::Severity::notice}});
    EXPECT_EQ(status.at("code"), 422);
    EXPECT_EQ(status.at("details").at("causes").as_array().size(), 1u);
    EXPECT_EQ(status.at("details").at("causes").at(0).at("field"), "hosts[0].port");
}

}  // namespace

}  // namespace slipway::convert
