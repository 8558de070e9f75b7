#include "base/ip.hpp"
#include "base/text.hpp"
#include "config/rule_parts.hpp"
#include "config/rules.hpp"

#include <algorithm>

namespace slipway::config::rules {

namespace {

constexpr const char* kLabelPattern = "^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$";

bool is_port_range(std::string_view text) {
    const std::size_t slash = text.find('/');
    if (slash == std::string_view::npos) return false;
    const std::string_view protocol = text.substr(slash + 1);
    if (protocol != "tcp" && protocol != "udp" && protocol != "sctp") return false;
    const std::string_view ports = text.substr(0, slash);
    const std::size_t dash = ports.find('-');
    const auto low = port(ports.substr(0, dash));
    const auto high = dash == std::string_view::npos ? low : port(ports.substr(dash + 1));
    return low && high && *low <= *high;
}

Answer check_dns_label(std::string_view text) {
    if (starts_with_dash(text))
        return Fault{"begins with '-'", "begin it with a letter or a digit"};
    return fault_unless(is_label(text), "is not a name",
                        "use up to 63 of a-z, 0-9 and '-', a letter or digit at both ends");
}

Answer check_dns_name(std::string_view text) {
    return fault_unless(is_name(text), "is not a DNS name",
                        "write it as cluster.local, in lower case");
}

Answer check_address(std::string_view text) {
    if (starts_with_dash(text))
        return Fault{"begins with '-'", "write an IP address or a host name"};
    return fault_unless(is_address(text), "is neither an IP address nor a host name",
                        "write it as 10.0.0.10, fd00::10 or node-1.example.org");
}

Answer check_host_address(std::string_view text) {
    return text == "local" ? std::nullopt : check_address(text);
}

Answer check_certificate_name(std::string_view text) {
    return check_address(text.starts_with("*.") ? text.substr(2) : text);
}

Answer check_cidr(std::string_view text) {
    const auto network = Network::parse(text);
    if (!network) return Fault{"is not a network", "write it as 10.244.0.0/16 or fd00:10:244::/56"};
    return fault_unless(!network->has_host_bits(), "has bits set after its prefix",
                        "write " + network->text());
}

Answer check_interface_name(std::string_view text) {
    return fault_unless(
        !text.empty() && text.size() <= 15 && is_alnum(text.front()) && only(text, "._-@"),
        "is not a network interface", "write it as eth0 or bond0.100");
}

Answer check_registry_host(std::string_view text) {
    // Names of images have IPv6 addresses in brackets, with a port or without.
    std::string_view host = text.substr(0, text.find(':'));
    std::string_view rest = text.substr(host.size());
    bool good = is_address(host);
    if (text.starts_with('[')) {
        const std::size_t end = std::min(text.find(']'), text.size() - 1);
        host = text.substr(1, end - 1);
        rest = text.substr(end + 1);
        good = text[end] == ']' && host.find(':') != std::string_view::npos && is_address(host);
    }
    good = good && (rest.empty() || (rest.front() == ':' && port(rest.substr(1))));
    return fault_unless(
        good, "is not a registry",
        "write it as registry.example.org, registry.example.org:5000 or [fd00::5]:5000");
}

Answer check_ip_address(std::string_view text) {
    return fault_unless(IpAddress::parse(text).has_value(), "is not an IP address",
                        "write it as 10.0.0.7 or fd00::7");
}

Answer check_name_server(std::string_view text) {
    if (IpAddress::parse(text)) return std::nullopt;
    const std::size_t colon = text.rfind(':');
    std::string_view host = text.substr(0, colon);
    const bool in_brackets = host.starts_with('[') && host.ends_with(']');
    if (in_brackets) host = host.substr(1, host.size() - 2);
    const auto ip = IpAddress::parse(host);
    const bool good = colon != std::string_view::npos && ip && ip->is_v6() == in_brackets &&
                      port(text.substr(colon + 1));
    return fault_unless(good, "is not a name server",
                        "write its address: 10.0.0.53, 10.0.0.53:5353 or [fd00::53]:53");
}

Answer check_mtu(std::string_view text) {
    const auto bytes = port(text);
    return fault_unless(bytes && *bytes >= 576 && *bytes <= 9216, "is not the size of a packet",
                        "write a number from 576 to 9216");
}

Answer check_flannel_backend(std::string_view text) {
    return fault_unless(text == "vxlan" || text == "host-gw" || text == "wireguard",
                        "is not a backend of flannel", "use vxlan, host-gw or wireguard");
}

// One more word where nothing may be asked at all.
Answer check_upstream(std::string_view text) {
    return text == "none" ? std::nullopt : check_name_server(text);
}

Answer check_https_endpoint(std::string_view text) {
    constexpr std::string_view kScheme = "https://";
    const std::size_t colon = text.rfind(':');
    bool good = text.starts_with(kScheme) && colon != text.npos && colon > kScheme.size();
    if (good) {
        std::string_view host = text.substr(kScheme.size(), colon - kScheme.size());
        const bool brackets = host.starts_with('[') && host.ends_with(']');
        if (brackets) host = host.substr(1, host.size() - 2);
        good = is_address(host) && brackets == (host.find(':') != host.npos) &&
               port(text.substr(colon + 1));
    }
    return fault_unless(good, "is not the address of a server",
                        "write it as https://10.0.0.31:2379 or https://[fd00::31]:2379");
}

Answer check_port_range(std::string_view text) {
    return fault_unless(is_port_range(text), "is not a port",
                        "write it as 8080/tcp or 30000-32767/udp");
}

}  // namespace

const Rule& dns_label() {
    static const Rule kRule{"lower-case name of at most 63 characters", kLabelPattern,
                            check_dns_label};
    return kRule;
}

const Rule& dns_name() {
    static const Rule kRule{"DNS name",
                            "^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$",
                            check_dns_name};
    return kRule;
}

const Rule& address() {
    static const Rule kRule{"IP address or host name",
                            "^[0-9a-zA-Z][-0-9a-zA-Z.:]*$|^::", check_address};
    return kRule;
}

const Rule& host_address() {
    static const Rule kRule{"IP address, host name, or local",
                            "^[0-9a-zA-Z][-0-9a-zA-Z.:]*$|^::", check_host_address};
    return kRule;
}

const Rule& certificate_name() {
    static const Rule kRule{"IP address, host name, or *.example.org",
                            "^(\\*\\.)?[0-9a-zA-Z][-0-9a-zA-Z.:]*$|^::", check_certificate_name};
    return kRule;
}

const Rule& cidr() {
    static const Rule kRule{"network, as 10.244.0.0/16", "^[0-9a-fA-F.:]+/[0-9]{1,3}$", check_cidr};
    return kRule;
}

const Rule& interface_name() {
    static const Rule kRule{"network interface", "^[A-Za-z0-9][A-Za-z0-9._@-]{0,14}$",
                            check_interface_name};
    return kRule;
}

const Rule& registry_host() {
    static const Rule kRule{
        "registry, as registry.example.org:5000",
        "^[0-9a-zA-Z][-0-9a-zA-Z.]*(:[0-9]+)?$|^\\[[0-9a-fA-F.:]+\\](:[0-9]+)?$",
        check_registry_host};
    return kRule;
}

const Rule& ip_address() {
    static const Rule kRule{"IP address", "^[0-9a-fA-F.:]+$", check_ip_address};
    return kRule;
}

const Rule& name_server() {
    static const Rule kRule{"address of a name server, with its port if that is not 53",
                            "^[0-9a-fA-F.:]+$|^\\[[0-9a-fA-F.:]+\\]:[0-9]+$", check_name_server};
    return kRule;
}

const Rule& upstream() {
    static const Rule kRule{"address of a name server, or none",
                            "^none$|^[0-9a-fA-F.:]+$|^\\[[0-9a-fA-F.:]+\\]:[0-9]+$",
                            check_upstream};
    return kRule;
}

const Rule& mtu() {
    static const Rule kRule{"size of a packet", "^[0-9]{3,4}$", check_mtu};
    return kRule;
}

const Rule& flannel_backend() {
    static const Rule kRule{"backend of flannel", "^(vxlan|host-gw|wireguard)$",
                            check_flannel_backend};
    return kRule;
}

const Rule& https_endpoint() {
    static const Rule kRule{"address of a server, as https://10.0.0.31:2379",
                            "^https://([0-9a-zA-Z][-0-9a-zA-Z.]*|\\[[0-9a-fA-F.:]+\\]):[0-9]{1,5}$",
                            check_https_endpoint};
    return kRule;
}

const Rule& port_range() {
    static const Rule kRule{"port or range with protocol",
                            "^[0-9]{1,5}(-[0-9]{1,5})?/(tcp|udp|sctp)$", check_port_range};
    return kRule;
}

}  // namespace slipway::config::rules
