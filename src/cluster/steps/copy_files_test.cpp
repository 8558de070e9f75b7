// Copied files, templates and scripts of the user on simulated machines.
#include "base/files.hpp"
#include "base/testing/error_of.hpp"
#include "cluster/flows/flows.hpp"
#include "cluster/testing/sample_spec.hpp"
#include "cluster/testing/simulated_site.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::cluster {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using testing::differences;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::sample_spec;
using testing::SimulatedSite;

class CopyFiles : public ::testing::Test {
  protected:
    CopyFiles() {
        std::string pattern = (fs::temp_directory_path() / "slipway-copy-XXXXXX").string();
        folder_ = ::mkdtemp(pattern.data());
        fs::create_directories(folder_ / "conf/sub");
        atomic_write(folder_ / "conf/a.conf", "a\n", 0644);
        atomic_write(folder_ / "conf/sub/b.conf", "node = {{ host.name }}\n", 0644);
        atomic_write(folder_ / "motd", std::string("bytes \xff\0 {{ x }}", 15), 0755);
        config::FileCopy conf, motd;
        conf.from = (folder_ / "conf").string();
        conf.to = "/etc/site";
        conf.mode = "0600";
        conf.roles = {config::Role::worker};
        conf.is_template = true;
        motd.from = (folder_ / "motd").string();
        motd.to = "/etc/motd";
        spec_.hooks.files = {conf, motd};
    }
    ~CopyFiles() override { fs::remove_all(folder_); }

    const engine::Step* find(const std::vector<engine::Step>& steps, std::string_view node) {
        const auto at = std::ranges::find(steps, node, &engine::Step::node_id);
        return at == steps.end() ? nullptr : &*at;
    }

    fs::path folder_;
    config::Spec spec_ = sample_spec();
};

TEST_F(CopyFiles, PutsFilesAndFoldersInPlaceAndResetTakesThemAway) {
    SimulatedSite site(spec_);
    const json::object start = site.snapshot();
    ASSERT_EQ(site.apply().result, engine::RunResult::succeeded);
    EXPECT_EQ(site.file("w1", "/etc/site/a.conf"), "a\n");
    EXPECT_EQ(site.file("w1", "/etc/site/sub/b.conf"), "node = w1\n");
    EXPECT_EQ(site.file("w2", "/etc/site/sub/b.conf"), "node = w2\n");
    EXPECT_EQ(site.file("cp1", "/etc/site/a.conf"), "(absent)");
    EXPECT_EQ(site.file("cp1", "/etc/motd"), std::string("bytes \xff\0 {{ x }}", 15));
    EXPECT_EQ(site.host("w1").read_file("/etc/site/a.conf", {})->mode, 0600u);
    EXPECT_EQ(site.host("w1").read_file("/etc/motd", {})->mode, 0755u);
    EXPECT_EQ(site.apply().changed, 0u);
    EXPECT_EQ(site.reset().result, engine::RunResult::succeeded);
    EXPECT_THAT(differences(site.snapshot(), start), IsEmpty());
}

TEST_F(CopyFiles, ScriptsWaitForThem) {
    const auto steps = instantiate(prepare_hosts(), spec_, {});
    EXPECT_THAT(find(steps, "w1/pre-install-script-greet")->needs, ElementsAre("w1/copy-files"));
}

TEST_F(CopyFiles, AChangedFileChangesItsStepOnTheHostsConcerned) {
    const auto before = instantiate(prepare_hosts(), spec_, {});
    atomic_write(folder_ / "conf/a.conf", "b\n", 0644);
    const auto after = instantiate(prepare_hosts(), spec_, {});
    EXPECT_NE(find(before, "w1/copy-files")->inputs, find(after, "w1/copy-files")->inputs);
    EXPECT_EQ(find(before, "cp1/copy-files")->inputs, find(after, "cp1/copy-files")->inputs);
}

TEST_F(CopyFiles, WhatIsGoneByNowStopsAPlanButNoReset) {
    spec_.hooks.pre_install[0].script.clear();
    spec_.hooks.pre_install[0].file = (folder_ / "gone.sh").string();
    fs::remove(folder_ / "motd");
    EXPECT_EQ(slipway::testing::error_of([&] { instantiate(prepare_hosts(), spec_, {}); }),
              "FILE-UNREADABLE");
    EXPECT_NE(find(instantiate(prepare_hosts(), spec_, {}, {.undo = true}), "w1/copy-files"),
              nullptr);
}

TEST_F(CopyFiles, ATemplateThatWasChangedSinceItWasCheckedStopsThePlan) {
    atomic_write(folder_ / "conf/a.conf", "{{ nobody }}\n", 0644);
    EXPECT_EQ(slipway::testing::error_of([&] { instantiate(prepare_hosts(), spec_, {}); }),
              "TEMPLATE-UNDEFINED");
}

TEST_F(CopyFiles, ScriptsAreFilledInOnlyWhenTheySaySoTheirEnvironmentAlways) {
    spec_.hooks.values = {{"site", "berlin"}};
    config::Script& script = spec_.hooks.pre_install[0];
    script.script = "touch /srv/$WHO-{{ host.name }}\n";
    script.env = {{"WHO", "{{ values.site }}"}};
    const auto plain = instantiate(prepare_hosts(), spec_, {});
    EXPECT_EQ(find(plain, "w1/pre-install-script-greet")->inputs,
              find(plain, "w2/pre-install-script-greet")->inputs);
    script.is_template = true;
    const auto filled = instantiate(prepare_hosts(), spec_, {});
    EXPECT_NE(find(filled, "w1/pre-install-script-greet")->inputs,
              find(filled, "w2/pre-install-script-greet")->inputs);
    SimulatedSite site(spec_);
    ASSERT_EQ(site.apply().result, engine::RunResult::succeeded);
    EXPECT_EQ(site.file("w2", "/srv/berlin-w2"), "");
}

TEST_F(CopyFiles, ScriptsOnceTheClusterIsReadyWaitForAllHosts) {
    config::Script script;
    script.name = "register";
    script.roles = {config::Role::control_plane};
    script.script = "true\n";
    spec_.hooks.post_cluster_ready = {script};
    const auto steps = instantiate(prepare_hosts(), spec_, {});
    EXPECT_THAT(find(steps, "cp1/post-cluster-ready-script-register")->needs,
                ElementsAre("await-cluster"));
    EXPECT_THAT(find(steps, "await-cluster")->after, Contains("w2/set-sysctls"));
    EXPECT_EQ(find(steps, "w1/post-cluster-ready-script-register"), nullptr);
    EXPECT_THAT(find(steps, "w1/post-install-script-done")->needs, Contains("await-cluster"));
}

}  // namespace
}  // namespace slipway::cluster
