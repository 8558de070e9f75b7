#include "config/proxy_flags.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <charconv>

namespace slipway::config {

namespace {

using Type = ProxyFlag::Type;

constexpr ProxyFlag kFlags[] = {
    {"bind-address", "bindAddress"},
    {"bind-address-hard-fail", "bindAddressHardFail", Type::boolean},
    {"config-sync-period", "configSyncPeriod"},
    {"conntrack-max-per-core", "conntrack.maxPerCore", Type::number},
    {"conntrack-min", "conntrack.min", Type::number},
    {"conntrack-tcp-be-liberal", "conntrack.tcpBeLiberal", Type::boolean},
    {"conntrack-tcp-timeout-close-wait", "conntrack.tcpCloseWaitTimeout"},
    {"conntrack-tcp-timeout-established", "conntrack.tcpEstablishedTimeout"},
    {"conntrack-udp-timeout", "conntrack.udpTimeout"},
    {"conntrack-udp-timeout-stream", "conntrack.udpStreamTimeout"},
    {"detect-local-mode", "detectLocalMode"},
    {"feature-gates", "featureGates", Type::gates},
    {"healthz-bind-address", "healthzBindAddress"},
    {"iptables-localhost-nodeports", "iptables.localhostNodePorts", Type::boolean},
    {"iptables-masquerade-bit", "iptables.masqueradeBit", Type::number},
    {"iptables-min-sync-period", "iptables.minSyncPeriod"},
    {"iptables-sync-period", "iptables.syncPeriod"},
    {"ipvs-exclude-cidrs", "ipvs.excludeCIDRs", Type::list},
    {"ipvs-min-sync-period", "ipvs.minSyncPeriod"},
    {"ipvs-scheduler", "ipvs.scheduler"},
    {"ipvs-strict-arp", "ipvs.strictARP", Type::boolean},
    {"ipvs-sync-period", "ipvs.syncPeriod"},
    {"ipvs-tcp-timeout", "ipvs.tcpTimeout"},
    {"ipvs-tcpfin-timeout", "ipvs.tcpFinTimeout"},
    {"ipvs-udp-timeout", "ipvs.udpTimeout"},
    {"kube-api-burst", "clientConnection.burst", Type::number},
    {"kube-api-content-type", "clientConnection.contentType"},
    {"kube-api-qps", "clientConnection.qps", Type::real},
    {"masquerade-all", "iptables.masqueradeAll", Type::boolean},
    {"metrics-bind-address", "metricsBindAddress"},
    {"nodeport-addresses", "nodePortAddresses", Type::list},
    {"oom-score-adj", "oomScoreAdj", Type::number},
    {"pod-bridge-interface", "detectLocal.bridgeInterface"},
    {"pod-interface-name-prefix", "detectLocal.interfaceNamePrefix"},
    {"profiling", "enableProfiling", Type::boolean},
    {"show-hidden-metrics-for-version", "showHiddenMetricsForVersion"},
    {"v", "logging.verbosity", Type::number},
};

static_assert(std::ranges::is_sorted(kFlags, {}, &ProxyFlag::name));

template <class T>
bool is_a(std::string_view value) {
    T parsed{};
    const auto [end, failure] = std::from_chars(value.data(), value.data() + value.size(), parsed);
    return failure == std::errc() && end == value.data() + value.size();
}

bool is_boolean(std::string_view value) { return value == "true" || value == "false"; }

bool are_gates(std::string_view value) {
    return std::ranges::all_of(split(value, ','), [](const std::string& gate) {
        const std::size_t equals = gate.find('=');
        return equals != std::string::npos && equals > 0 && is_boolean(gate.substr(equals + 1));
    });
}

}  // namespace

const ProxyFlag* find_proxy_flag(std::string_view name) {
    const auto* const found = std::ranges::lower_bound(kFlags, name, {}, &ProxyFlag::name);
    return found != std::end(kFlags) && found->name == name ? found : nullptr;
}

bool fits(const ProxyFlag& flag, std::string_view value) {
    switch (flag.type) {
        case Type::number: return is_a<long>(value);
        case Type::real: return is_a<double>(value);
        case Type::boolean: return is_boolean(value);
        case Type::gates: return are_gates(value);
        case Type::text:
        case Type::list: return true;
    }
    return false;
}

}  // namespace slipway::config
