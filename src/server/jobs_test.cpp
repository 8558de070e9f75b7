#include "server/jobs.hpp"

#include "base/files.hpp"
#include "oci/testing/temp_folder.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace slipway::server {
namespace {

class JobsTest : public ::testing::Test {
  protected:
    JobsTest() { atomic_write(folder_ / "program", "#!/bin/sh\necho '{\"is\": \"so\"}'\n", 0700); }

    // Its id, when it has ended.
    static std::string ended(Jobs& jobs, bool keeps_plan = false) {
        const std::string id =
            jobs.start({.kind = "plan", .spec = "demo", .keeps_plan = keeps_plan});
        const auto job = jobs.look(id, std::chrono::seconds(20));
        EXPECT_EQ(job ? string_at(*job, "state") : "gone", "succeeded");
        return id;
    }

    oci::testing::TempFolder folder_;
    Children children_{(folder_ / "program").string(), folder_.path()};
};

TEST_F(JobsTest, ThoseThatEndedMakeRoomForNewOnes) {
    Jobs jobs(children_, folder_ / "plans", system_clock());
    const std::string first = ended(jobs), second = ended(jobs);
    for (std::size_t i = 2; i < Jobs::kMostKept; ++i) ended(jobs);
    EXPECT_TRUE(jobs.look(first).has_value());
    ended(jobs);
    EXPECT_FALSE(jobs.look(first).has_value());
    EXPECT_TRUE(jobs.look(second).has_value());
}

TEST_F(JobsTest, ResultsAreKeptUpToALimitAndTheLastAlways) {
    make_private_folders(folder_ / "plans");
    const std::size_t one = std::string_view(R"({"is":"so"})").size();
    Jobs jobs(children_, folder_ / "plans", system_clock(), 2 * one);
    const std::string first = ended(jobs, true);
    const auto plan = jobs.plan_file(first, "demo");
    atomic_write(plan, "a plan", 0600);
    const std::string second = ended(jobs), third = ended(jobs);
    EXPECT_FALSE(jobs.look(first).has_value());
    EXPECT_FALSE(std::filesystem::exists(plan));
    EXPECT_TRUE(jobs.look(second).has_value());
    EXPECT_TRUE(jobs.look(third).has_value());
    Jobs small(children_, folder_ / "plans", system_clock(), 1);
    EXPECT_TRUE(small.look(ended(small)).has_value());
}

}  // namespace
}  // namespace slipway::server
