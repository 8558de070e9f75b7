// Files of other installers become specs that validate.
#include "base/clock.hpp"
#include "base/digest.hpp"
#include "base/files.hpp"
#include "base/testing/source_tree.hpp"
#include "cli/testing/ran.hpp"
#include "pki/authority.hpp"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::Ran;
using testing::run_command;

class ConvertCommand : public ::testing::TestWithParam<std::string> {
  protected:
    void SetUp() override {
        folder_ =
            std::filesystem::path(::testing::TempDir()) / ("slipway-convert-" + random_hex(6));
        std::filesystem::create_directories(folder_);
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    static std::string sample(const std::string& name) {
        return testing_file("src/convert/testdata/" + name);
    }
    static std::string testing_file(const std::string& path) {
        return slipway::testing::source_file(path);
    }

    // What the samples name on this computer.
    void lay_out_files() const {
        const std::int64_t now = system_clock().wall_ms();
        pki::Authority ca = pki::Authority::make("etcd-ca", 1, now);
        const pki::KeyPair client = ca.issue({.common_name = "client", .days = 30}, now);
        write("etcd/ca.crt", ca.certificate());
        write("etcd/client.crt", client.certificate);
        write("etcd/client.key", client.key.reveal());
        write("files/limits.conf", "* soft nofile 65536\n");
        write("files/prepare.sh", "#!/bin/sh\n");
        write("manifests/extra.yaml", "apiVersion: v1\nkind: Namespace\nmetadata: {name: extra}\n");
    }
    void write(const std::string& path, std::string_view content) const {
        make_private_folders((folder_ / path).parent_path());
        atomic_write(folder_ / path, content, 0600);
    }

    std::string path(const std::string& name) const { return (folder_ / name).string(); }

    std::filesystem::path folder_;
};

TEST_P(ConvertCommand, MakesASpecThatValidates) {
    lay_out_files();
    const Ran made = run_command({"convert", sample(GetParam()), "--secrets", path("secrets")});
    ASSERT_EQ(made.code, ExitCode::ok) << made.err;
    write("cluster.yaml", made.out);
    const Ran judged = run_command({"validate", "-c", path("cluster.yaml")});
    EXPECT_EQ(judged.code, ExitCode::ok) << judged.out << made.out;
}

TEST_P(ConvertCommand, ValidatesWithSecretsInTheEnvironmentToo) {
    lay_out_files();
    write("cluster.yaml", run_command({"convert", sample(GetParam())}).out);
    const Ran judged = run_command({"validate", "-c", path("cluster.yaml")});
    EXPECT_EQ(judged.code, ExitCode::ok) << judged.out;
}

INSTANTIATE_TEST_SUITE_P(Samples, ConvertCommand,
                         ::testing::Values("tke-single.json", "tke-ha.json", "tke-third-party.json",
                                           "tke-state.json", "kubekey-ha.yaml",
                                           "kubekey-external-etcd.yaml", "kubekey-v4.yaml"));

using ConvertOne = ConvertCommand;

TEST_F(ConvertOne, TellsWhatIsNotInTheSpec) {
    const Ran made = run_command({"convert", sample("tke-ha.json")});
    EXPECT_THAT(made.out, HasSubstr("#   Config.ha.tke.vrid: "));
    EXPECT_THAT(made.out, HasSubstr("#   env SLIPWAY_SSH_PASSWORD_CP1: that of "));
    EXPECT_THAT(made.err, HasSubstr("have no counterpart"));
    EXPECT_THAT(made.out + made.err, Not(HasSubstr("one-and-same-secret")));
}

TEST_F(ConvertOne, NamesOfStepsAreThoseOfTheSteps) {
    const json::object made =
        run_command({"convert", sample("tke-ha.json"), "-o", "json"}).object();
    EXPECT_EQ(made.at("from"), "tke");
    const std::string listed = json::serialize(made.at("unsupported"));
    EXPECT_THAT(listed, HasSubstr("no step 'EnsureNoSuchThing'"));
    EXPECT_THAT(listed, HasSubstr("GPU drivers are not installed"));
    EXPECT_THAT(std::string(made.at("yaml").as_string()), HasSubstr("- EnsureSysctl\n"));
}

TEST_F(ConvertOne, RefusesWhatItDoesNotKnow) {
    write("other.yaml", "kind: Deployment\n");
    EXPECT_THAT(run_command({"convert", path("other.yaml")}).err, HasSubstr("CONVERT-UNKNOWN"));
    EXPECT_THAT(run_command({"convert", sample("tke-ha.json"), "--from", "kubekey"}).err,
                HasSubstr("CONVERT-UNKNOWN"));
    EXPECT_THAT(run_command({"convert", path("none.yaml")}).err, HasSubstr("FILE-UNREADABLE"));
}

TEST_F(ConvertOne, SaysByItsExitCodeThatSomethingIsMissing) {
    write("tke.json", R"({"cluster": {"spec": {"machines": []}}, "Config": {}})");
    const Ran made = run_command({"convert", path("tke.json")});
    EXPECT_EQ(made.code, ExitCode::spec_invalid);
    EXPECT_THAT(made.out, HasSubstr("# To look at before it is used:"));
}

}  // namespace
}  // namespace slipway::cli
