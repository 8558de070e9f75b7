#include "config/rules.hpp"

#include "base/ip.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace slipway::config::rules {

namespace {

using Answer = std::optional<Fault>;

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_alnum(char c) { return is_lower(c) || (c >= 'A' && c <= 'Z') || is_digit(c); }
bool is_alnum_or_star(char c) { return is_alnum(c) || c == '*'; }
bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

bool only(std::string_view text, std::string_view more) {
    return std::ranges::all_of(
        text, [&](char c) { return is_alnum(c) || more.find(c) != std::string_view::npos; });
}

bool is_label(std::string_view text) {
    const auto edge = [](char c) { return is_lower(c) || is_digit(c); };
    return !text.empty() && text.size() <= 63 && edge(text.front()) && edge(text.back()) &&
           std::ranges::all_of(text, [&](char c) { return edge(c) || c == '-'; });
}

bool is_name(std::string_view text) {
    if (text.empty() || text.size() > 253) return false;
    return std::ranges::all_of(split(text, '.'),
                               [](const std::string& part) { return is_label(part); });
}

// All digits at the end is a mistyped IPv4 address, never a name (RFC 3696).
bool is_address(std::string_view text) {
    if (IpAddress::parse(text)) return true;
    std::string lower(text);
    for (char& c : lower) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
    const std::string_view last = std::string_view(lower).substr(lower.rfind('.') + 1);
    return is_name(lower) && !std::ranges::all_of(last, is_digit);
}

bool is_path(std::string_view text) {
    if (!text.starts_with('/') || text.size() > 4096 || std::ranges::any_of(text, is_control))
        return false;
    return std::ranges::none_of(split(text, '/'),
                                [](const std::string& part) { return part == ".."; });
}

std::optional<int> port(std::string_view text) {
    int value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc() || end != text.data() + text.size() || text.starts_with('0'))
        return std::nullopt;
    if (value < 1 || value > 65535) return std::nullopt;
    return value;
}

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

bool is_label_part(std::string_view text) {
    return !text.empty() && text.size() <= 63 && is_alnum(text.front()) && is_alnum(text.back()) &&
           only(text, "-_.");
}

bool is_env_name(std::string_view text) {
    return !text.empty() && text.size() <= 256 && !is_digit(text.front()) && only(text, "_");
}

bool is_version(std::string_view text) {
    if (!text.starts_with('v')) return false;
    const std::size_t dash = text.find('-');
    const std::vector<std::string> parts =
        split(text.substr(1, dash == std::string_view::npos ? dash : dash - 1), '.');
    const auto number = [](const std::string& part) {
        return !part.empty() && part.size() <= 4 && std::ranges::all_of(part, is_digit) &&
               (part.size() == 1 || part[0] != '0');
    };
    if (parts.size() != 3 || !std::ranges::all_of(parts, number)) return false;
    return dash == std::string_view::npos ||
           (only(text.substr(dash + 1), ".-") && text.size() - dash > 1);
}

