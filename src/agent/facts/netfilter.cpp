#include "agent/facts/netfilter.hpp"

#include "agent/facts/lines.hpp"
#include "agent/facts/modules.hpp"
#include "agent/tool_output.hpp"
#include "base/files.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <map>

#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netlink.h>

#include <arpa/inet.h>
#include <sys/socket.h>

namespace slipway::agent {

namespace {

constexpr std::uint16_t kNewChain = NFNL_SUBSYS_NFTABLES << 8 | NFT_MSG_NEWCHAIN;
constexpr std::uint16_t kNewRule = NFNL_SUBSYS_NFTABLES << 8 | NFT_MSG_NEWRULE;
constexpr std::chrono::seconds kToolLimit{5};

template <class T>
T take(std::string_view bytes) {
    T out{};
    bytes.copy(reinterpret_cast<char*>(&out), sizeof out);  // as much as there is
    return out;
}

// Attributes by number. A length that does not fit ends the list.
std::map<int, std::string_view> attributes(std::string_view bytes) {
    std::map<int, std::string_view> out;
    while (bytes.size() >= sizeof(nlattr)) {
        const auto head = take<nlattr>(bytes);
        if (head.nla_len < sizeof(nlattr) || head.nla_len > bytes.size()) break;
        out[head.nla_type & NLA_TYPE_MASK] =
            bytes.substr(sizeof(nlattr), head.nla_len - sizeof(nlattr));
        bytes.remove_prefix(std::min<std::size_t>(bytes.size(), NLA_ALIGN(head.nla_len)));
    }
    return out;
}

std::string_view text_of(const std::map<int, std::string_view>& attributes, int which) {
    const auto found = attributes.find(which);
    if (found == attributes.end()) return {};
    return found->second.substr(0, found->second.find('\0'));
}

bool mentions_ufw(std::string_view text) {
    return text.find("ufw-") != std::string_view::npos ||
           text.find("ufw6-") != std::string_view::npos;
}

void add_chain(std::string_view body, Netfilter& out) {
    const auto found = attributes(body);
    const std::string_view table = text_of(found, NFTA_CHAIN_TABLE);
    const auto policy = found.find(NFTA_CHAIN_POLICY);
    out.chains.emplace(text_of(found, NFTA_CHAIN_NAME));
    constexpr std::uint32_t kDrop = 0;
    if (policy != found.end() && take<std::uint32_t>(policy->second) == kDrop &&
        table != "firewalld") {
        ++out.rules;
    }
}

void add_rule(std::string_view body, Netfilter& out) {
    // A rule of ufw stands in one of its chains or, as bytes within, jumps to one.
    if (text_of(attributes(body), NFTA_RULE_TABLE) != "firewalld" && !mentions_ufw(body))
        ++out.rules;
}

// Everything of one kind (NFT_MSG_GET…), as far as we may see it.
void ask_kernel(int what, Netfilter& out) {
    const Fd socket(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_NETFILTER));
    const timeval limit{.tv_sec = 2, .tv_usec = 0};
    ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    struct {
        nlmsghdr head;
        nfgenmsg family;
    } question{};
    question.head.nlmsg_len = sizeof question;
    question.head.nlmsg_type = static_cast<std::uint16_t>(NFNL_SUBSYS_NFTABLES << 8 | what);
    question.head.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
    question.family.nfgen_family = AF_UNSPEC;
    if (::send(socket.get(), &question, sizeof question, 0) < 0) return;
    std::array<char, 32768> buffer;
    while (true) {
        const ssize_t n = ::recv(socket.get(), buffer.data(), buffer.size(), 0);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return;
        if (add_netlink_answer({buffer.data(), static_cast<std::size_t>(n)}, out)) return;
    }
}

void add_legacy(const Root& root, const std::string& names_file, const std::string& program,
                const std::string& fallback, Netfilter& out) {
    if (root.line(names_file).empty()) return;
    auto text = tool_output({program}, kToolLimit, nullptr);
    if (!text) text = tool_output({fallback}, kToolLimit, nullptr);
    add_saved_rules(text.value_or(""), out);
}

}  // namespace

bool add_netlink_answer(std::string_view bytes, Netfilter& out) {
    while (bytes.size() >= sizeof(nlmsghdr)) {
        const auto head = take<nlmsghdr>(bytes);
        if (head.nlmsg_len < sizeof(nlmsghdr) || head.nlmsg_len > bytes.size()) return true;
        if (head.nlmsg_type == NLMSG_DONE || head.nlmsg_type == NLMSG_ERROR) return true;
        constexpr std::size_t kHeads = sizeof(nlmsghdr) + sizeof(nfgenmsg);
        const std::string_view message = bytes.substr(0, head.nlmsg_len);
        const std::string_view body = message.substr(std::min(kHeads, message.size()));
        if (head.nlmsg_type == kNewChain) add_chain(body, out);
        if (head.nlmsg_type == kNewRule) add_rule(body, out);
        bytes.remove_prefix(std::min<std::size_t>(bytes.size(), NLMSG_ALIGN(head.nlmsg_len)));
    }
    return false;
}

void add_saved_rules(std::string_view text, Netfilter& out) {
    each_line(text, [&](std::string_view line) {
        const std::vector<std::string_view> columns = words(line);
        if (columns.size() < 2) return;
        if (line.starts_with(':')) {  // :INPUT DROP [0:0]
            out.chains.emplace(columns[0].substr(1));
            if (columns[1] == "DROP") ++out.rules;
        } else if (columns[0] == "-A" && !mentions_ufw(line)) {
            ++out.rules;
        }
    });
}

Netfilter read_netfilter(const Root& root) {
    Netfilter out;
    if (!root.is_machine()) return out;
    // A question to a part of the kernel that is not loaded would load it.
    if (Modules(root).safe_to_ask("nf_tables")) {
        ask_kernel(NFT_MSG_GETCHAIN, out);
        ask_kernel(NFT_MSG_GETRULE, out);
    }
    add_legacy(root, "/proc/net/ip_tables_names", "iptables-legacy-save", "iptables-save", out);
    add_legacy(root, "/proc/net/ip6_tables_names", "ip6tables-legacy-save", "ip6tables-save", out);
    return out;
}

}  // namespace slipway::agent
