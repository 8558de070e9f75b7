#include "cluster/vault.hpp"

#include "base/base64.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/testing/error_of.hpp"
#include "config/yaml.hpp"
#include "pki/certificate.hpp"
#include "pki/kubeconfig.hpp"
#include "pki/testing/openssl_program.hpp"
#include "remote/testing/manual_clock.hpp"
#include "store/testing/sample_journal.hpp"

#include <filesystem>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::cluster {
namespace {

namespace fs = std::filesystem;
using slipway::testing::error_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr mode_t kPrivate = 0600;
constexpr std::int64_t kYearMs = 365ll * 24 * 3600 * 1000;

class VaultTest : public ::testing::Test {
  protected:
    Vault vault() { return {*journal_, clock_, settings_}; }
    void reopen() {
        journal_.reset();
        journal_ = store::Journal::create_or_open(folder_.journal());
    }

    // An authority in the user's folder, as kubeadm would find it.
    void give(const std::string& file, const pki::Authority& ca) {
        settings_.ca_folder = (folder_.path() / "own").string();
        const fs::path at = fs::path(settings_.ca_folder) / file;
        make_private_folders(at.parent_path());
        atomic_write(at.string() + ".crt", ca.certificate());
        atomic_write(at.string() + ".key", ca.key().reveal(), kPrivate);
    }
    pki::Authority site_authority(int years = 10) const {
        return pki::Authority::make("site-ca", years, clock_.wall_ms());
    }

    store::testing::TemporaryFolder folder_;
    remote::testing::ManualClock clock_;
    config::Certificates settings_;
    std::unique_ptr<store::Journal> journal_ = store::Journal::create_or_open(folder_.journal());
};

TEST_F(VaultTest, KeepsWhatTheUserGaveLast) {
    std::optional<std::string> file;
    const auto read = [&] { return file ? std::optional<Secret>(Secret(*file)) : std::nullopt; };
    EXPECT_EQ(vault().given_digest("k", read), "");
    EXPECT_EQ(error_of([&] { vault().given("k", read); }), "SECRET-GONE");
    file = "first";
    const std::string first = vault().given_digest("k", read);
    EXPECT_EQ(vault().given("k", read).reveal(), "first");
    file = "second";
    EXPECT_EQ(vault().given("k", read).reveal(), "second");
    file.reset();
    reopen();
    EXPECT_EQ(vault().given("k", read).reveal(), "second");
    EXPECT_NE(vault().given_digest("k", read), first);
}

TEST_F(VaultTest, MakesAnAuthorityOnceAndKeepsIt) {
    settings_.ca_years = 3;
    std::string certificate, key;
    {
        Vault first = vault();
        EXPECT_EQ(first.authority_certificate("kubernetes"), std::nullopt);
        const pki::Authority& ca = first.authority("kubernetes");
        EXPECT_EQ(&first.authority("kubernetes"), &ca);
        certificate = ca.certificate();
        key = std::string(ca.key().reveal());
        EXPECT_NE(first.authority("etcd").certificate(), certificate);
        EXPECT_EQ(first.authority_certificate("kubernetes"), certificate);
    }
    const pki::CertificateInfo info = pki::read_certificate(certificate);
    EXPECT_EQ(info.common_name, "kubernetes-ca");
    EXPECT_EQ(info.not_after_ms / 1000, (clock_.wall_ms() + 3 * kYearMs) / 1000);
    reopen();
    settings_.ca_years = 20;  // counts for new ones
    Vault second = vault();
    EXPECT_EQ(second.authority_certificate("kubernetes"), certificate);
    EXPECT_EQ(second.authority("kubernetes").certificate(), certificate);
    EXPECT_EQ(second.authority("kubernetes").key().reveal(), key);
}

TEST_F(VaultTest, NamesItsAuthorities) {
    Vault own = vault();
    std::vector<std::string> names;
    for (const char* name : {"kubernetes", "etcd", "front-proxy", "registry"})
        names.push_back(pki::read_certificate(own.authority(name).certificate()).common_name);
    EXPECT_THAT(names, ElementsAre("kubernetes-ca", "etcd-ca", "front-proxy-ca", "registry-ca"));
}

TEST_F(VaultTest, LeavesNoKeyOnTheDiskInClear) {
    Vault own = vault();
    const std::string keys[] = {std::string(own.authority("kubernetes").key().reveal()),
                                std::string(own.signing_key().key.reveal()),
                                "-----\nthe-token-of-this-test-0123456789abcdef"};
    own.secret("token", [&] { return Secret(keys[2]); });
    journal_.reset();
    int files = 0;
    for (const auto& entry : fs::recursive_directory_iterator(folder_.path())) {
        if (!entry.is_regular_file()) continue;
        ++files;
        const std::string bytes = read_file(entry.path());
        EXPECT_THAT(bytes, ::testing::Not(HasSubstr("PRIVATE KEY")));
        for (const std::string& key : keys) {
            const std::string piece = key.substr(key.find('\n') + 1, 24);
            EXPECT_THAT(bytes, ::testing::Not(HasSubstr(piece))) << entry.path();
        }
    }
    EXPECT_GE(files, 2);  // the journal and the key it is sealed with
}

TEST_F(VaultTest, GivesEveryThreadTheSame) {
    Vault own = vault();
    constexpr int kThreads = 8;
    std::vector<std::string> seen(kThreads);
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < kThreads; ++i)
            threads.emplace_back([&, i] {
                seen[static_cast<std::size_t>(i)] =
                    own.authority("kubernetes").certificate() + own.signing_key().public_key +
                    std::string(
                        own.secret("token", [&] { return Secret(std::to_string(i)); }).reveal());
            });
    }
    EXPECT_THAT(seen, ::testing::Each(seen.front()));
}

