#include "cli/completion.hpp"

#include "cli/commands.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::cli {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;

// A world with the cluster demo, whose hosts depend on nothing.
std::vector<Candidate> world(Complete what, const Arguments& sofar) {
    if (what == Complete::cluster) return {{"demo"}, {"other"}};
    if (what == Complete::host) return {{sofar.value("CLUSTER", "none") + "-w1"}};
    if (what == Complete::node) return {{"set-sysctls"}, {"w1/set-sysctls"}};
    if (what == Complete::run) return {{"1"}, {"2"}};
    return {};
}

std::vector<std::string> offered(const std::vector<std::string>& words) {
    std::vector<std::string> texts;
    for (const Candidate& candidate : complete(words, all_commands(), world).candidates)
        texts.push_back(candidate.text);
    return texts;
}

TEST(Completion, OffersEveryVisibleCommand) {
    const std::vector<std::string> words = offered({""});
    for (const Command& command : all_commands()) {
        const std::string first(command.name.substr(0, command.name.find(' ')));
        if (command.hidden) {
            EXPECT_THAT(words, Not(Contains(first)));
        } else {
            EXPECT_THAT(words, Contains(first));
        }
    }
}

TEST(Completion, OffersEveryOptionOfTheCommand) {
    for (const Command& command : all_commands()) {
        if (command.name.find(' ') != std::string_view::npos) continue;
        const std::vector<std::string> words = offered({std::string(command.name), "--"});
        for (const Option& option : command.options)
            EXPECT_THAT(words, Contains(std::string(option.name)));
        EXPECT_THAT(words, Contains("--output"));
    }
}

TEST(Completion, KnowsWhatFollows) {
    EXPECT_THAT(offered({"pau"}), ElementsAre("pause"));
    EXPECT_THAT(offered({"runs", ""}), ElementsAre("show", "demo", "other"));
    EXPECT_THAT(offered({"runs", "show", ""}), ElementsAre("1", "2"));
    EXPECT_THAT(offered({"runs", "show", "--ga"}), ElementsAre("--gantt"));
    EXPECT_THAT(offered({"delegate", ""}), ElementsAre("list", "claim", "renew", "report"));
    EXPECT_THAT(offered({"-o", "j"}), ElementsAre("json"));
    EXPECT_THAT(offered({"apply", "--progress=p"}), ElementsAre("--progress=plain"));
    EXPECT_THAT(offered({"status", ""}), ElementsAre("demo", "other"));
    EXPECT_THAT(offered({"retry", "demo", "--host", ""}), ElementsAre("demo-w1"));
    EXPECT_THAT(offered({"logs", "w1/"}), ElementsAre("w1/set-sysctls"));
    EXPECT_THAT(offered({"events", "--run", ""}), ElementsAre("1", "2"));
    EXPECT_THAT(offered({"status", "demo", ""}), ElementsAre());
}

TEST(Completion, LeavesFilesToTheShell) {
    EXPECT_TRUE(complete({"plan", "-c", ""}, all_commands(), world).files);
    EXPECT_TRUE(complete({"plan", "--simulate="}, all_commands(), world).files);
    EXPECT_FALSE(complete({"plan", ""}, all_commands(), world).files);
    // The last place of merge takes any number of files, and its -o is not the global one.
    EXPECT_TRUE(complete({"bundle", "merge", "a", "b", ""}, all_commands(), world).files);
    EXPECT_TRUE(complete({"bundle", "merge", "a", "-o", ""}, all_commands(), world).files);
}

TEST(Completion, EveryShellAsksTheProgram) {
    for (const char* shell : {"bash", "zsh", "fish"}) {
        EXPECT_THAT(completion_script(shell), HasSubstr("slipway __complete --")) << shell;
    }
}

}  // namespace
}  // namespace slipway::cli