Answer fault_unless(bool good, std::string what, std::string todo) {
    if (good) return std::nullopt;
    return Fault{std::move(what), std::move(todo)};
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

Answer check_version(std::string_view text) {
    return fault_unless(is_version(text), "is not a version", "write it as v1.34.11");
}

Answer check_login_user(std::string_view text) {
    if (starts_with_dash(text))
        return Fault{"begins with '-'", "write the name of the user to log in as"};
    return fault_unless(!text.empty() && text.size() <= 64 && only(text, "._-@\\$+"),
                        "is not a user name", "use letters, digits and . _ - @");
}

Answer check_account(std::string_view text) {
    if (starts_with_dash(text)) return Fault{"begins with '-'", "begin it with a letter"};
    const bool good =
        !text.empty() && text.size() <= 32 && (is_lower(text.front()) || text.front() == '_') &&
        std::ranges::all_of(
            text, [](char c) { return is_lower(c) || is_digit(c) || c == '_' || c == '-'; });
    return fault_unless(good, "is not an account name",
                        "use up to 32 of a-z, 0-9, _ and -, a letter first");
}

Answer check_absolute_path(std::string_view text) {
    return fault_unless(is_path(text), "is not an absolute path",
                        "begin it with / and leave out ..");
}

Answer check_plain_path(std::string_view text) {
    return fault_unless(is_path(text) && text.size() > 1 && !text.ends_with('/') &&
                            text.find("//") == std::string_view::npos && only(text, "/._-+@"),
                        "is not a plain path",
                        "begin it with / and use letters, digits and . _ - + @");
}

Answer check_interface_name(std::string_view text) {
    return fault_unless(
        !text.empty() && text.size() <= 15 && is_alnum(text.front()) && only(text, "._-@"),
        "is not a network interface", "write it as eth0 or bond0.100");
}

Answer check_registry_host(std::string_view text) {
    if (is_address(text)) return std::nullopt;
    const std::size_t colon = text.rfind(':');
    std::string_view host = text.substr(0, colon);
    if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
    return fault_unless(
        colon != std::string_view::npos && is_address(host) && port(text.substr(colon + 1)),
        "is not a registry", "write it as registry.example.org or registry.example.org:5000");
}

Answer check_resource_name(std::string_view text) {
    return fault_unless(is_name(text), "is not a kind of objects",
                        "write it as secrets or deployments.apps");
}

Answer check_calendar(std::string_view text) {
    return fault_unless(!text.empty() && text.size() <= 128 && is_alnum_or_star(text.front()) &&
                            only(text, " *:,./~-"),
                        "is not a time of a timer", "write it as daily or Mon *-*-* 02:00:00");
}

Answer check_local_path(std::string_view text) {
    if (starts_with_dash(text)) return Fault{"begins with '-'", "write ./ before it"};
    if (text.starts_with('~') && !text.starts_with("~/")) {
        return Fault{"names another user's home", "write the path in full"};
    }
    return fault_unless(
        !text.empty() && text.size() <= 4096 && std::ranges::none_of(text, is_control),
        "is not a path", "write the path of a file on this computer");
}

Answer check_file_mode(std::string_view text) {
    const bool octal = std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '7'; });
    return fault_unless(octal && (text.size() == 3 || text.size() == 4), "is not a file mode",
                        "write three or four octal digits, for example 0755");
}

Answer check_port_range(std::string_view text) {
    return fault_unless(is_port_range(text), "is not a port",
                        "write it as 8080/tcp or 30000-32767/udp");
}

Answer check_label_key(std::string_view text) {
    const std::size_t slash = text.find('/');
    const bool good = slash == std::string_view::npos
                          ? is_label_part(text)
                          : is_name(text.substr(0, slash)) && is_label_part(text.substr(slash + 1));
    return fault_unless(good, "is not a label name", "write it as disk or example.org/disk");
}

Answer check_label_value(std::string_view text) {
    return fault_unless(text.empty() || is_label_part(text), "is not a label value",
                        "use up to 63 letters, digits and - _ ., a letter or digit at both ends");
}

Answer check_env_name(std::string_view text) {
    return fault_unless(is_env_name(text), "is not the name of an environment variable",
                        "use letters, digits and _, not a digit first");
}

Answer check_one_line(std::string_view text) {
    return fault_unless(text.size() <= 4096 && std::ranges::none_of(text, is_control),
                        "has a line break or another control character", "write it on one line");
}

Answer check_argument(std::string_view text) {
    return fault_unless(text.size() <= 65536 && text.find('\0') == std::string_view::npos,
                        "cannot be an argument of a program",
                        "write at most 65536 characters, without NUL");
}

Answer check_sysctl(std::string_view text) {
    const bool good = text.size() <= 256 && !text.empty() && is_alnum(text.front()) &&
                      only(text, "._-/*:@") && text.find('.') != std::string_view::npos &&
                      text.find("..") == std::string_view::npos;
    return fault_unless(good, "is not a kernel parameter", "write it as net.ipv4.ip_forward");
}

Answer check_kernel_module(std::string_view text) {
    const bool good =
        !text.empty() && text.size() <= 64 && is_alnum(text.front()) && only(text, "_-");
    return fault_unless(good, "is not a kernel module", "write it as br_netfilter");
}

Answer check_package_name(std::string_view text) {
    return fault_unless(
        !text.empty() && text.size() <= 128 && is_alnum(text.front()) && only(text, "+._-"),
        "is not a package", "write it as nfs-common");
}

Answer check_timezone(std::string_view text) {
    const bool good =
        text.size() <= 64 && std::ranges::all_of(split(text, '/'), [](const std::string& part) {
            return !part.empty() && is_alnum(part.front()) && only(part, "_+-");
        });
    return fault_unless(good, "is not a time zone", "write it as Europe/Berlin or UTC");
}

// Other installers' names for steps have capitals, spaces, dots and even a slash.
Answer check_step_id(std::string_view text) {
    const std::size_t slash = text.find('/');
    const std::string_view first = text.substr(0, slash);
    const std::string_view last =
        slash != std::string_view::npos && is_label(first) ? text.substr(slash + 1) : text;
    const bool good = !last.empty() && last.size() <= 128 && is_alnum(last.front()) &&
                      is_alnum(last.back()) && only(last, "-_. /");
    return fault_unless(good, "is not a step",
                        "write it as STEP or HOST/STEP; `slipway steps` lists them");
}

