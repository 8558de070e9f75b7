#include "cli/app.hpp"

#include "cli/commands.hpp"
#include "cli/help.hpp"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

ExitCode do_nothing(const Call&) { return ExitCode::ok; }

std::vector<Command> few_commands() {
    return {{.name = "plan",
             .summary = "Plan",
             .examples = "slipway plan",
             .options = {spec_option(), simulate_option(), yes_option()},
             .run = do_nothing},
            {.name = "logs",
             .summary = "Logs",
             .examples = "slipway logs x",
             .options = {cluster_option()},
             .positionals = {{.name = "STEP", .required = true}},
             .run = do_nothing},
            {.name = "delegate claim",
             .summary = "Claim",
             .examples = "slipway delegate claim x",
             .run = do_nothing},
            {.name = "delegate list",
             .summary = "List",
             .examples = "slipway delegate list",
             .run = do_nothing}};
}

struct Answer {
    std::string command;
    std::string group;
    bool help = false;
    Arguments arguments;
};

Answer parsed(const std::vector<std::string>& args) {
    const std::vector<Command> commands = few_commands();
    const Parsed p = parse(args, commands);
    return {.command = p.command == nullptr ? "" : std::string(p.command->name),
            .group = p.group,
            .help = p.help,
            .arguments = p.arguments};
}

// The remedy of the usage error these arguments cause, after its id.
std::string refusal(const std::vector<std::string>& args) {
    try {
        parsed(args);
    } catch (const UsageError& e) {
        return e.id() + ": " + e.message() + "; " + e.remedy();
    }
    return "accepted";
}

TEST(Parse, ACommandMayBeAGroupAsWell) {
    const std::vector<Command> commands = all_commands();
    const auto name = [&](const std::vector<std::string>& args) {
        return parse(args, commands).command->name;
    };
    EXPECT_EQ(name({"runs"}), "runs");
    EXPECT_EQ(name({"runs", "demo"}), "runs");
    EXPECT_EQ(name({"runs", "show", "3", "--cluster", "demo"}), "runs show");
    const Parsed shown = parse({"runs", "show", "3", "--gantt=x.svg", "-o", "json"}, commands);
    EXPECT_EQ(shown.arguments.value("RUN"), "3");
    EXPECT_EQ(shown.arguments.value("--gantt"), "x.svg");
    EXPECT_FALSE(shown.arguments.has("CLUSTER"));
}

TEST(Parse, GlobalOptionsStandBeforeOrAfterTheCommand) {
    EXPECT_EQ(parsed({"-o", "json", "plan"}).arguments.value("--output"), "json");
    EXPECT_EQ(parsed({"plan", "-o", "json"}).arguments.value("--output"), "json");
    EXPECT_EQ(parsed({"delegate", "claim", "--output=yaml"}).arguments.value("--output"), "yaml");
}

TEST(Parse, SpecFilesKeepTheirOrderAndADashIsStdin) {
    EXPECT_THAT(parsed({"plan", "-c", "b.yaml", "-c", "-", "--config", "a.yaml"})
                    .arguments.values("--config"),
                ElementsAre("b.yaml", "-", "a.yaml"));
}

TEST(Parse, SimulateTakesItsProfileOrNone) {
    EXPECT_TRUE(parsed({"plan", "--simulate", "-c", "x"}).arguments.has("--simulate"));
    EXPECT_EQ(parsed({"plan", "--simulate", "-c", "x"}).arguments.value("--simulate"), "");
    EXPECT_EQ(parsed({"plan", "--simulate=demo"}).arguments.value("--simulate"), "demo");
    EXPECT_EQ(parsed({"plan", "--simulate", "demo.yaml"}).arguments.value("--simulate"),
              "demo.yaml");
    EXPECT_FALSE(parsed({"plan"}).arguments.has("--simulate"));
}

TEST(Parse, FlagsPositionalsAndGroupsArrive) {
    EXPECT_TRUE(parsed({"plan", "--yes"}).arguments.has("--yes"));
    EXPECT_TRUE(parsed({"plan", "-y"}).arguments.has("--yes"));
    EXPECT_EQ(parsed({"logs", "w2/set-sysctls"}).arguments.value("STEP"), "w2/set-sysctls");
    EXPECT_EQ(parsed({"delegate", "claim"}).command, "delegate claim");
    EXPECT_EQ(parsed({"delegate"}).group, "delegate");
    EXPECT_TRUE(parsed({"logs", "--help"}).help);
}