TEST_F(VaultTest, KeepsTheSigningKeyAndOtherSecrets) {
    const std::string public_key = vault().signing_key().public_key;
    EXPECT_EQ(vault().secret("token", [] { return Secret("first"); }).reveal(), "first");
    reopen();
    Vault second = vault();
    EXPECT_EQ(second.signing_key().public_key, public_key);
    EXPECT_EQ(second.secret("token", [] { return Secret("second"); }).reveal(), "first");
    EXPECT_EQ(second.secret("other", [] { return Secret("second"); }).reveal(), "second");
}

TEST_F(VaultTest, HandsOutNothingThatCouldNotBeSealed) {
    fs::remove(folder_.path() / "seal.key");
    fs::create_directory(folder_.path() / "seal.key");
    Vault own = vault();
    EXPECT_THROW(own.authority("kubernetes"), Error);
    EXPECT_EQ(own.authority_certificate("kubernetes"), std::nullopt);
    EXPECT_THROW(own.signing_key(), Error);
    EXPECT_THROW(own.secret("token", [] { return Secret("x"); }), Error);
}

TEST_F(VaultTest, TakesTheAuthoritiesThatAreGiven) {
    const pki::Authority site = site_authority(), etcd = site_authority();
    give("ca", site);
    give("etcd/ca", etcd);
    Vault own = vault();
    EXPECT_EQ(own.authority("kubernetes").certificate(), site.certificate());
    EXPECT_EQ(own.authority("etcd").certificate(), etcd.certificate());
    const auto front = pki::read_certificate(own.authority("front-proxy").certificate());
    EXPECT_EQ(front.common_name, "front-proxy-ca");  // none was given
    EXPECT_THAT(own.warnings(), IsEmpty());
    // Once sealed, the key may leave the computer, and the folder too.
    fs::remove(fs::path(settings_.ca_folder) / "ca.key");
    EXPECT_EQ(vault().authority("kubernetes").key().reveal(), site.key().reveal());
    fs::remove_all(settings_.ca_folder);
    EXPECT_EQ(vault().authority("kubernetes").certificate(), site.certificate());
}

