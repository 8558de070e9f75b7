// What the probes between hosts have shown. One answer a host, not one a pair: a port closed on one
// host is said once, of that host, and a host that reaches nobody once, of that one.
#include "base/text.hpp"
#include "cluster/checks/report.hpp"
#include "cluster/host_ports.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

using Probes = std::vector<const ProbedLink*>;

struct Question {
    LinkUse use;
    CheckSeverity severity;
    std::string wanted;
    // What to do about a port that is closed on `host`.
    std::string (*remedy)(const Link& link);
};

std::string port_of(const Link& link) {
    return fmt::format("{}/{}", link.target.port,
                       link.target.protocol == remote::Protocol::udp ? "udp" : "tcp");
}

// What was tried in vain, in words that "from HOST" follows.
std::string failure_of(const Link& link) {
    if (link.use != LinkUse::path_mtu) return port_of(link) + " not reached";
    return fmt::format("packets of {} bytes do not arrive", link.target.size);
}

std::string open_port(const Link& link) {
    return fmt::format(
        "let {} pass from {} to {} in every firewall on the way: on the host (nft list ruleset), "
        "and between the networks (security groups, routers)",
        port_of(link), link.from, link.to.empty() ? link.target.address : link.to);
}

std::string widen_path(const Link& link) {
    return fmt::format(
        "set the MTU of {} and {} to what the network between carries (ip link set INTERFACE mtu "
        "N; try: ping -M do -s {} {}), and for good in their network configuration",
        link.from, link.to, link.target.size - 28, link.target.address);
}

// Ports that are not open yet because Slipway opens them: their silence means nothing.
bool slipway_opens(const CheckInput& in, const Link& link) {
    const auto facts = in.subject.facts.find(link.to);
    return in.spec.os.firewall && facts != in.subject.facts.end() &&
           !facts->second.firewall.empty();
}

// "w1, w2 and 3 more"
std::string some(const std::set<std::string>& names) {
    std::vector<std::string> shown(names.begin(), names.end());
    std::ranges::sort(shown, natural_less);
    constexpr std::size_t kShown = 3;
    if (shown.size() <= kShown) return join(shown, ", ");
    const std::size_t rest = shown.size() - kShown;
    shown.resize(kShown);
    return fmt::format("{} and {} more", join(shown, ", "), rest);
}

struct Tally {
    std::set<std::string> partners;  // all asked
    std::set<std::string> failed;
    std::set<std::string> failures;
    const ProbedLink* first = nullptr;  // that failed
    bool waits_for_slipway = false;

    void count(const ProbedLink& probed, const std::string& partner, bool excused) {
        partners.insert(partner);
        if (probed.open()) return;
        if (excused) {
            waits_for_slipway = true;
            return;
        }
        failed.insert(partner);
        failures.insert(failure_of(probed.link));
        if (first == nullptr) first = &probed;
    }
    bool reached_none() const { return partners.size() > 1 && failed.size() == partners.size(); }
};

struct NaturalOrder {
    bool operator()(const std::string& a, const std::string& b) const { return natural_less(a, b); }
};
using Tallies = std::map<std::string, Tally, NaturalOrder>;

Finding from_nobody(const Tally& tally, const Question& question) {
    return fail(question.severity,
                fmt::format("{} at any of {} hosts: {}", some(tally.failures),
                            tally.partners.size(), tally.first->answer.reason),
                question.wanted, question.remedy(tally.first->link));
}

Finding verdict(const Tally& tally, const Question& question) {
    if (tally.failed.empty()) {
        return pass(tally.waits_for_slipway
                        ? "not open yet; Slipway opens it in the host's firewall"
                        : fmt::format("reached from {} host{}", tally.partners.size(),
                                      tally.partners.size() == 1 ? "" : "s"));
    }
    return fail(question.severity,
                fmt::format("{} from {}: {}", some(tally.failures), some(tally.failed),
                            tally.first->answer.reason),
                question.wanted, question.remedy(tally.first->link));
}

// Where not even small packets pass there is nothing to say about large ones.
using Pairs = std::set<std::pair<std::string, std::string>>;
Pairs closed_to_pods(const CheckInput& in) {
    Pairs out;
    for (const ProbedLink& probed : in.subject.reachability.links) {
        const bool datagram = probed.link.target.protocol == remote::Protocol::udp;
        if (probed.link.use == LinkUse::network_plugin && datagram && !probed.open())
            out.emplace(probed.link.from, probed.link.to);
    }
    return out;
}