TEST(Parse, AnArgumentMayHaveTheNameOfACommand) {
    const Answer answer = parsed({"logs", "plan", "--cluster", "delegate"});
    EXPECT_EQ(answer.command, "logs");
    EXPECT_THAT(answer.arguments.values("STEP"), ElementsAre("plan"));
    EXPECT_EQ(refusal({"delegate", "list", "claim"}).substr(0, 20), "USAGE-EXTRA-ARGUMENT");
}

TEST(Parse, TyposGetTheNearestName) {
    EXPECT_THAT(
        refusal({"plann"}),
        HasSubstr("USAGE-UNKNOWN-COMMAND: there is no command 'plann'; did you mean 'plan'?"));
    EXPECT_THAT(refusal({"delegate", "clam"}), HasSubstr("did you mean 'claim'?"));
    EXPECT_THAT(
        refusal({"plan", "--simulat"}),
        HasSubstr(
            "USAGE-UNKNOWN-OPTION: there is no option --simulat; did you mean '--simulate'?"));
    EXPECT_THAT(refusal({"plan", "-o", "jsn"}), HasSubstr("did you mean 'json'?"));
}

TEST(Parse, WhatIsMissingOrTooMuchIsRefused) {
    EXPECT_THAT(refusal({"logs"}), HasSubstr("USAGE-MISSING-ARGUMENT: slipway logs needs STEP"));
    EXPECT_THAT(refusal({"logs", "a", "b"}), HasSubstr("USAGE-EXTRA-ARGUMENT"));
    EXPECT_THAT(refusal({"plan", "-c"}), HasSubstr("USAGE"));
    EXPECT_THAT(refusal({"logs", "x", "--cluster", "a", "--cluster", "b"}), HasSubstr("USAGE"));
}

TEST(Parse, TerminalEscapesInArgumentsAreNotEchoed) {
    EXPECT_EQ(refusal({"\x1b[2Jplan"}).find('\x1b'), std::string::npos);
}

struct Ran {
    ExitCode code;
    std::string out;
    std::string err;
};

Ran ran(const std::vector<std::string>& args) {
    std::ostringstream out, err;
    Output output(out, err);
    const ExitCode code = run_program(args, output);
    return {.code = code, .out = out.str(), .err = err.str()};
}

TEST(Program, HelpIsDataWhenAskedForAndAMistakeOtherwise) {
    const Ran asked = ran({"--help"});
    EXPECT_EQ(asked.code, ExitCode::ok);
    EXPECT_THAT(asked.out, HasSubstr("slipway apply -c demo.yaml"));
    EXPECT_EQ(asked.err, "");

    const Ran bare = ran({});
    EXPECT_EQ(bare.code, ExitCode::usage);
    EXPECT_EQ(bare.out, "");
    EXPECT_THAT(bare.err, HasSubstr("Commands"));
}

TEST(Program, EveryExitCodeIsInTheHelp) {
    const std::string help = ran({"--help"}).out;
    for (const ExitCodeRow& row : exit_codes())
        EXPECT_THAT(help, HasSubstr(std::string(row.meaning)));
}

TEST(Program, EveryCommandHasSummaryExampleAndHandler) {
    for (const Command& command : all_commands()) {
        EXPECT_FALSE(command.summary.empty()) << command.name;
        EXPECT_THAT(std::string(command.examples), HasSubstr("slipway")) << command.name;
        EXPECT_NE(command.run, nullptr) << command.name;
        const std::string help = command_help(command);
        EXPECT_LT(help.find("Examples"), help.find("Options")) << command.name;
    }
}

TEST(Program, EveryCommandParsesItsOwnHelpFlag) {
    for (const Command& command : all_commands()) {
        std::vector<std::string> args;
        std::istringstream words{std::string(command.name)};
        for (std::string word; words >> word;) args.push_back(word);
        args.push_back("--help");
        const Ran help = ran(args);
        EXPECT_EQ(help.code, ExitCode::ok) << command.name;
        EXPECT_THAT(help.out, HasSubstr("Usage\n  slipway " + std::string(command.name)));
    }
}

}  // namespace
}  // namespace slipway::cli
