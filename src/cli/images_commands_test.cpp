// `slipway images …` as a user types it, against the registry others use.
#include "base/files.hpp"
#include "cli/testing/ran.hpp"
#include "oci/client/testing/docker_registry.hpp"
#include "oci/client/testing/fake_registry.hpp"
#include "oci/testing/small_images.hpp"
#include "oci/testing/temp_folder.hpp"
#include "store/journal.hpp"

#include <csignal>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdlib.h>

namespace slipway::cli {
namespace {

using oci::testing::DockerRegistry;
using oci::testing::FakeRegistry;
using oci::testing::Faults;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::Ran;
namespace fs = std::filesystem;

class ImagesCommands : public ::testing::Test {
  protected:
    void SetUp() override {
        std::signal(SIGPIPE, SIG_IGN);
        oci::testing::sample_images().write_layout(folder_ / "images");
        folder_.write("recipe.yaml",
                      "apiVersion: slipway.dev/v1\nkind: Recipe\nmetadata: {name: demo}\n"
                      "spec: {images: [{oci-layout: images}]}\n");
        ASSERT_EQ(run({"bundle", "build", "-f", at("recipe.yaml"), "-o", at("x.bundle")}).code,
                  ExitCode::ok);
        folder_.write("password", "pass-word\n");
        fs::permissions(folder_ / "password", fs::perms::owner_read);
    }

    std::string at(std::string_view name) const { return (folder_ / name).string(); }
    Ran run(std::vector<std::string> args) {
        args.insert(args.end(), {"--state", at("state")});
        return testing::run_command(args);
    }
    Ran push(const std::string& to, std::vector<std::string> more) {
        more.insert(more.begin(), {"images", "push", at("x.bundle"), to, "--progress", "none"});
        return run(more);
    }

    // In the journal, or in the copy of it.
    bool is_kept(const std::string& secret) const {
        for (const fs::directory_entry& entry : fs::recursive_directory_iterator(at("state"))) {
            const std::string name = entry.path().filename();
            if (name == "journal.db" &&
                store::Journal::open_existing(entry.path())->open_secret(secret)) {
                return true;
            }
            if (name == "journal.db.last-good" &&
                read_file(entry.path()).find(secret) != std::string::npos) {
                return true;
            }
        }
        return false;
    }