TEST_F(VaultTest, RefusesAFolderWithoutAWholeAuthority) {
    const pki::Authority site = site_authority();
    give("ca", site);
    const fs::path own = settings_.ca_folder;
    const auto refused = [&](const char* name = "kubernetes") {
        return error_of([&] { vault().authority(name); });
    };
    fs::permissions(own / "ca.key", fs::perms::others_read, fs::perm_options::add);
    EXPECT_EQ(refused(), "SECRET-FILE-MODE");
    atomic_write(own / "ca.key", site_authority().key().reveal(), kPrivate);
    EXPECT_EQ(refused(), "PKI-INVALID");
    fs::remove(own / "ca.key");
    EXPECT_EQ(refused(), "PKI-INVALID");
    fs::remove(own / "ca.crt");
    EXPECT_EQ(refused(), "PKI-INVALID");
    atomic_write(own / "front-proxy-ca.crt", site.certificate());
    EXPECT_EQ(refused("front-proxy"), "PKI-INVALID");
    EXPECT_EQ(vault().authority_certificate("kubernetes"), std::nullopt);
}

TEST_F(VaultTest, NeverExchangesTheAuthorityOfACluster) {
    const std::string made = vault().authority("kubernetes").certificate();
    give("ca", site_authority());
    EXPECT_EQ(error_of([&] { vault().authority("kubernetes"); }), "PKI-OTHER-CA");
    settings_.ca_folder.clear();
    EXPECT_EQ(vault().authority("kubernetes").certificate(), made);
}

TEST_F(VaultTest, TakesARenewedCertificateOfTheSameKey) {
    const pki::Authority old = site_authority();
    give("ca", old);
    vault().authority("kubernetes");
    const fs::path own = settings_.ca_folder;
    const pki::testing::OpensslProgram openssl;
    openssl.run({"req", "-x509", "-key", own / "ca.key", "-subj", "/CN=site-ca", "-days", "9999",
                 "-out", own / "ca.crt"});
    const std::string renewed = vault().authority("kubernetes").certificate();
    EXPECT_EQ(renewed, read_file(own / "ca.crt"));
    EXPECT_NE(renewed, old.certificate());
    settings_.ca_folder.clear();
    reopen();
    EXPECT_EQ(vault().authority("kubernetes").certificate(), renewed);
}

TEST_F(VaultTest, WarnsOfAnAuthorityThatEndsBeforeItsCertificates) {
    give("ca", site_authority(1));
    settings_.leaf_days = 366;
    Vault own = vault();
    EXPECT_THAT(own.warnings(), IsEmpty());
    own.authority("kubernetes");
    own.authority("etcd");
    EXPECT_THAT(own.warnings(), ElementsAre(HasSubstr("the CA \"kubernetes\" ends on ")));
}

TEST_F(VaultTest, MakesAKubeconfigThatYamlReads) {
    Vault own = vault();
    const pki::Authority& ca = own.authority("kubernetes");
    const pki::KeyPair admin =
        ca.issue({.common_name = "kubernetes-admin", .organizations = {"kubeadm:cluster-admins"}},
                 clock_.wall_ms());
    const Secret text = pki::kubeconfig({.cluster = "yes",
                                         .server = "https://10.0.0.10:6443",
                                         .ca_pem = ca.certificate(),
                                         .user = "kubernetes-admin",
                                         .client_certificate = admin.certificate,
                                         .client_key = &admin.key});
    config::Findings findings;
    const auto root =
        config::parse_yaml({.file = "kubeconfig", .text = std::string(text.reveal())}, 0, findings);
    ASSERT_TRUE(root);
    const config::Node& cluster = *root->find("clusters")->items.at(0).find("cluster");
    EXPECT_EQ(cluster.find("server")->text, "https://10.0.0.10:6443");
    EXPECT_EQ(from_base64(cluster.find("certificate-authority-data")->text)->reveal(),
              ca.certificate());
    const config::Node& user = *root->find("users")->items.at(0).find("user");
    EXPECT_EQ(from_base64(user.find("client-key-data")->text)->reveal(), admin.key.reveal());
    EXPECT_EQ(from_base64(user.find("client-certificate-data")->text)->reveal(), admin.certificate);
    EXPECT_EQ(root->find("current-context")->text,
              root->find("contexts")->items.at(0).find("name")->text);
    EXPECT_EQ(root->find("clusters")->items.at(0).find("name")->text, "yes");
    EXPECT_TRUE(root->find("clusters")->items.at(0).find("name")->quoted);
}

}  // namespace
}  // namespace slipway::cluster
