// The life of an apply as a whole, on simulated machines.
#include "cluster/operation.hpp"

#include "cluster/testing/sample_spec.hpp"
#include "engine/testing/memory_journal.hpp"
#include "remote/testing/test_fleet.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::cluster {
namespace {

using engine::testing::MemoryJournal;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// "ID host" of every check that fails, in a process of its own.
std::vector<std::string> failed_checks(remote::Fleet& fleet, const config::Spec& spec) {
    Operation operation(spec, fleet, system_clock());
    operation.gather_facts({});
    operation.probe_network({});
    std::vector<std::string> out;
    for (const CheckResult& result : operation.run_checks()) {
        if (result.outcome == CheckOutcome::failed) out.push_back(result.id + " " + result.host);
    }
    EXPECT_EQ(operation.looking_at(), "");
    return out;
}

TEST(Operation, WhatItPreparedItselfIsNoReasonToRefuseTheHostNextTime) {
    const config::Spec spec = testing::sample_spec();
    auto fleet = remote::testing::make_test_fleet({"cp1", "w1", "w2"});
    EXPECT_THAT(failed_checks(*fleet, spec), IsEmpty());
    MemoryJournal journal;
    Operation operation(spec, *fleet, system_clock());
    operation.gather_facts({});
    operation.probe_network({});
    operation.run_checks();
    EXPECT_TRUE(operation.checks_passed());
    EXPECT_EQ(operation.apply(journal, nullptr, {}).outcome.result, engine::RunResult::succeeded);
    EXPECT_THAT(failed_checks(*fleet, spec), IsEmpty());
}

TEST(Operation, AHostThatCannotBeEnteredIsOneFailedCheckAndTheOthersAreLookedAt) {
    const config::Spec spec = testing::sample_spec();
    auto fleet = remote::testing::make_test_fleet({"cp1", "w1", "w2"}, R"(
hosts:
  w1: {sudo-password: secret}
  w2: {facts: {memory-mib: 100}}
)");
    EXPECT_THAT(failed_checks(*fleet, spec),
                ElementsAre("HOST-ROOT w1", "HOST-MEMORY w2", "HOST-MEMORY-AVAILABLE w2"));
}

}  // namespace
}  // namespace slipway::cluster