    oci::testing::TempFolder folder_;
};

TEST_F(ImagesCommands, PushWithLoginAndAnOwnCa) {
    const DockerRegistry registry({.tls = true, .users = {{"ops", "pass-word"}}});
    const std::vector<std::string> how = {"--ca-file", registry.ca_file(), "--login",
                                          "ops",       "--password-file",  at("password")};
    const Ran first = push(registry.host() + "/k8s", how);
    EXPECT_EQ(first.code, ExitCode::ok) << first.err;
    EXPECT_THAT(first.out, HasSubstr("3 pushed, 0 were there, 0 failed"));
    EXPECT_THAT(first.err, HasSubstr("goes to " + registry.host() + "/k8s/"));
    std::vector<std::string> json = how;
    json.insert(json.end(), {"-o", "json"});
    const json::object second = push(registry.host() + "/k8s", json).object();
    EXPECT_EQ(second.at("result").as_string(), "succeeded");
    EXPECT_EQ(second.at("bytesUploaded").to_number<int>(), 0);
    EXPECT_EQ(second.at("images").as_array().size(), 3u);
    std::vector<std::string> list = {"images", "list", registry.host()};
    list.insert(list.end(), how.begin(), how.end());
    EXPECT_THAT(run(list).out, HasSubstr(registry.host() + "/k8s/one:v1"));
    // Strangers, and those with a wrong password, are told so and nothing is half done.
    EXPECT_EQ(push(registry.host(), {}).code, ExitCode::failed);
    folder_.write("wrong", "nonsense");
    fs::permissions(folder_ / "wrong", fs::perms::owner_read);
    const Ran wrong = push(registry.host(), {"--ca-file", registry.ca_file(), "--login", "ops",
                                             "--password-file", at("wrong")});
    EXPECT_EQ(wrong.code, ExitCode::failed);
    EXPECT_THAT(wrong.err, HasSubstr("REGISTRY-LOGIN"));
    EXPECT_THAT(wrong.err + first.err + first.out, Not(HasSubstr("pass-word")));
}

TEST_F(ImagesCommands, APushIsARun) {
    FakeRegistry fake;
    fake.faults([](Faults& f) { f.refuse = "one"; });
    const Ran first = push(fake.host(), {"--plain-http"});
    EXPECT_EQ(first.code, ExitCode::partial);
    EXPECT_THAT(first.out, HasSubstr("failed: " + fake.host() + "/one:v1: REGISTRY-DENIED"));
    EXPECT_THAT(first.err, HasSubstr("slipway resume images-127-0-0-1-"));
    EXPECT_EQ(push(fake.host(), {"--plain-http", "-o", "json"}).object().at("result").as_string(),
              "partial");
    EXPECT_THAT(run({"status"}).out, HasSubstr("images-push run 1, partial"));
    EXPECT_THAT(run({"events"}).out, HasSubstr("push-one-v1"));
    fake.faults([](Faults& f) { f.refuse = ""; });
    const Ran resumed = run({"resume", "--progress", "none", "-o", "json"});
    EXPECT_EQ(resumed.code, ExitCode::ok) << resumed.err;
    EXPECT_EQ(resumed.object().at("resumed"), true);
    EXPECT_EQ(resumed.object().at("blobsUploaded").to_number<int>(), 0);
    EXPECT_THAT(run({"status"}).out, HasSubstr("run 1, succeeded"));
}

TEST_F(ImagesCommands, APasswordIsSealedForResumeAndForgotten) {
    FakeRegistry fake;
    folder_.write("secret", "secret");
    fs::permissions(folder_ / "secret", fs::perms::owner_read);
    fake.faults([](Faults& f) {
        f.wants_token = true;
        f.refuse = "one";
    });
    EXPECT_EQ(
        push(fake.host(), {"--plain-http", "--login", "ops", "--password-file", at("secret")}).code,
        ExitCode::partial);
    fake.faults([](Faults& f) { f.refuse = ""; });
    EXPECT_TRUE(is_kept("registry/to"));
    const Ran resumed = run({"resume", "--progress", "none"});
    EXPECT_EQ(resumed.code, ExitCode::ok) << resumed.err;
    EXPECT_FALSE(is_kept("registry/to"));
    EXPECT_EQ(push(fake.host(), {"--plain-http", "--login", "ops:secret"}).code, ExitCode::usage);
}

TEST_F(ImagesCommands, ALoginOfDockerIsNotCopied) {
    FakeRegistry fake;
    fake.faults([](Faults& f) { f.refuse = "one"; });
    folder_.write("auth.json",
                  "{\"auths\":{\"" + fake.host() + "\":{\"auth\":\"b3BzOnNlY3JldA==\"}}}");
    ::setenv("REGISTRY_AUTH_FILE", at("auth.json").c_str(), 1);
    EXPECT_EQ(push(fake.host(), {"--plain-http"}).code, ExitCode::partial);
    ::unsetenv("REGISTRY_AUTH_FILE");
    EXPECT_FALSE(is_kept("registry/to"));
}

TEST_F(ImagesCommands, CopySyncImportAndList) {
    const DockerRegistry registry;
    const std::string& to = registry.host();
    EXPECT_EQ(run({"images", "copy", at("x.bundle"), to + "/a/b:c", "--only",
                   "registry.k8s.io/one:v1", "--plain-http", "--progress", "none"})
                  .code,
              ExitCode::ok);
    EXPECT_EQ(run({"images", "sync", to + "/a/b", to + "/copy", "--plain-http", "--from-plain-http",
                   "--progress", "none"})
                  .code,
              ExitCode::ok);
    folder_.write("oci.tar", oci::testing::sample_images().layout_tar());
    EXPECT_EQ(run({"images", "import", at("oci.tar"), to, "--keep-host", "--prefix", "p",
                   "--plain-http", "--progress", "none", "--rate", "100", "--parallel", "2"})
                  .code,
              ExitCode::ok);
    const std::string all = run({"images", "list", to, "--plain-http"}).out;
    for (const char* name : {"/a/b:c", "/copy/a/b:c", "/p/registry.k8s.io/one:v1"}) {
        EXPECT_THAT(all, HasSubstr(to + name));
    }
    EXPECT_THAT(run({"images", "list", at("x.bundle")}).out, HasSubstr("registry.k8s.io/one:v1"));
    EXPECT_EQ(run({"images", "copy", at("x.bundle"), to + "/a:b", "--plain-http"}).code,
              ExitCode::failed);  // which of them?
    EXPECT_EQ(run({"images", "import", at("absent"), to}).code, ExitCode::usage);
    EXPECT_EQ(push("https://" + to, {}).code, ExitCode::usage);
    EXPECT_EQ(push(to, {"--parallel", "0"}).code, ExitCode::usage);
}

}  // namespace
}  // namespace slipway::cli
