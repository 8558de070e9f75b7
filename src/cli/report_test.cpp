#include "cli/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::cli {
namespace {

using ::testing::HasSubstr;

cluster::RunReport partial_report() {
    cluster::RunReport report;
    report.run = 3;
    report.outcome.result = engine::RunResult::partial;
    report.outcome.changed = 4;
    report.outcome.failed = 1;
    report.outcome.blocked = 2;
    report.outcome.set_aside = {"w2"};
    report.outcome.duration = Millis(61'500);
    report.outcome.failures = {{.node = "w2/set-sysctls",
                                .host = "w2",
                                .step = "set-sysctls",
                                .error = "HOST-LOST",
                                .message = "w2 does not answer",
                                .cause = "the link is down",
                                .remedy = "plug it in"}};
    return report;
}

TEST(Report, NamesEveryFailureWithCauseRemedyAndNextCommand) {
    EXPECT_EQ(report_text("demo", "apply", partial_report(), {}),
              "apply of demo is partial: w2 set aside\n"
              "  run 3: 4 changed, 0 unchanged, 0 skipped, 1 failed, 2 not started; 1 min 02 s\n"
              "\n"
              "failed[HOST-LOST]  w2  set-sysctls: w2 does not answer\n"
              "  cause   the link is down\n"
              "  remedy  plug it in\n"
              "  more    slipway logs w2/set-sysctls --cluster demo; slipway explain HOST-LOST\n");
    EXPECT_THAT(next_commands("demo", partial_report()), HasSubstr("slipway resume demo"));
}

TEST(Report, ObjectHasTheFieldsScriptsRelyOn) {
    config::Spec spec;
    for (const char* name : {"w1", "w2"}) {
        config::Host host;
        host.name = name;
        spec.hosts.push_back(host);
    }
    const json::object object = report_json("demo", "apply", partial_report(), spec);
    EXPECT_EQ(object.at("result"), "partial");
    EXPECT_EQ(object.at("changed"), 4);
    EXPECT_EQ(object.at("skipped"), 0);
    EXPECT_EQ(object.at("failed"), 1);
    EXPECT_EQ(object.at("seconds"), 61.5);
    EXPECT_EQ(object.at("hosts").at(0).at("state"), "done");
    EXPECT_EQ(object.at("hosts").at(1).at("state"), "set-aside");
}

TEST(Report, SecondApplySaysThatNothingWasToDo) {
    cluster::RunReport report;
    report.outcome.unchanged = 12;
    EXPECT_THAT(report_text("demo", "apply", report, {}),
                HasSubstr("nothing to do: demo is as the spec says"));
    EXPECT_EQ(next_commands("demo", report), "");
}

}  // namespace
}  // namespace slipway::cli
