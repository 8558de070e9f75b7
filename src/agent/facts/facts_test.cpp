// Facts of sample machines (testdata): what is said of each, and that nothing missing is an error.
#include "agent/facts/facts.hpp"

#include "base/files.hpp"
#include "base/json.hpp"
#include "base/testing/source_tree.hpp"

#include <cctype>
#include <filesystem>
#include <regex>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdlib.h>

namespace slipway::agent {

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

json::object facts_in(const Root& root, const wire::FactsQuery& query = {}) {
    return json::parse(gather_facts(query, root)).as_object();
}

json::object facts_of(const std::string& machine, const wire::FactsQuery& query = {}) {
    return facts_in(Root(::slipway::testing::source_file("src/agent/facts/testdata/" + machine)),
                    query);
}

std::string text(const json::object& facts, std::string_view key) {
    return std::string(facts.at(key).as_string());
}

std::string inner(const json::object& facts, std::string_view key, std::string_view name) {
    return text(facts.at(key).as_object(), name);
}

std::vector<std::string> list(const json::object& facts, std::string_view key) {
    std::vector<std::string> out;
    for (const json::value& item : facts.at(key).as_array()) out.emplace_back(item.as_string());
    return out;
}

// Each object of a list as its values with blanks between them.
std::vector<std::string> rows(const json::object& facts, std::string_view key) {
    std::vector<std::string> out;
    for (const json::value& item : facts.at(key).as_array()) {
        std::string& row = out.emplace_back();
        for (const auto& member : item.as_object()) {
            if (!row.empty()) row += ' ';
            row += member.value().is_string() ? std::string(member.value().as_string())
                                              : json::serialize(member.value());
        }
    }
    return out;
}

TEST(Facts, NamesTheMachine) {
    const json::object facts = facts_of("debian12");
    EXPECT_EQ(text(facts, "hostname"), "cp1");
    EXPECT_EQ(text(facts, "osId"), "debian");
    EXPECT_EQ(text(facts, "osVersion"), "12");
    EXPECT_EQ(text(facts, "osName"), "Debian GNU/Linux 12 (bookworm)");
    EXPECT_EQ(text(facts, "kernel"), "6.1.0-18-amd64");
    EXPECT_EQ(text(facts, "machineId"), "0123456789abcdef0123456789abcdef");
    EXPECT_EQ(text(facts, "productUuid"), "4c4c4544-0043-3510-8052-b4c04f4a3132");
    EXPECT_EQ(text(facts, "bootId"), "6b1f3c1e-0000-4000-8000-000000000001");
    EXPECT_EQ(text(facts, "init"), "systemd");
    EXPECT_EQ(text(facts, "virtualization"), "kvm");
    EXPECT_EQ(facts.at("uptimeSeconds").as_int64(), 86461);
    EXPECT_FALSE(facts.at("rebootRequired").as_bool());
    EXPECT_EQ(text(facts, "timezone"), "Europe/Berlin");
    EXPECT_TRUE(facts.at("localeUtf8").as_bool());
}

TEST(Facts, ToldByOtherFilesOfAnotherDistribution) {
    const json::object facts = facts_of("rocky9");
    EXPECT_EQ(text(facts, "osId"), "rocky");
    EXPECT_EQ(text(facts, "osVersion"), "9.3");
    EXPECT_EQ(text(facts, "virtualization"), "vmware");
    EXPECT_EQ(text(facts, "timezone"), "Asia/Tokyo");
    EXPECT_FALSE(facts.at("localeUtf8").as_bool());
    EXPECT_TRUE(facts.at("rebootRequired").as_bool()) << "modules of another kernel only";
    EXPECT_TRUE(facts_of("ubuntu2204").at("rebootRequired").as_bool());
}

TEST(Facts, AContainerDoesNotClaimTheNumberOfTheMachineBelow) {
    const json::object facts = facts_of("container");
    EXPECT_EQ(text(facts, "virtualization"), "systemd-nspawn");
    EXPECT_EQ(text(facts, "productUuid"), "");
    EXPECT_EQ(text(facts, "init"), "init");
    EXPECT_FALSE(facts.at("rebootRequired").as_bool());
    EXPECT_EQ(text(facts, "timeService"), "ntpd");
}

TEST(Facts, CountsProcessorsAndMemory) {
    EXPECT_EQ(facts_of("debian12").at("cpus").as_int64(), 5);
    EXPECT_EQ(facts_of("debian12").at("memoryMib").as_int64(), 7957);
    EXPECT_EQ(facts_of("debian12").at("memoryAvailableMib").as_int64(), 6847);
    EXPECT_THAT(list(facts_of("debian12"), "swaps"), ElementsAre("/dev/vda5"));
    EXPECT_EQ(facts_of("rocky9").at("cpus").as_int64(), 2);
}

TEST(Facts, TellsControlGroupsOfBothVersions) {
    EXPECT_EQ(facts_of("debian12").at("cgroupVersion").as_int64(), 2);
    EXPECT_THAT(list(facts_of("rocky9"), "cgroupControllers"),
                ElementsAre("cpu", "memory", "pids"));
    EXPECT_EQ(facts_of("ubuntu2204").at("cgroupVersion").as_int64(), 1);
    // memory is switched off, hugetlb and cpuset have no hierarchy.
    EXPECT_THAT(list(facts_of("ubuntu2204"), "cgroupControllers"), ElementsAre("cpu", "pids"));
}

TEST(Facts, TellsTheStateOfModules) {
    wire::FactsQuery query;
    query.modules = {"overlay", "ext4", "br_netfilter", "ip-vs", "sch_dash", "nope", "../etc", ""};
    const json::object facts = facts_of("debian12", query);
    EXPECT_EQ(inner(facts, "modules", "overlay"), "loaded");
    EXPECT_EQ(inner(facts, "modules", "ext4"), "builtin");
    EXPECT_EQ(inner(facts, "modules", "br_netfilter"), "available");
    EXPECT_EQ(inner(facts, "modules", "ip-vs"), "available");
    EXPECT_EQ(inner(facts, "modules", "sch_dash"), "available");
    EXPECT_EQ(inner(facts, "modules", "nope"), "absent");
    EXPECT_EQ(inner(facts, "modules", "../etc"), "absent");
}

TEST(Facts, SeesWhatIsBuiltIntoAKernelWithoutLists) {
    wire::FactsQuery query;
    query.modules = {"overlay", "br_netfilter", "vxlan", "ip_vs"};
    const json::object facts = facts_of("container", query);
    EXPECT_EQ(inner(facts, "modules", "overlay"), "builtin");
    EXPECT_EQ(inner(facts, "modules", "br_netfilter"), "builtin");
    EXPECT_EQ(inner(facts, "modules", "vxlan"), "builtin");
    EXPECT_EQ(inner(facts, "modules", "ip_vs"), "absent");
}

TEST(Facts, ListsOnlySettingsThatAreThere) {
    const json::object facts = facts_of("debian12");
    EXPECT_EQ(inner(facts, "sysctls", "kernel.pid_max"), "4194304");
    EXPECT_EQ(inner(facts, "sysctls", "net.ipv4.ip_forward"), "0");
    EXPECT_EQ(inner(facts, "sysctls", "net.ipv4.ip_local_port_range"), "32768 60999");
    EXPECT_FALSE(facts.at("sysctls").as_object().contains("vm.swappiness"));
}

TEST(Facts, ListsDisksButNoNetworkOrMemoryFileSystems) {
    std::vector<std::string> told;
    const json::object facts = facts_of("debian12");
    for (const json::value& item : facts.at("disks").as_array()) {
        const json::object& disk = item.as_object();
        told.push_back(text(disk, "mount") + " " + text(disk, "device") + " " + text(disk, "type") +
                       (disk.at("readOnly").as_bool() ? " ro" : "") +
                       (disk.at("noExec").as_bool() ? " noexec" : ""));
        EXPECT_GT(disk.at("sizeMib").as_int64(), 0);
        EXPECT_NE(disk.at("freeInodes").as_int64(), 0);
    }
    EXPECT_THAT(told,
                ElementsAre("/ /dev/vda1 ext4", "/var /dev/vda2 xfs ro", "/tmp tmpfs tmpfs noexec",
                            "/mnt/my disk /dev/vda1 ext4", "/mnt/over /dev/vda4 ext4"));
    EXPECT_GT(facts.at("diskFreeMib").as_int64(), 0);
}

TEST(Facts, MeasuresDurableWritesOnlyWhenAskedAndLeavesNothing) {
    std::string folder = ::testing::TempDir() + "slipway-facts-XXXXXX";
    ASSERT_NE(::mkdtemp(folder.data()), nullptr);
    wire::FactsQuery query;
    query.disk_folder = "/not/there/yet";
    const json::object facts = facts_in(Root(folder), query);
    EXPECT_GT(facts.at("fsyncMedianUs").as_int64(), 0);
    EXPECT_GE(facts.at("fsyncWorstUs").as_int64(), facts.at("fsyncMedianUs").as_int64());
    EXPECT_TRUE(std::filesystem::is_empty(folder));
    EXPECT_EQ(facts_in(Root(folder)).at("fsyncMedianUs").as_int64(), 0);
    std::filesystem::remove_all(folder);
}

TEST(Facts, ListsRoutesOfBothFamilies) {
    EXPECT_THAT(rows(facts_of("debian12"), "routes"),
                ElementsAre("0.0.0.0/0 10.0.0.1 ens192", "10.0.0.0/24  ens192", "10.244.64.0/26  ",
                            "fd00::/64  ens192", "::/0 fd00::1 ens192"));
    EXPECT_TRUE(facts_of("debian12").at("ipv6").as_bool());
    EXPECT_FALSE(facts_of("container").at("ipv6").as_bool());
    EXPECT_FALSE(facts_of("rocky9").at("ipv6").as_bool());
}

TEST(Facts, NamesTheProgramsThatListen) {
    EXPECT_THAT(rows(facts_of("debian12"), "listening"),
                ElementsAre("tcp 0.0.0.0 22 sshd", "tcp :: 22 sshd", "tcp 127.0.0.1 3051 ",
                            "tcp fd00::11 3052 ", "tcp 127.0.0.1 8080 java", "udp 0.0.0.0 68 "));
}

TEST(Facts, ReadsTheResolverAndProxiesWithoutTheirPasswords) {
    const json::object facts = facts_of("debian12");
    EXPECT_THAT(list(facts, "nameServers"), ElementsAre("10.0.0.53", "fd00::53"));
    EXPECT_THAT(list(facts, "searchDomains"), ElementsAre("dc1.example", "example"));
    EXPECT_EQ(inner(facts, "proxies", "http_proxy"), "http://proxy.example:3128/");
    EXPECT_EQ(inner(facts, "proxies", "https_proxy"), "proxy.example:3128");
    EXPECT_EQ(inner(facts, "proxies", "no_proxy"), "localhost,10.0.0.0/8");
    EXPECT_EQ(facts.at("proxies").as_object().size(), 3u);
    EXPECT_THAT(json::serialize(facts), Not(HasSubstr("hunter")));
    EXPECT_THAT(json::serialize(facts), Not(HasSubstr("cret")));
}

TEST(Facts, FindsTheRunningTimeService) {
    EXPECT_EQ(text(facts_of("debian12"), "timeService"), "systemd-timesyncd");
    EXPECT_EQ(text(facts_of("rocky9"), "timeService"), "chrony");
    EXPECT_EQ(text(facts_of("ubuntu2204"), "timeService"), "chrony");  // cgroup v1
}

TEST(Facts, TellsWhatGuardsTheMachine) {
    EXPECT_EQ(text(facts_of("debian12"), "selinux"), "");
    EXPECT_TRUE(facts_of("debian12").at("apparmor").as_bool());
    EXPECT_EQ(text(facts_of("debian12"), "firewall"), "");
    EXPECT_EQ(text(facts_of("rocky9"), "selinux"), "enforcing");
    EXPECT_EQ(text(facts_of("rocky9"), "firewall"), "firewalld");
    EXPECT_FALSE(facts_of("rocky9").at("apparmor").as_bool());
    EXPECT_EQ(text(facts_of("ubuntu2204"), "selinux"), "disabled");
    EXPECT_EQ(text(facts_of("ubuntu2204"), "firewall"), "ufw");
}

TEST(Facts, FindsCommandsPackageManagerAndRuntimes) {
    wire::FactsQuery query;
    query.commands = {"tar", "conntrack", "socat", "notes", "/usr/bin/tar", "/usr/bin", ""};
    const json::object debian = facts_of("debian12", query);
    EXPECT_EQ(inner(debian, "commands", "tar"), "/usr/bin/tar");
    EXPECT_EQ(inner(debian, "commands", "conntrack"), "/usr/sbin/conntrack");
    EXPECT_EQ(inner(debian, "commands", "/usr/bin/tar"), "/usr/bin/tar");
    for (const char* absent : {"socat", "notes", "/usr/bin", ""}) {
        EXPECT_EQ(inner(debian, "commands", absent), "") << absent;
    }
    EXPECT_EQ(text(debian, "packageManager"), "apt");
    EXPECT_EQ(text(facts_of("rocky9"), "packageManager"), "dnf");
    EXPECT_THAT(list(debian, "runtimes"), IsEmpty());
    EXPECT_THAT(list(facts_of("rocky9"), "runtimes"), ElementsAre("containerd"));
    EXPECT_THAT(list(facts_of("ubuntu2204"), "runtimes"),
                ElementsAre("containerd 1.6.20", "docker 20.10.24"));
}

TEST(Facts, FindsLeftoversOfEveryKind) {
    wire::FactsQuery query;
    query.leftovers = {"/etc/kubernetes",     "/etc/systemd/system",
                       "/var/lib/etcd",       "interface:cni0",
                       "interface:flannel.1", "unit:kubelet.service",
                       "unit:docker.service", "unit:absent.service",
                       "chain:KUBE-",         "relative",
                       "interface:",          "unheard:of",
                       "/usr/lib/os-release"};
    EXPECT_THAT(list(facts_of("rocky9", query), "leftovers"),
                ElementsAre("/etc/kubernetes", "/etc/systemd/system", "interface:cni0",
                            "unit:kubelet.service", "/usr/lib/os-release"));
}

TEST(Facts, AnEmptyFolderIsNoLeftover) {
    std::string folder = ::testing::TempDir() + "slipway-facts-XXXXXX";
    ASSERT_NE(::mkdtemp(folder.data()), nullptr);
    std::filesystem::create_directories(folder + "/var/lib/etcd");
    wire::FactsQuery query;
    query.leftovers = {"/var/lib/etcd", "/var/lib"};
    EXPECT_THAT(list(facts_in(Root(folder), query), "leftovers"), ElementsAre("/var/lib"));
    std::filesystem::remove_all(folder);
}

TEST(Facts, AMachineWithoutAnyFileStillHasEveryFact) {
    const json::object bare = facts_in(Root("/does/not/exist"));
    std::set<std::string> bare_keys, full_keys;
    for (const auto& member : bare) bare_keys.emplace(member.key());
    for (const auto& member : facts_of("debian12")) full_keys.emplace(member.key());
    EXPECT_EQ(bare_keys, full_keys);
    EXPECT_EQ(text(bare, "hostname"), "");
    EXPECT_EQ(bare.at("cgroupVersion").as_int64(), 0);
    EXPECT_EQ(text(bare, "timezone"), "UTC");
    EXPECT_TRUE(bare.at("localeUtf8").as_bool());
}

// remote/facts.hpp is a layer this one may not include; its members are the keys to write.
TEST(Facts, HasEveryMemberTheOtherSideReads) {
    const std::string header = read_file(::slipway::testing::source_file("src/remote/facts.hpp"));
    const std::string members = header.substr(header.find("struct Facts {"));
    std::set<std::string> wanted = {"wallMs", "elapsedMs"};
    const std::regex member(R"(\n    (?:std::|int|bool)[^\n;(]*?(\w+)(?: = \w+)?;)");
    for (std::sregex_iterator it(members.begin(), members.end(), member), end; it != end; ++it) {
        std::string key;
        for (const char c : (*it)[1].str()) {
            const bool raise = key.ends_with('_');
            if (raise) key.pop_back();
            key += raise ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
        }
        wanted.insert(key);
    }
    wanted.erase("clockOffsetMs");
    wanted.erase("clockErrorMs");
    std::set<std::string> written;
    for (const auto& fact : facts_of("debian12")) written.emplace(fact.key());
    EXPECT_EQ(written, wanted);
}

// This computer, whatever it is: what every Linux machine has.
TEST(Facts, OfThisMachine) {
    wire::FactsQuery query;
    query.commands = {"sh"};
    query.resolve = {"localhost", "127.0.0.1", "-x", "no such name"};
    const json::object facts = facts_in(Root(), query);
    EXPECT_NE(text(facts, "hostname"), "");
    EXPECT_NE(text(facts, "kernel"), "");
    EXPECT_GT(facts.at("cpus").as_int64(), 0);
    EXPECT_GT(facts.at("memoryMib").as_int64(), 0);
    EXPECT_NE(inner(facts, "commands", "sh"), "");
    EXPECT_EQ(inner(facts, "resolved", "127.0.0.1"), "127.0.0.1");
    EXPECT_NE(inner(facts, "resolved", "localhost"), "");
    EXPECT_EQ(inner(facts, "resolved", "-x"), "");
    EXPECT_EQ(inner(facts, "resolved", "no such name"), "");
    EXPECT_THAT(rows(facts, "interfaces"), Not(::testing::Contains(::testing::StartsWith("lo "))));
    EXPECT_GT(facts.at("wallMs").as_int64(), 1'700'000'000'000);
}

}  // namespace

}  // namespace slipway::agent