// Between hosts of the spec.
void check_between(const CheckInput& in, CheckReport& report, const Question& question) {
    Probes probes;
    Tallies by_sender, by_target;
    const auto closed = question.use == LinkUse::path_mtu ? closed_to_pods(in) : Pairs();
    for (const ProbedLink& probed : in.subject.reachability.links) {
        if (probed.link.use != question.use) continue;
        if (closed.contains({probed.link.from, probed.link.to})) continue;
        probes.push_back(&probed);
        by_sender[probed.link.from].count(probed, probed.link.to, slipway_opens(in, probed.link));
    }
    for (const auto& [sender, tally] : by_sender) {
        if (tally.reached_none()) report.add(sender, from_nobody(tally, question));
    }
    for (const ProbedLink* probed : probes) {
        const Link& link = probed->link;
        if (by_sender.at(link.from).reached_none()) continue;
        by_target[link.to].count(*probed, link.from, slipway_opens(in, link));
    }
    for (const auto& [target, tally] : by_target) {
        report.add(target, verdict(tally, question),
                   tally.failed.size() == 1 ? *tally.failed.begin() : "");
    }
}

// From a host of the spec to something that is there already: any answer at all is one.
void check_outside(const CheckInput& in, CheckReport& report, const Question& question) {
    for (const ProbedLink& probed : in.subject.reachability.links) {
        const Link& link = probed.link;
        if (link.use != question.use) continue;
        const std::string where = fmt::format("{} port {}", link.target.address, link.target.port);
        if (probed.open()) {
            report.add(link.from, pass(where + " answers"));
        } else {
            report.add(link.from,
                       fail(question.severity, fmt::format("{}: {}", where, probed.answer.reason),
                            question.wanted, question.remedy(link)));
        }
    }
}

}  // namespace

void check_probing(const CheckInput& in, CheckReport& report) {
    const auto& failed = in.subject.reachability.failed;
    for (const auto& [host, facts] : in.hosts) {
        const auto why = failed.find(host->name);
        if (why == failed.end()) continue;
        report.add(host->name,
                   fail(kError, why->second, "a host that stays reachable while it is looked at",
                        fmt::format("check that {} is still up, then repeat the command: what it "
                                    "reaches, and who reaches it, is not known",
                                    host->name)));
    }
}

void check_reach_api(const CheckInput& in, CheckReport& report) {
    check_between(in, report,
                  {LinkUse::api, kError, "the API server's port open to every node", open_port});
}

void check_reach_etcd(const CheckInput& in, CheckReport& report) {
    check_between(in, report,
                  {LinkUse::etcd, kError,
                   "etcd's ports open to its members and to every API server", open_port});
}

void check_reach_kubelet(const CheckInput& in, CheckReport& report) {
    check_between(
        in, report,
        {LinkUse::kubelet, kError, "the kubelet's port open to every control plane", open_port});
}

void check_reach_network_plugin(const CheckInput& in, CheckReport& report) {
    check_between(in, report,
                  {LinkUse::network_plugin, kError,
                   "the network plugin's port open between all nodes", open_port});
}

void check_reach_registry(const CheckInput& in, CheckReport& report) {
    check_between(in, report,
                  {LinkUse::registry, kError, "the registry's port open to every node", open_port});
}

void check_path_mtu(const CheckInput& in, CheckReport& report) {
    check_between(
        in, report,
        {LinkUse::path_mtu, kError,
         "a network that carries packets as large as the interfaces make them", widen_path});
}

void check_reach_outside_registry(const CheckInput& in, CheckReport& report) {
    check_outside(in, report,
                  {LinkUse::outside_registry, kError, "the registry of the spec answers",
                   [](const Link& link) {
                       return fmt::format(
                           "check registry.address in the spec, that the registry "
                           "runs, and that {} may reach it: nc -vz {} {}",
                           link.from, link.target.address, link.target.port);
                   }});
}

void check_reach_outside_etcd(const CheckInput& in, CheckReport& report) {
    check_outside(in, report,
                  {LinkUse::outside_etcd, kError, "every endpoint of the external etcd answers",
                   [](const Link& link) {
                       return fmt::format(
                           "check etcd.endpoints in the spec, that etcd runs, and "
                           "that {} may reach it: nc -vz {} {}",
                           link.from, link.target.address, link.target.port);
                   }});
}

void check_reach_balancer(const CheckInput& in, CheckReport& report) {
    check_outside(in, report,
                  {LinkUse::balancer, kWarning, "the load balancer answers", [](const Link& link) {
                       return fmt::format(
                           "check kubernetes.endpoint in the spec, and that the load balancer "
                           "listens at {}:{} and sends on to port 6443 of the control planes; one "
                           "that listens only once they run is fine",
                           link.target.address, link.target.port);
                   }});
}

void check_reach_name_server(const CheckInput& in, CheckReport& report) {
    // Not all answer over TCP, but one that is there refuses rather than stays silent.
    for (const ProbedLink& probed : in.subject.reachability.links) {
        const Link& link = probed.link;
        if (link.use != LinkUse::name_server) continue;
        if (probed.open() || probed.answer.reason == "refused") {
            report.add(link.from, pass(link.target.address + " is there"));
            continue;
        }
        report.add(
            link.from,
            fail(kWarning, fmt::format("{}: {}", link.target.address, probed.answer.reason),
                 "a name server that answers",
                 fmt::format("check it (getent hosts {} on the host), and correct nameserver "
                             "in the host's network configuration",
                             link.from)));
    }
}

}  // namespace slipway::cluster
