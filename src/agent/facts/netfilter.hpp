// Packet filter rules there are, of nftables and of both kinds of iptables. The kernel is asked
// directly; a program runs only where tables of the old kind are in use.
#pragma once

#include "agent/facts/root.hpp"

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

namespace slipway::agent {

struct Netfilter {
    std::set<std::string> chains;
    // Rules, and chains that drop what no rule speaks of. Those firewalld and ufw made are not
    // counted: whoever runs these is asked to use them.
    std::int64_t rules = 0;
};

Netfilter read_netfilter(const Root& root);

// The two sources, apart from where they come from.
// Messages of one answer of the kernel; true when it was the last.
bool add_netlink_answer(std::string_view bytes, Netfilter& out);
// Text of iptables-save.
void add_saved_rules(std::string_view text, Netfilter& out);

}  // namespace slipway::agent
