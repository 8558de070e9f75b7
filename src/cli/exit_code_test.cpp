#include "cli/exit_code.hpp"

#include <set>

#include <gtest/gtest.h>

namespace slipway::cli {
namespace {

TEST(ExitCode, ErrorsMapToTheirDocumentedCodes) {
    EXPECT_EQ(exit_code_of(UserError("X", "x")), ExitCode::failed);
    EXPECT_EQ(exit_code_of(StateError("X", "x")), ExitCode::failed);
    EXPECT_EQ(exit_code_of(LockedError("STATE-LOCKED", "x")), ExitCode::locked);
    EXPECT_EQ(exit_code_of(UsageError("X", "x")), ExitCode::usage);
    EXPECT_EQ(exit_code_of(SpecInvalid({})), ExitCode::spec_invalid);
    EXPECT_EQ(exit_code_of(VerificationError("X", "x")), ExitCode::verification_failed);
    EXPECT_EQ(exit_code_of(Cancelled()), ExitCode::interrupted);
    EXPECT_EQ(exit_code_of(std::runtime_error("x")), ExitCode::failed);
}

TEST(ExitCode, ResultsOfRunsMapToTheirDocumentedCodes) {
    EXPECT_EQ(exit_code_of(engine::RunResult::succeeded), ExitCode::ok);
    EXPECT_EQ(exit_code_of(engine::RunResult::partial), ExitCode::partial);
    EXPECT_EQ(exit_code_of(engine::RunResult::failed), ExitCode::failed);
    EXPECT_EQ(exit_code_of(engine::RunResult::cancelled), ExitCode::interrupted);
}

TEST(ExitCode, NumbersAreThoseScriptsRelyOn) {
    std::set<int> numbers;
    for (const ExitCodeRow& row : exit_codes()) numbers.insert(static_cast<int>(row.code));
    EXPECT_EQ(numbers, (std::set<int>{0, 1, 2, 3, 4, 5, 6, 8, 64, 130}));
}

TEST(ExitCode, InvalidSpecCountsErrorsAndNotNotices) {
    config::Problem error;
    config::Problem notice;
    notice.severity = config::Severity::notice;
    EXPECT_EQ(SpecInvalid({error, notice, error}).message(), "the spec has 2 problems");
    EXPECT_EQ(SpecInvalid({error}).message(), "the spec has 1 problem");
}

}  // namespace
}  // namespace slipway::cli
