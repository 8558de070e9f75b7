// The readers below the topics: interfaces, packet filters, package locks, names.
#include "agent/facts/facts.hpp"
#include "agent/facts/interfaces.hpp"
#include "agent/facts/lines.hpp"
#include "agent/facts/listening.hpp"
#include "agent/facts/netfilter.hpp"
#include "agent/resolve.hpp"
#include "agent/tool_output.hpp"
#include "base/files.hpp"
#include "base/url.hpp"

#include <array>
#include <cstring>
#include <deque>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netlink.h>
#include <net/if.h>
#include <netpacket/packet.h>

#include <arpa/inet.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

namespace slipway::agent {

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A list as getifaddrs gives it.
class AddressList {
  public:
    void add(const char* name, unsigned flags, int family, const char* address, const char* mask) {
        ifaddrs& entry = entries_.emplace_back();
        if (entries_.size() > 1) entries_[entries_.size() - 2].ifa_next = &entry;
        entry.ifa_name = const_cast<char*>(name);
        entry.ifa_flags = flags;
        entry.ifa_addr = socket_address(family, address);
        entry.ifa_netmask = mask == nullptr ? nullptr : socket_address(family, mask);
    }
    void add_link(const char* name, unsigned flags, std::array<unsigned char, 6> mac) {
        add(name, flags, AF_PACKET, nullptr, nullptr);
        auto* link = reinterpret_cast<sockaddr_ll*>(entries_.back().ifa_addr);
        link->sll_halen = 6;
        std::memcpy(link->sll_addr, mac.data(), mac.size());
    }
    const ifaddrs* first() const { return &entries_.front(); }