constexpr const char* kLabelPattern = "^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$";

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
const Rule& version() {
    static const Rule kRule{"version, as v1.34.11", "^v[0-9]+\\.[0-9]+\\.[0-9]+(-[0-9A-Za-z.-]+)?$",
                            check_version};
    return kRule;
}
const Rule& login_user() {
    static const Rule kRule{"user name", "^[A-Za-z0-9._@\\\\$+][A-Za-z0-9._@\\\\$+-]{0,63}$",
                            check_login_user};
    return kRule;
}
const Rule& account() {
    static const Rule kRule{"account name", "^[a-z_][a-z0-9_-]{0,31}$", check_account};
    return kRule;
}
const Rule& absolute_path() {
    static const Rule kRule{"absolute path on the host", "^/", check_absolute_path};
    return kRule;
}
const Rule& plain_path() {
    static const Rule kRule{"absolute path on the host, of letters, digits and . _ - + @",
                            "^(/[A-Za-z0-9._+@-]+)+$", check_plain_path};
    return kRule;
}
const Rule& interface_name() {
    static const Rule kRule{"network interface", "^[A-Za-z0-9][A-Za-z0-9._@-]{0,14}$",
                            check_interface_name};
    return kRule;
}
const Rule& registry_host() {
    static const Rule kRule{"registry, as registry.example.org:5000",
                            "^[0-9a-zA-Z][-0-9a-zA-Z.:]*$|^::|^\\[[0-9a-fA-F.:]+\\]:[0-9]+$",
                            check_registry_host};
    return kRule;
}
const Rule& resource_name() {
    static const Rule kRule{"kind of objects", dns_name().pattern, check_resource_name};
    return kRule;
}
const Rule& calendar() {
    static const Rule kRule{"time of a timer, as systemd writes it",
                            "^[A-Za-z0-9*][A-Za-z0-9 *:,./~-]*$", check_calendar};
    return kRule;
}
const Rule& local_path() {
    static const Rule kRule{"path on this computer, relative to the spec's folder", "^[^-]",
                            check_local_path};
    return kRule;
}
const Rule& file_mode() {
    static const Rule kRule{"octal file mode", "^[0-7]{3,4}$", check_file_mode};
    return kRule;
}
const Rule& port_range() {
    static const Rule kRule{"port or range with protocol",
                            "^[0-9]{1,5}(-[0-9]{1,5})?/(tcp|udp|sctp)$", check_port_range};
    return kRule;
}
const Rule& label_key() {
    static const Rule kRule{
        "label name", "^([a-z0-9][-a-z0-9.]*/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$",
        check_label_key};
    return kRule;
}
const Rule& label_value() {
    static const Rule kRule{"label value", "^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$",
                            check_label_value};
    return kRule;
}
const Rule& env_name() {
    static const Rule kRule{"name of an environment variable", "^[A-Za-z_][A-Za-z0-9_]*$",
                            check_env_name};
    return kRule;
}
const Rule& argument() {
    static const Rule kRule{"argument of a program", "", check_argument};
    return kRule;
}
const Rule& one_line() {
    static const Rule kRule{"one line", "^[^\\n\\r]*$", check_one_line};
    return kRule;
}
const Rule& sysctl() {
    static const Rule kRule{"kernel parameter", "^[A-Za-z0-9][A-Za-z0-9._/*:@-]*$", check_sysctl};
    return kRule;
}
const Rule& kernel_module() {
    static const Rule kRule{"kernel module", "^[A-Za-z0-9][A-Za-z0-9_-]*$", check_kernel_module};
    return kRule;
}
const Rule& package_name() {
    static const Rule kRule{"package of the distribution", "^[A-Za-z0-9][A-Za-z0-9+._-]{0,127}$",
                            check_package_name};
    return kRule;
}
const Rule& timezone() {
    static const Rule kRule{
        "time zone", "^[A-Za-z0-9][A-Za-z0-9_+-]*(/[A-Za-z0-9][A-Za-z0-9_+-]*)*$", check_timezone};
    return kRule;
}
const Rule& step_id() {
    static const Rule kRule{"step, or host/step", "^[A-Za-z0-9][-A-Za-z0-9_. /]*$", check_step_id};
    return kRule;
}

}  // namespace slipway::config::rules
