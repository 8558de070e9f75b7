#include "desk/state.hpp"

#include "base/digest.hpp"
#include "base/files.hpp"
#include "base/testing/error_of.hpp"
#include "desk/control.hpp"
#include "desk/run_view.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::desk {
namespace {

using ::testing::ElementsAre;

class StateTest : public ::testing::Test {
  protected:
    StateTest() { make_private_folders(cluster.folder); }
    ~StateTest() override { std::filesystem::remove_all(root); }

    const std::filesystem::path root =
        std::filesystem::path(::testing::TempDir()) / ("slipway-desk-" + random_hex(6));
    const ClusterFolder cluster{.name = "node10", .folder = root / "node10"};
};

TEST_F(StateTest, ClustersAreFoldersWithATraceAndNoneBeginsWithADot) {
    for (const char* name : {"node2", ".server", "empty"}) make_private_folders(root / name);
    atomic_write(root / "node2/seal.key", "x");
    atomic_write(root / ".server/seal.key", "x");
    atomic_write(cluster.journal(), "x");
    EXPECT_THAT(known_clusters(root), ElementsAre("node2", "node10"));
    EXPECT_TRUE(known_clusters(root / "nowhere").empty());
}

TEST_F(StateTest, ARunIsRunningWhileSomeoneHoldsTheLockElseInterrupted) {
    const auto journal = store::Journal::create_or_open(cluster.journal());
    EXPECT_EQ(slipway::testing::error_of([&] { find_run(*journal, cluster); }), "RUN-NONE");
    const std::int64_t id = journal->begin_run(
        {.kind = "apply", .options = R"({"ignoreChecks": ["HOST-CPU"]})", .started_ms = 1000});
    EXPECT_EQ(slipway::testing::error_of([&] { find_run(*journal, cluster, 9); }), "RUN-UNKNOWN");
    const store::Run run = find_run(*journal, cluster);
    EXPECT_EQ(result_of(run, living_run(cluster, *journal)), "interrupted");
    EXPECT_EQ(slipway::testing::error_of([&] { require_living_run(cluster, *journal); }),
              "RUN-NOT-ALIVE");
    const auto lock = store::RunLock::take(cluster.folder, "apply");
    EXPECT_EQ(living_run(cluster, *journal), id);
    EXPECT_EQ(result_of(run, id), "running");
    EXPECT_EQ(run_json(run, "running").at("ignoredChecks"), json::array{"HOST-CPU"});
}

}  // namespace
}  // namespace slipway::desk
