#include "cluster/dns_config.hpp"

#include "base/text.hpp"
#include "cluster/topology.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

// Also in the block of each zone: CoreDNS asks only the block that fits a name best.
std::string fixed_names(const config::Dns& dns) {
    if (dns.hosts.empty()) return "";
    std::string out = "    hosts {\n";
    for (const auto& [address, names] : dns.hosts)
        out += fmt::format("       {} {}\n", address, join(names, " "));
    return out + "       fallthrough\n    }\n";
}

std::string cache(const config::Dns& dns, const std::string& except = "") {
    if (dns.cache_seconds == 0) return "";
    if (except.empty()) return fmt::format("    cache {}\n", dns.cache_seconds);
    return fmt::format(
        "    cache {0} {{\n       disable success {1}\n       disable denial {1}\n    }}\n",
        dns.cache_seconds, except);
}

std::string forward(const std::vector<std::string>& servers) {
    return fmt::format("    forward . {} {{\n       max_concurrent 1000\n    }}\n",
                       join(servers, " "));
}

// A machine without any name server (offline sites) has nowhere to forward to, and CoreDNS would
// not start if it were told to.
std::string forward_the_rest(const config::Dns& dns, bool has_name_servers) {
    if (std::ranges::find(dns.upstreams, "none") != dns.upstreams.end()) return "";
    if (!dns.upstreams.empty()) return forward(dns.upstreams);
    return has_name_servers ? forward({"/etc/resolv.conf"}) : "";
}

std::string zone(const std::string& domain, const std::vector<std::string>& servers,
                 const config::Dns& dns) {
    return fmt::format("{}:53 {{\n    errors\n{}{}    loop\n    reload\n{}}}\n", domain,
                       fixed_names(dns), cache(dns), forward(servers));
}

// Asked by TCP: the kernel does not have to keep track of each question, and none is lost.
std::string node_block(const std::string& names, const std::string& cached, const std::string& more,
                       const std::string& server) {
    return fmt::format(R"({} {{
    errors
    bind {}
{}{}    loop
    reload
    prometheus :9253
    forward . {} {{
       force_tcp
       max_concurrent 1000
    }}
}}
)",
                       names, kNodeDnsAddress, more, cached, server);
}

}  // namespace

std::string corefile(const config::Spec& spec, bool has_name_servers) {
    const config::Dns& dns = spec.kubernetes.dns;
    std::string out = fmt::format(R"(.:53 {{
    errors
    health {{
       lameduck 5s
    }}
    ready
    kubernetes {0} in-addr.arpa ip6.arpa {{
       pods insecure
       fallthrough in-addr.arpa ip6.arpa
       ttl 30
    }}
{1}    prometheus :9153
{2}{3}    loop
    reload
    loadbalance
}}
)",
                                  spec.kubernetes.dns_domain, fixed_names(dns),
                                  forward_the_rest(dns, has_name_servers),
                                  cache(dns, spec.kubernetes.dns_domain));
    for (const auto& [domain, servers] : dns.zones) out += zone(domain, servers, dns);
    return out;
}

// The names of the cluster are kept as long as CoreDNS says, whatever is wished for others: that is
// what the cache is for.
std::string node_corefile(const config::Spec& spec) {
    const std::string server = dns_address(spec);
    const std::string& domain = spec.kubernetes.dns_domain;
    return node_block(fmt::format("{}:53 in-addr.arpa:53 ip6.arpa:53", domain),
                      "    cache {\n       success 9984 30\n       denial 9984 5\n    }\n",
                      fmt::format("    health {}:9254\n", kNodeDnsAddress), server) +
           node_block(".:53", cache(spec.kubernetes.dns), "", server);
}

std::vector<std::string> dns_servers(const config::Spec& spec) {
    std::vector<std::string> out = {dns_address(spec)};
    if (spec.kubernetes.dns.node_local) out.insert(out.begin(), std::string(kNodeDnsAddress));
    return out;
}

std::string indented(std::string_view text, std::string_view by) {
    std::string out;
    for (const std::string& line : split(trim(text), '\n'))
        out += line.empty() ? "\n" : fmt::format("{}{}\n", by, line);
    return out;
}

}  // namespace slipway::cluster
