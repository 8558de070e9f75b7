#include "cluster/external_etcd.hpp"

#include "base/files.hpp"
#include "pki/authority.hpp"
#include "store/testing/sample_journal.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>

namespace slipway::cluster {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::int64_t kNow = 1'800'000'000'000;
constexpr std::int64_t kYearMs = 365ll * 24 * 3600 * 1000;

class ExternalEtcd : public ::testing::Test {
  protected:
    ExternalEtcd() {
        config::Etcd& etcd = loaded_.spec.etcd;
        etcd.mode = config::EtcdMode::external;
        etcd.endpoints = {"https://10.0.0.5:2379"};
        etcd.ca_file = file("ca.crt", ca_.certificate());
        etcd.cert_file = file("client.crt", client_.certificate);
        etcd.key.file = file("client.key", client_.key.reveal());
    }

    std::string file(const std::string& name, std::string_view content) const {
        const std::string path = (folder_.path() / name).string();
        atomic_write(path, content, 0600);
        return path;
    }

    std::vector<std::string> problems(std::int64_t now = kNow) const {
        std::vector<std::string> out;
        for (const config::Problem& one : check_external_etcd(loaded_, now))
            out.push_back(one.path + ": " + one.what);
        return out;
    }

    store::testing::TemporaryFolder folder_;
    pki::Authority ca_ = pki::Authority::make("their-ca", 1, kNow);
    pki::KeyPair client_ = ca_.issue({.common_name = "client", .days = 30}, kNow);
    config::LoadedSpec loaded_;
};

TEST_F(ExternalEtcd, WhatFitsHasNoProblem) {
    EXPECT_THAT(problems(), IsEmpty());
    EXPECT_EQ(read_external_etcd_key(loaded_.spec.etcd)->reveal(), client_.key.reveal());
    loaded_.spec.etcd.key.file += ".gone";
    EXPECT_EQ(read_external_etcd_key(loaded_.spec.etcd), std::nullopt);
    loaded_.spec.etcd.mode = config::EtcdMode::stacked;
    EXPECT_THAT(problems(), IsEmpty()) << "another mode has no such files";
}

TEST_F(ExternalEtcd, EverythingThatIsWrongIsSaidAtOnce) {
    const pki::KeyPair server =
        ca_.issue({.common_name = "server", .usage = pki::Usage::server}, kNow);
    loaded_.spec.etcd.ca_file = file("leaf.crt", client_.certificate);
    loaded_.spec.etcd.cert_file = file("server.crt", server.certificate);
    EXPECT_THAT(problems(), ElementsAre("etcd.caFile: client is no CA",
                                        "etcd.certFile: server is not for clients",
                                        "etcd.key: is not the key of etcd.certFile"));
}

TEST_F(ExternalEtcd, CertificatesThatHaveEndedAreNamed) {
    EXPECT_THAT(problems(kNow + 2 * kYearMs),
                ElementsAre(HasSubstr("etcd.caFile: their-ca ended on 2028-"),
                            HasSubstr("etcd.certFile: client ended on 2027-")));
}

TEST_F(ExternalEtcd, FilesThatAreMissingOrHoldSomethingElse) {
    loaded_.spec.etcd.ca_file += ".gone";
    loaded_.spec.etcd.cert_file = file("text", "no certificate");
    loaded_.spec.etcd.key.file = file("open.key", client_.key.reveal());
    ASSERT_EQ(::chmod(loaded_.spec.etcd.key.file.c_str(), 0644), 0);
    EXPECT_THAT(problems(), ElementsAre(HasSubstr("etcd.caFile: "), HasSubstr("etcd.certFile: "),
                                        HasSubstr("etcd.key: ")));
}

}  // namespace
}  // namespace slipway::cluster
