#include "config/load.hpp"

#include "base/files.hpp"
#include "base/testing/source_tree.hpp"
#include "base/text.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdlib.h>

namespace slipway::config {

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const std::string kTop =
    "apiVersion: slipway.dev/v1\nkind: Cluster\nmetadata: {name: demo}\nspec:\n  hosts:\n";
const std::string kHost = "  - {name: a, address: 10.0.0.1, roles: [control-plane]}\n";

std::string source_file(const std::string& path) {
    return read_file(::slipway::testing::source_file(path));
}

std::vector<std::string> lines_of(const LoadedSpec& loaded) {
    std::vector<std::string> out;
    for (const Problem& p : loaded.problems) {
        out.push_back(fmt::format("{}{} {}", p.id, p.severity == Severity::notice ? " notice" : "",
                                  p.line()));
    }
    return out;
}

// One case of testdata/problems.txt: "### name [prefix]", YAML, "=> ID file:line:col: path: what;
// todo".
struct Case {
    std::string name;
    std::string yaml;
    std::vector<std::string> expected;
};

std::vector<Case> cases() {
    std::vector<Case> out;
    for (const std::string& line : split(source_file("src/config/testdata/problems.txt"), '\n')) {
        if (line.starts_with("### ")) {
            const std::string prefix = line.ends_with("[hosts]")   ? kTop
                                       : line.ends_with("[after]") ? kTop + kHost
                                                                   : "";
            out.push_back({line.substr(4), prefix, {}});
        } else if (line.starts_with("=> ")) {
            out.back().expected.push_back(line.substr(3));
        } else if (!line.empty()) {
            out.back().yaml += line + "\n";
        }
    }
    return out;
}

TEST(LoadSpec, SaysWhatIsWrongWhereAndWhatToDo) {
    const std::vector<Case> all = cases();
    ASSERT_GE(all.size(), 80u);
    for (const Case& c : all) {
        const LoadedSpec loaded = load_spec({{"s.yaml", c.yaml}});
        EXPECT_EQ(lines_of(loaded), c.expected) << c.name << "\n" << c.yaml;
        const bool only_notices = std::ranges::all_of(c.expected, [](const std::string& e) {
            return e.find(" notice ") != std::string::npos;
        });
        EXPECT_EQ(loaded.ok(), only_notices) << c.name;
    }
}

TEST(LoadSpec, NeverRepeatsASecret) {
    std::size_t seen = 0;
    for (const Case& c : cases()) {
        if (c.yaml.find("hunter2") == std::string::npos) continue;
        ++seen;
        const LoadedSpec loaded = load_spec({{"s.yaml", c.yaml}});
        EXPECT_FALSE(loaded.ok()) << c.name;
        EXPECT_THAT(join(lines_of(loaded), "\n"), Not(HasSubstr("hunter2"))) << c.name;
    }
    EXPECT_GE(seen, 8u);
}

TEST(LoadSpec, ExamplesFitFifteenLinesAndLoadWithoutANotice) {
    for (const char* file : {"examples/single.yaml", "examples/ha.yaml"}) {
        const std::string text = source_file(file);
        EXPECT_LE(std::ranges::count(text, '\n'), 15) << file;
        EXPECT_THAT(lines_of(load_spec({{file, text}})), IsEmpty());
    }
    EXPECT_EQ(load_spec({{"", source_file("examples/ha.yaml")}})
                  .spec.with_role(Role::control_plane)
                  .size(),
              3u);
}

TEST(LoadSpec, AFullSpecDecodesIntoItsMembers) {
    const LoadedSpec loaded =
        load_spec({{"conf/full.yaml", source_file("src/config/testdata/full.yaml")}});
    ASSERT_TRUE(loaded.ok()) << join(lines_of(loaded), "\n");
    const Spec& spec = loaded.spec;
    EXPECT_EQ(spec.name, "full");
    ASSERT_EQ(spec.hosts.size(), 3u);
    const Host& host = spec.hosts[1];
    EXPECT_EQ(host.port, 2222);
    EXPECT_EQ(host.user, "ops");
    EXPECT_EQ(host.key.file, "conf/keys/id");
    EXPECT_EQ(host.password.env, "W1_PASSWORD");
    EXPECT_TRUE(host.become.password.prompt);
    EXPECT_EQ(host.bastion, "gate");
    EXPECT_EQ(host.labels, (StringMap{{"disk", "ssd"}, {"example.org/rack", "7"}}));
    EXPECT_EQ(host.taints.at(0).effect, "NoSchedule");
    EXPECT_EQ(host.node_address(), "192.168.0.11");
    EXPECT_TRUE(host.has(Role::worker));
    EXPECT_FALSE(host.has(Role::etcd));
    EXPECT_EQ(spec.kubernetes.endpoint.kind, EndpointKind::external);
    EXPECT_THAT(spec.kubernetes.networks.pods, ElementsAre("10.244.0.0/16", "fd00:10:244::/56"));
    EXPECT_FALSE(spec.os.swap_off);
    EXPECT_EQ(spec.os.extra_folders.at(0).mode, "0750");
    EXPECT_EQ(spec.os.extra_sysctls.at("vm.max_map_count"), "262144");
    EXPECT_EQ(spec.hooks.pre_install.at(0).script, "mount /dev/vdb /data\nmkdir -p /data/x\n");
    EXPECT_EQ(spec.hooks.post_install.at(0).file, "conf/tidy.sh");
    EXPECT_EQ(spec.steps.skip.size(), 2u);
    EXPECT_EQ(spec.limits.on_failure, OnFailure::stop);
    EXPECT_EQ(loaded.place("hosts[1].port").line, 13);
    EXPECT_EQ(loaded.place("hosts[1].arch").line, loaded.place("hosts[1]").line)
        << "unset: the host itself";
}

TEST(LoadSpec, TimesOfBackupsAreThoseOfSystemd) {
    for (const char* when :
         {"daily", "hourly", "*-*-* 02:00:00", "Mon..Fri 03:30", "Sat,Sun *-*-1..7 4:00", "*:0/15",
          "2026-*-* 12:00:00 UTC", "*-02~03"}) {
        const std::string text =
            kTop + kHost + fmt::format("  etcd: {{backup: {{schedule: \"{}\"}}}}\n", when);
        const LoadedSpec loaded = load_spec({{"s.yaml", text}});
        EXPECT_THAT(lines_of(loaded), IsEmpty());
        EXPECT_EQ(loaded.spec.etcd.backup.schedule, when);
    }
}

// A stored spec says everything: what a mode has no use for stands there with its default.
TEST(LoadSpec, AStoredSpecOfEveryEtcdModeLoads) {
    const std::string managed = kTop +
                                "  - {name: a, address: 10.0.0.1, roles: [control-plane, etcd]}\n" +
                                "  etcd: {mode: managed, args: {v: 2}}\n";
    const std::string external = kTop + kHost +
                                 "  etcd: {mode: external, endpoints: [\"https://[fd00::1]:2379\", "
                                 "\"https://e.example.org:2379\"], "
                                 "caFile: c, certFile: d, key: {env: KEY}}\n";
    for (const std::string& text : {managed, external}) {
        const LoadedSpec loaded = load_spec({{"s.yaml", text}});
        ASSERT_THAT(lines_of(loaded), IsEmpty());
        const std::string stored = to_canonical_json(loaded.spec);
        const LoadedSpec again = load_spec({{"stored", stored}});
        EXPECT_TRUE(again.ok()) << ::testing::PrintToString(lines_of(again));
        EXPECT_EQ(to_canonical_json(again.spec), stored);
    }
}

TEST(LoadSpec, LocalPathsAreRelativeToTheFileTheyAreWrittenIn) {
    ::setenv("HOME", "/home/op", 1);
    const auto key = [](const std::string& file, const std::string& path) {
        return load_spec(
                   {{file,
                     kTop + "  - {name: a, address: local, roles: [control-plane], key: {file: " +
                         path + "}}\n"}})
            .spec.hosts.at(0)
            .key.file;
    };
    EXPECT_EQ(key("/etc/x/c.yaml", "id"), "/etc/x/id");
    EXPECT_EQ(key("/etc/x/c.yaml", "../id"), "/etc/id");
    EXPECT_EQ(key("/etc/x/c.yaml", "/id"), "/id");
    EXPECT_EQ(key("c.yaml", "keys/id"), "keys/id");
    EXPECT_EQ(key("<stdin>", "keys/id"), "keys/id");
    EXPECT_EQ(key("/etc/x/c.yaml", "~/.ssh/id"), "/home/op/.ssh/id");
}

TEST(LoadSpec, AThousandHostsLoad) {
    std::string text = kTop;
    for (int i = 0; i < 1000; ++i) {
        text += fmt::format(
            "  - {{name: n{}, address: 10.{}.{}.1, user: ops, key: {{file: id}}, roles: [{}], "
            "labels: {{rack: r{}}}}}\n",
            i, i / 250, i % 250, i < 3 ? "control-plane" : "worker", i / 40);
    }
    const LoadedSpec loaded = load_spec({{"big.yaml", text}});
    ASSERT_TRUE(loaded.ok()) << lines_of(loaded)[0];
    EXPECT_EQ(loaded.spec.hosts.size(), 1000u);
    EXPECT_EQ(loaded.spec.with_role(Role::control_plane).front()->name, "n0");
    EXPECT_EQ(loaded.spec.sorted_hosts().back()->name, "n999");
}

TEST(LoadSpec, ALongChainOfBastionsIsJudgedInLinearTime) {
    std::string text = kTop + kHost;
    for (int i = 0; i < 8000; ++i) {
        text += fmt::format("  - {{name: n{}, address: h{}, bastion: n{}, roles: [worker]}}\n", i,
                            i, i + 1);
    }
    const LoadedSpec loaded = load_spec({{"chain.yaml", text}});
    EXPECT_THAT(lines_of(loaded), ElementsAre(HasSubstr("no host is named \"n8000\"")));
}

TEST(LoadSpec, WithoutASourceThereIsAProblemNotAnEmptySpec) { EXPECT_FALSE(load_spec({}).ok()); }

TEST(MergeSpecs, LaterFilesChangeAndAdd) {
    const Source base{
        "base.yaml", kTop +
                         "  - {name: a, address: 10.0.0.1, roles: [control-plane]}\n"
                         "  - {name: b, address: 10.0.0.2, roles: [worker], labels: {x: 1, y: 2}}\n"
                         "  os: {extraModules: [m1], swapOff: false}\n"};
    const Source site{"site.yaml",
                      "spec:\n  hosts:\n"
                      "  - {name: b, port: 2222, labels: {y: 3}}\n"
                      "  - {name: c, address: 10.0.0.3, roles: [worker]}\n"
                      "  os: {extraModules: [m2]}\n"};
    const LoadedSpec loaded = load_spec({base, site});
    ASSERT_TRUE(loaded.ok()) << join(lines_of(loaded), "\n");
    ASSERT_EQ(loaded.spec.hosts.size(), 3u);
    EXPECT_EQ(loaded.spec.hosts[1].address, "10.0.0.2");
    EXPECT_EQ(loaded.spec.hosts[1].port, 2222);
    EXPECT_EQ(loaded.spec.hosts[1].labels, (StringMap{{"x", "1"}, {"y", "3"}}));
    EXPECT_THAT(loaded.spec.os.extra_modules, ElementsAre("m2"));
    EXPECT_FALSE(loaded.spec.os.swap_off);
    EXPECT_EQ(loaded.place("hosts[1].port").file, "site.yaml");
    EXPECT_EQ(loaded.place("hosts[1].address").file, "base.yaml");
}

TEST(MergeSpecs, ProblemsPointIntoTheirFile) {
    const LoadedSpec loaded =
        load_spec({{"base.yaml", kTop + kHost + "  os: {swapOff: maybe}\n"},
                   {"site.yaml", "spec:\n  hosts: [{name: a, port: 0}]\n  oss: {}\n"}});
    EXPECT_THAT(lines_of(loaded), ElementsAre(HasSubstr("base.yaml:7:17: os.swapOff"),
                                              HasSubstr("site.yaml:2:27: hosts[0].port"),
                                              HasSubstr("site.yaml:3:3: oss: unknown key")));
}

TEST(MergeSpecs, AHostNamedTwiceInOneFileStaysADuplicate) {
    const LoadedSpec loaded = load_spec(
        {{"base.yaml", kTop + kHost},
         {"site.yaml",
          "spec: {hosts: [{name: a, port: 1}, {name: a, address: 10.0.0.9, roles: [worker]}]}\n"}});
    EXPECT_THAT(lines_of(loaded),
                ElementsAre(HasSubstr("site.yaml:1:43: hosts[1].name: \"a\" is already")));
}

TEST(MergeSpecs, AnUnreadableFileIsTheOnlyProblem) {
    const LoadedSpec loaded = load_spec({{"base.yaml", kTop + kHost}, {"site.yaml", "spec: ["}});
    EXPECT_THAT(lines_of(loaded), ElementsAre(HasSubstr("SPEC-SYNTAX site.yaml:1")));
}

}  // namespace

}  // namespace slipway::config
