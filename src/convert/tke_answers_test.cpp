#include "convert/tke_answers.hpp"

#include <fmt/format.h>
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

TEST(TkeStatus, EveryReasonHasItsCode) {
    const auto reason = [](TkeReason given) {
        const json::object status = tke_status(given, "x");
        EXPECT_EQ(status.at("code"), tke_code(given));
        return fmt::format("{} {}", tke_code(given), string_at(status, "reason"));
    };
    EXPECT_EQ(reason(TkeReason::already_exists), "409 AlreadyExists");
    EXPECT_EQ(reason(TkeReason::conflict), "409 Conflict");
    EXPECT_EQ(reason(TkeReason::invalid), "422 Invalid");
    EXPECT_EQ(reason(TkeReason::unauthorized), "401 Unauthorized");
    EXPECT_EQ(reason(TkeReason::unavailable), "503 ServiceUnavailable");
}

constexpr const char* kSent = R"({
  "cluster": {"spec": {"type": "Baremetal", "dnsDomain": "north.local", "tenantID": "canary-tenant",
    "machines": [{"ip": "192.0.2.11", "port": 2222, "username": "ops",
      "password": "Y2FuYXJ5LXBhc3N3b3Jk", "privateKey": "Y2FuYXJ5LWtleQ==", "passPhrase": "canary-phrase",
      "labels": {"a.b/c": "x"}}]}},
  "Config": {"basic": {"username": "admin", "password": "canary-console"}, "gateway": {"domain": "canary"},
    "expansionApps": [{"Name": "g", "Enable": true, "Chart": {"Name": "grafana", "Version": "1.0.0",
      "Values": {"adminPassword": "canary-chart"}}}]}})";

TEST(TkePara, HoldsWhatTheSpecHasAndNoSecret) {
    const Conversion conversion =
        convert({"tke.json", kSent}, {.from = Format::tke, .prompt_for_secrets = true});
    const json::object effective = parse_json(R"({"spec": {"kubernetes": {"version": "v1.34.11",
          "networks": {"pods": ["10.1.0.0/16", "fd00::/64"]}, "dnsDomain": "north.local"}}})",
                                              "test")
                                       .as_object();
    const json::object para =
        tke_para(parse_json(kSent, "test").as_object(), conversion, effective);
    const std::string text = json::serialize(para);
    EXPECT_EQ(text.find("canary"), std::string::npos) << text;
    EXPECT_EQ(text.find("Y2FuYXJ5"), std::string::npos) << text;
    const json::object& cluster = para.at("cluster").as_object();
    EXPECT_EQ(cluster.at("metadata").at("name"), "global");
    const json::object& spec = cluster.at("spec").as_object();
    EXPECT_EQ(spec.at("version"), "1.34.11");
    EXPECT_EQ(spec.at("clusterCIDR"), "10.1.0.0/16,fd00::/64");
    EXPECT_EQ(json::serialize(spec.at("machines")),
              R"([{"ip":"192.0.2.11","port":2222,"username":"ops","labels":{"a.b/c":"x"}}])");
    EXPECT_TRUE(para.contains("Config"));
}

}  // namespace

}  // namespace slipway::convert
