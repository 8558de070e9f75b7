#include "server/run_views.hpp"

#include "oci/testing/temp_folder.hpp"
#include "remote/testing/manual_clock.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::server {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class RunViewsTest : public ::testing::Test {
  protected:
    void finish_step(const std::string& step) {
        journal->append_events({{.run = run,
                                 .at_ms = 2,
                                 .type = "step.finished",
                                 .level = "info",
                                 .host = "w1",
                                 .step = step,
                                 .body = R"({"outcome":"changed"})"}});
        journal->flush();
    }
    std::string seen() { return views.of(cluster, *journal->run(run), *journal); }

    oci::testing::TempFolder folder;
    const desk::ClusterFolder cluster{.name = "demo", .folder = folder.path()};
    const std::unique_ptr<store::Journal> journal =
        store::Journal::create_or_open(cluster.journal());
    const std::int64_t run =
        journal->begin_run({.kind = "apply", .plan_hash = "p", .spec = "{}", .started_ms = 1});
    remote::testing::ManualClock clock;
    RunViews views{clock};
};

TEST_F(RunViewsTest, OfARunThatGoesOnAreAsFreshAsItsEvents) {
    finish_step("one");
    EXPECT_THAT(seen(), HasSubstr("\"one\""));
    finish_step("two");
    EXPECT_THAT(seen(), Not(HasSubstr("\"two\"")));
    clock.advance(RunViews::kFresh);
    EXPECT_THAT(seen(), HasSubstr("\"two\""));
}

TEST_F(RunViewsTest, OfARunThatIsOverHaveItsLastEvent) {
    finish_step("one");
    EXPECT_THAT(seen(), HasSubstr("\"one\""));
    finish_step("last");
    journal->finish_run(run, "succeeded", 3);
    EXPECT_THAT(seen(), HasSubstr("\"last\""));
    finish_step("later");
    EXPECT_THAT(seen(), HasSubstr("\"later\""));
}

TEST_F(RunViewsTest, AreKeptForSomeRunsOnly) {
    for (std::size_t i = 0; i < 3 * RunViews::kMost; ++i) {
        const std::string name = fmt::format("c{}", i);
        EXPECT_THAT(
            views.of({.name = name, .folder = cluster.folder / name}, {.id = run}, *journal),
            HasSubstr(name));
    }
}

}  // namespace
}  // namespace slipway::server
