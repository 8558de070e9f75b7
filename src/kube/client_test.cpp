// The client and what is made of the answers, against a server with TLS that plays the API.
#include "base/base64.hpp"
#include "base/testing/error_of.hpp"
#include "kube/overview.hpp"
#include "net/http_server.hpp"
#include "pki/testing/test_pair.hpp"

#include <csignal>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::kube {
namespace {

using ::testing::HasSubstr;

const std::map<std::string, std::string>& answers() {
    static const std::map<std::string, std::string> all = {
        {"/version", R"({"gitVersion": "v1.34.11"})"},
        {"/readyz", "ok"},
        {"/api/v1/nodes", R"({"items": [
          {"metadata": {"name": "n10", "labels": {"node-role.kubernetes.io/worker": ""}},
           "spec": {"unschedulable": true},
           "status": {"nodeInfo": {"kubeletVersion": "v1.34.10"},
                      "conditions": [{"type": "Ready", "status": "Unknown", "message": "stopped posting"}],
                      "addresses": [{"type": "Hostname", "address": "n10"},
                                    {"type": "InternalIP", "address": "127.0.0.1"}]}},
          {"metadata": {"name": "n2", "labels": {"node-role.kubernetes.io/control-plane": ""}},
           "status": {"nodeInfo": {"kubeletVersion": "v1.34.11", "containerRuntimeVersion": "containerd://2.1.4"},
                      "conditions": [{"type": "Ready", "status": "True"}],
                      "addresses": [{"type": "InternalIP", "address": "127.0.0.1"}]}}]})"},
        {"/api/v1/namespaces/kube-system/pods", R"({"items": [
          {"metadata": {"name": "etcd-n2", "annotations": {"kubernetes.io/config.mirror": "x"}},
           "spec": {"nodeName": "n2", "containers": [{"image": "r:5000/etcd:3.6.5@sha256:00"}]},
           "status": {"conditions": [{"type": "Ready", "status": "True"}]}},
          {"metadata": {"name": "coredns-1"}, "spec": {}}, 7]})"},
        {"/apis/apps/v1/daemonsets", R"({"items": [
          {"metadata": {"name": "kube-proxy", "namespace": "kube-system"},
           "spec": {"template": {"spec": {"containers": [{"image": "r:5000/kube-proxy"}]}}},
           "status": {"numberReady": 1, "desiredNumberScheduled": 2}}]})"},
        {"/apis/apps/v1/deployments", R"({"items": [
          {"metadata": {"name": "coredns", "namespace": "kube-system"}, "spec": {"replicas": 2}}]})"},
        {"/apis/apps/v1/statefulsets", "[]"},
    };
    return all;
}

class KubeClient : public ::testing::Test {
  protected:
    KubeClient()
        : ca_(pki::testing::test_authority()),
          server_(net::Listener("127.0.0.1:0"), {.tls = context()}, &KubeClient::answer) {
        std::signal(SIGPIPE, SIG_IGN);  // as the program does
    }

    net::TlsContext context() {
        pki::KeyPair own = pki::testing::server_pair(ca_, {"127.0.0.1"});
        return net::TlsContext::server(
            {.certificate_pem = own.certificate, .key_pem = std::move(own.key)});
    }

    static void answer(net::Request& request, net::Response& response) {
        if (request.headers.find("authorization").value_or("") != "Bearer good") {
            response.status = 403;
            response.body = std::string(R"({"kind": "Status", "message": "nobody may"})");
            return;
        }
        const auto found = answers().find(request.target.path);
        response.status = found == answers().end() ? 404 : 200;
        response.body = found == answers().end() ? std::string("nothing here") : found->second;
    }

    Access access(const std::string& token = "good") {
        return {.server = "https://" + server_.address(),
                .ca_pem = ca_.certificate(),
                .token = Secret(token)};
    }

    pki::Authority ca_;
    net::HttpServer server_;
};

TEST_F(KubeClient, AnswersAreJsonAndRefusalsHaveTheServersWords) {
    Client client(access());
    EXPECT_EQ(client.get("/version").at("gitVersion").as_string(), "v1.34.11");
    EXPECT_EQ(client.text("/readyz"), "ok");
    EXPECT_EQ(testing::error_of([&] { client.get("/nothing"); }), "KUBE-REFUSED");
    EXPECT_EQ(testing::error_of([&] { client.get("/readyz"); }), "KUBE-REFUSED");
    Client stranger(access("bad"));
    try {
        stranger.get("/version");
        FAIL();
    } catch (const std::exception& e) {
        EXPECT_THAT(e.what(), HasSubstr("nobody may"));
    }
}

TEST_F(KubeClient, TheOverviewHoldsNodesInOrderAndWhatRuns) {
    Client client(access());
    const Overview seen = look_at(client);
    EXPECT_EQ(seen.version, "v1.34.11");
    EXPECT_TRUE(seen.ready);
    ASSERT_EQ(seen.nodes.size(), 2u);
    EXPECT_EQ(seen.nodes[0].name, "n2");
    EXPECT_EQ(seen.nodes[0].roles, "control-plane");
    EXPECT_TRUE(seen.nodes[0].ready);
    EXPECT_FALSE(seen.nodes[1].ready);
    EXPECT_FALSE(seen.nodes[1].schedulable);
    EXPECT_EQ(seen.nodes[1].why, "stopped posting");
    EXPECT_EQ(seen.nodes[1].address, "127.0.0.1");
    std::vector<std::string> rows;
    for (const ComponentRow& one : seen.components)
        rows.push_back(one.name + " " + one.kind + " " + std::to_string(one.ready) + "/" +
                       std::to_string(one.wanted) + " " + one.version);
    EXPECT_THAT(rows,
                ::testing::ElementsAre("coredns deployment 0/2 ", "etcd static pods 1/1 3.6.5",
                                       "kube-proxy daemon set 1/2 "));
}

TEST_F(KubeClient, CertificatesThatCannotBeSeenSayWhy) {
    const std::vector<CertificateRow> rows =
        certificates(access(), {{.name = "n1", .address = "127.0.0.1"}}, net::Millis(200));
    ASSERT_EQ(rows.size(), 2u);
    EXPECT_EQ(rows[0].what, "CA");
    EXPECT_GT(rows[0].ends_ms, 0);
    EXPECT_EQ(rows[1].what, "kubelet");
    EXPECT_THAT(rows[1].unknown, HasSubstr("127.0.0.1"));
}

}  // namespace
}  // namespace slipway::kube
