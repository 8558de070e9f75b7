#include "cli/checks_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::cli {
namespace {

using cluster::CheckOutcome;
using cluster::CheckResult;
using cluster::CheckSeverity;
using ::testing::HasSubstr;
using ::testing::Not;

CheckResult passed(std::string id, std::string host) {
    return {.id = std::move(id), .host = std::move(host), .seen = "fine"};
}

CheckResult failed(std::string id, std::string host, CheckSeverity severity,
                   std::string other = "") {
    return {.id = std::move(id),
            .host = std::move(host),
            .other_host = std::move(other),
            .outcome = CheckOutcome::failed,
            .severity = severity,
            .seen = "too little",
            .wanted = "more",
            .remedy = "add some"};
}

std::vector<CheckResult> sample() {
    return {passed("HOST-OS", "cp1"),
            passed("HOST-OS", "w1"),
            passed("HOST-MEMORY", "cp1"),
            failed("HOST-MEMORY", "w1", CheckSeverity::error),
            failed("HOST-CPU", "cp1", CheckSeverity::warning),
            passed("CLUSTER-NODE-PODS", "")};
}

TEST(ChecksTable, ShowsAGridOfFailedChecksWithWhatToDoBelow) {
    EXPECT_EQ(checks_table(sample(), {}, false, 80),
              "CHECK           cp1      w1      (cluster)\n"
              "HOST-MEMORY     ok       FAILED  -\n"
              "HOST-CPU        warning  -       -\n"
              "2 other checks  ok       ok      ok\n"
              "\n"
              "failed   HOST-MEMORY  w1\n"
              "         seen    too little\n"
              "         wanted  more\n"
              "         remedy  add some\n"
              "warning  HOST-CPU  cp1\n"
              "         seen    too little\n"
              "         wanted  more\n"
              "         remedy  add some\n"
              "Checks: 4 passed, 1 failed, 1 warnings\n");
}

TEST(ChecksTable, VerboseHasARowForEveryCheck) {
    const std::string text = checks_table(sample(), {.unicode = true}, true, 80);
    EXPECT_THAT(text, HasSubstr("HOST-OS            ✓          ✓         ·\n"));
    EXPECT_THAT(text, HasSubstr("CLUSTER-NODE-PODS  ·          ·         ✓\n"));
    EXPECT_THAT(text, HasSubstr("✗ failed"));
    EXPECT_THAT(text, Not(HasSubstr("other checks")));
}

TEST(ChecksTable, AllWellIsOneRow) {
    EXPECT_EQ(checks_table({passed("HOST-OS", "w10"), passed("HOST-OS", "w2")}, {}, false, 80),
              "CHECK         w2  w10\n"
              "all 1 checks  ok  ok\n"
              "\n"
              "Checks: 2 passed, 0 failed, 0 warnings\n");
}

TEST(ChecksTable, IsAListWhereTheGridDoesNotFit) {
    EXPECT_THAT(checks_table(sample(), {}, false, 30), Not(HasSubstr("CHECK ")));
    EXPECT_THAT(checks_table(sample(), {}, true, 30), HasSubstr("passed   HOST-OS  cp1, w1: fine"));
    std::vector<CheckResult> many;
    for (int i = 0; i < 9; ++i) many.push_back(passed("HOST-OS", "w" + std::to_string(i)));
    EXPECT_THAT(checks_table(many, {}, false, 1000), Not(HasSubstr("CHECK ")));
}

TEST(ChecksTable, HostsWithTheSameAnswerShareIt) {
    std::vector<CheckResult> checks;
    for (int i = 0; i < 1000; ++i)
        checks.push_back(failed("HOST-OS", "w" + std::to_string(i), CheckSeverity::warning));
    EXPECT_EQ(checks_table(checks, {}, false, 80),
              "warning  HOST-OS  w0, w1, w2, w3, w4 and 995 more\n"
              "         seen    too little\n"
              "         wanted  more\n"
              "         remedy  add some\n"
              "Checks: 0 passed, 0 failed, 1000 warnings\n");
}

TEST(ChecksTable, PairsAndIgnoredChecksAreToldApart) {
    CheckResult pair = failed("NET-REACH-API", "cp1", CheckSeverity::error, "w1");
    pair.ignored = true;
    const std::string text = checks_table({pair}, {}, false, 80);
    EXPECT_THAT(text, HasSubstr("ignored  NET-REACH-API  cp1 and w1\n"));
    EXPECT_THAT(text, HasSubstr("0 failed, 0 warnings, 1 ignored"));
}

TEST(ChecksTable, WhatAHostSaysCannotDriveTheTerminal) {
    CheckResult hostile = failed("HOST-OS", "w1", CheckSeverity::warning);
    hostile.seen = "\x1b[2J";
    EXPECT_THAT(checks_table({hostile}, {}, false, 80), Not(HasSubstr("\x1b")));
}

TEST(ChecksJson, HasEverythingOfEachAnswer) {
    const json::object object =
        checks_json({failed("HOST-OS", "w1", CheckSeverity::error, "w2")}, false);
    EXPECT_EQ(json::serialize(object),
              R"({"passed":false,"checks":[{"id":"HOST-OS","host":"w1","result":"failed",)"
              R"("severity":"error","ignored":false,"seen":"too little","wanted":"more",)"
              R"("remedy":"add some","otherHost":"w2"}]})");
}

}  // namespace
}  // namespace slipway::cli