  private:
    sockaddr* socket_address(int family, const char* text) {
        sockaddr_storage& out = addresses_.emplace_back();
        out.ss_family = static_cast<sa_family_t>(family);
        if (family == AF_INET)
            ::inet_pton(AF_INET, text, &reinterpret_cast<sockaddr_in*>(&out)->sin_addr);
        if (family == AF_INET6)
            ::inet_pton(AF_INET6, text, &reinterpret_cast<sockaddr_in6*>(&out)->sin6_addr);
        return reinterpret_cast<sockaddr*>(&out);
    }
    std::deque<ifaddrs> entries_;
    std::deque<sockaddr_storage> addresses_;
};

TEST(Interfaces, GathersAddressesUnderTheirInterface) {
    constexpr unsigned kOn = IFF_UP | IFF_RUNNING;
    AddressList list;
    list.add_link("lo", kOn | IFF_LOOPBACK, {});
    list.add_link("eth0", kOn, {0x02, 0xfc, 0, 0, 0xab, 0x01});
    list.add_link("eth1", IFF_UP, {0, 0, 0, 0, 0, 0});
    list.add("lo", kOn | IFF_LOOPBACK, AF_INET, "127.0.0.1", "255.0.0.0");
    list.add("eth0", kOn, AF_INET, "10.0.0.11", "255.255.255.0");
    list.add("eth0:1", kOn, AF_INET, "10.0.0.12", "255.255.255.255");
    list.add("eth0", kOn, AF_INET6, "fd00::11", "ffff:ffff:ffff:ffff::");
    list.add("eth0", kOn, AF_INET6, "fe80::1", "ffff:ffff:ffff:ffff::");
    list.add("tun0", kOn, AF_INET, "169.254.3.4", nullptr);

    const auto mtu = [](const std::string& name) { return name == "eth0" ? 1450 : 1500; };
    const std::vector<InterfaceFact> found = interfaces_of(list.first(), mtu);
    ASSERT_EQ(found.size(), 3u);
    EXPECT_EQ(found[0].name, "eth0");
    EXPECT_EQ(found[0].mac, "02:fc:00:00:ab:01");
    EXPECT_EQ(found[0].mtu, 1450);
    EXPECT_TRUE(found[0].up);
    EXPECT_THAT(found[0].addresses,
                ElementsAre("10.0.0.11/24", "10.0.0.12/32", "fd00::11/64", "fe80::1/64"));
    EXPECT_EQ(found[1].name, "eth1");
    EXPECT_EQ(found[1].mac, "");
    EXPECT_FALSE(found[1].up) << "no carrier";
    EXPECT_THAT(found[2].addresses, ElementsAre("169.254.3.4/32"));
    EXPECT_THAT(reachable_addresses(found), ElementsAre("10.0.0.11", "10.0.0.12", "fd00::11"));
}

std::string attribute(int type, std::string_view value) {
    nlattr head{};
    head.nla_len = static_cast<std::uint16_t>(sizeof head + value.size());
    head.nla_type = static_cast<std::uint16_t>(type);
    std::string out(reinterpret_cast<const char*>(&head), sizeof head);
    out += value;
    out.resize(NLA_ALIGN(out.size()));
    return out;
}

std::string text_attribute(int type, std::string text) {
    return attribute(type, std::string_view(text.c_str(), text.size() + 1));
}

std::string message(int type, const std::string& attributes) {
    nlmsghdr head{};
    head.nlmsg_type = static_cast<std::uint16_t>(type);
    head.nlmsg_len = static_cast<std::uint32_t>(sizeof head + sizeof(nfgenmsg) + attributes.size());
    return std::string(reinterpret_cast<const char*>(&head), sizeof head) +
           std::string(sizeof(nfgenmsg), '\0') + attributes;
}

constexpr int kChain = NFNL_SUBSYS_NFTABLES << 8 | NFT_MSG_NEWCHAIN;
constexpr int kRule = NFNL_SUBSYS_NFTABLES << 8 | NFT_MSG_NEWRULE;

TEST(Netfilter, CountsRulesButNotThoseOfFirewalldAndUfw) {
    const auto rule = [](const char* table, const char* chain, const std::string& more = "") {
        return message(kRule, text_attribute(NFTA_RULE_TABLE, table) +
                                  text_attribute(NFTA_RULE_CHAIN, chain) + more);
    };
    const std::string bytes =
        message(kChain, text_attribute(NFTA_CHAIN_TABLE, "nat") +
                            text_attribute(NFTA_CHAIN_NAME, "KUBE-SERVICES")) +
        rule("nat", "KUBE-SERVICES") + rule("firewalld", "filter_INPUT") +
        rule("filter", "ufw-user-input") +
        rule("filter", "INPUT", text_attribute(NFTA_RULE_EXPRESSIONS, "ufw6-before-input")) +
        rule("filter", "INPUT");
    Netfilter found;
    EXPECT_FALSE(add_netlink_answer(bytes, found));
    EXPECT_EQ(found.rules, 2);
    EXPECT_THAT(found.chains, ElementsAre("KUBE-SERVICES"));
    EXPECT_TRUE(add_netlink_answer(message(NLMSG_DONE, ""), found));
}

TEST(Netfilter, AChainThatDropsByDefaultCountsAsARule) {
    const auto chain = [](std::uint32_t policy) {
        return message(
            kChain, text_attribute(NFTA_CHAIN_NAME, "input") +
                        attribute(NFTA_CHAIN_POLICY, {reinterpret_cast<const char*>(&policy), 4}));
    };
    Netfilter found;
    add_netlink_answer(chain(htonl(1)), found);
    EXPECT_EQ(found.rules, 0);
    add_netlink_answer(chain(0), found);
    EXPECT_EQ(found.rules, 1);
}

TEST(Netfilter, AnswersThatLieAboutTheirLengthEnd) {
    std::string bytes = message(kRule, text_attribute(NFTA_RULE_TABLE, "nat"));
    for (std::size_t size = 0; size <= bytes.size(); ++size) {
        Netfilter found;
        add_netlink_answer(std::string_view(bytes).substr(0, size), found);
        EXPECT_EQ(found.rules, size == bytes.size() ? 1 : 0);
    }
    std::memset(bytes.data(), 0, 4);
    Netfilter found;
    EXPECT_TRUE(add_netlink_answer(bytes, found));
}

TEST(Netfilter, ReadsRulesOfTheOldKind) {
    Netfilter found;
    add_saved_rules(
        "*filter\n:INPUT DROP [0:0]\n:FORWARD ACCEPT [0:0]\n:KUBE-FIREWALL - [0:0]\n"
        "-A INPUT -j ufw-before-input\n-A INPUT -p tcp -j ACCEPT\nCOMMIT\n# done\n",
        found);
    EXPECT_EQ(found.rules, 2);
    EXPECT_THAT(found.chains, ElementsAre("FORWARD", "INPUT", "KUBE-FIREWALL"));
}

TEST(Names, AreTakenFromHostsFilesFirst) {
    const std::string hosts =
        "127.0.0.1 localhost\n10.0.0.5\tReg.Example reg # the registry\nfd00::5 reg\n10.0.0.5 reg\n"
        "junk reg\n# 10.0.0.9 reg\n";
    EXPECT_THAT(addresses_in_hosts(hosts, "reg"), ElementsAre("10.0.0.5", "fd00::5"));
    EXPECT_THAT(addresses_in_hosts(hosts, "reg.example"), ElementsAre("10.0.0.5"));
    EXPECT_THAT(addresses_in_hosts(hosts, "re"), IsEmpty());
}

TEST(Names, ThatAToolCouldMistakeAreNotAsked) {
    EXPECT_TRUE(is_host_name("a-b_c.example1"));
    for (const char* bad : {"", "-h", ".", "a b", "a;b", "a\n", "$(x)", "a/b"}) {
        EXPECT_FALSE(is_host_name(bad)) << bad;
    }
    EXPECT_FALSE(is_host_name(std::string(254, 'a')));
}

TEST(ToolOutput, IsNothingWhenTheToolFailsOrTakesTooLong) {
    using std::chrono::milliseconds;
    EXPECT_EQ(tool_output({"echo", "a b"}, milliseconds(5000), nullptr), "a b\n");
    EXPECT_EQ(tool_output({"false"}, milliseconds(5000), nullptr), std::nullopt);
    EXPECT_EQ(tool_output({"there-is-no-such-tool"}, milliseconds(5000), nullptr), std::nullopt);
    EXPECT_EQ(tool_output({"sleep", "60"}, milliseconds(50), nullptr), std::nullopt);
}

// A socket that listens at some free port.
int listen_at(Fd& fd, int family, int type) {
    fd = Fd(::socket(family, type | SOCK_CLOEXEC, 0));
    sockaddr_in6 v6{};
    sockaddr_in v4{};
    v6.sin6_family = AF_INET6;
    v6.sin6_addr = in6addr_loopback;
    v4.sin_family = AF_INET;
    v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const bool six = family == AF_INET6;
    auto* address = six ? reinterpret_cast<sockaddr*>(&v6) : reinterpret_cast<sockaddr*>(&v4);
    socklen_t size = six ? sizeof v6 : sizeof v4;
    EXPECT_EQ(::bind(fd.get(), address, size), 0);
    EXPECT_TRUE(type != SOCK_STREAM || ::listen(fd.get(), 1) == 0);
    EXPECT_EQ(::getsockname(fd.get(), address, &size), 0);
    return ntohs(six ? v6.sin6_port : v4.sin_port);
}

TEST(Ports, TheKernelAndItsFilesSayTheSame) {
    Fd tcp, tcp6, udp;
    const int port = listen_at(tcp, AF_INET, SOCK_STREAM);
    const int port6 = listen_at(tcp6, AF_INET6, SOCK_STREAM);
    const int datagrams = listen_at(udp, AF_INET, SOCK_DGRAM);
    ASSERT_TRUE(ask_for_listening_sockets().has_value());
    for (const Root& root : {Root(), Root("/")}) {  // asked, and read from /proc/net
        const std::string facts = gather_facts({}, root);
        for (const std::string& seen :
             {R"("tcp","address":"127.0.0.1","port":)" + std::to_string(port),
              R"("tcp","address":"::1","port":)" + std::to_string(port6),
              R"("udp","address":"127.0.0.1","port":)" + std::to_string(datagrams)}) {
            EXPECT_THAT(facts, HasSubstr(seen + R"(,"process":"agent_test")"));
        }
    }
}

TEST(PackageManager, IsBusyWhileAnotherProcessHoldsItsLock) {
    std::string folder = ::testing::TempDir() + "slipway-lock-XXXXXX";
    ASSERT_NE(::mkdtemp(folder.data()), nullptr);
    std::filesystem::create_directories(folder + "/var/lib/dpkg");
    const std::string file = folder + "/var/lib/dpkg/lock-frontend";
    const Root root(folder);
    const std::string busy = "\"packageManagerBusy\":true";
    EXPECT_THAT(gather_facts({}, root), ::testing::Not(HasSubstr(busy)));

    std::array<int, 2> held{}, done{};
    ASSERT_EQ(::pipe(held.data()), 0);
    ASSERT_EQ(::pipe(done.data()), 0);
    const pid_t child = ::fork();
    if (child == 0) {
        const int fd = ::open(file.c_str(), O_RDWR | O_CREAT, 0640);
        struct flock lock{};
        lock.l_type = F_WRLCK;
        const bool locked = ::fcntl(fd, F_SETLK, &lock) == 0;
        [[maybe_unused]] ssize_t n = ::write(held[1], locked ? "y" : "n", 1);
        char c = 0;
        n = ::read(done[0], &c, 1);
        ::_exit(0);
    }
    char answer = 0;
    ASSERT_EQ(::read(held[0], &answer, 1), 1);
    EXPECT_EQ(answer, 'y');
    EXPECT_THAT(gather_facts({}, root), HasSubstr(busy));
    ASSERT_EQ(::write(done[1], "x", 1), 1);
    ::waitpid(child, nullptr, 0);
    EXPECT_THAT(gather_facts({}, root), ::testing::Not(HasSubstr(busy)));
    for (const int fd : {held[0], held[1], done[0], done[1]}) ::close(fd);
    std::filesystem::remove_all(folder);
}

}  // namespace

}  // namespace slipway::agent
