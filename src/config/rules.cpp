#include "config/rules.hpp"

#include "base/text.hpp"
#include "config/rule_parts.hpp"

#include <algorithm>
#include <array>

namespace slipway::config::rules {

namespace {

bool is_path(std::string_view text) {
    if (!text.starts_with('/') || text.size() > 4096 || std::ranges::any_of(text, is_control))
        return false;
    return std::ranges::none_of(split(text, '/'),
                                [](const std::string& part) { return part == ".."; });
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

Answer check_value_path(std::string_view text) {
    const bool good =
        text.size() <= 256 && std::ranges::all_of(split(text, '.'), [](const std::string& part) {
            return !part.empty() && is_alnum(part.front()) && only(part, "_-");
        });
    return fault_unless(good, "is not the name of a value", "write it as mtu or image.tag");
}

// Helm gives releases 53 characters.
Answer check_component_name(std::string_view text) {
    return fault_unless(is_label(text) && text.size() <= 53, "is not a component's name",
                        "use up to 53 of a-z, 0-9 and -, a letter or digit at both ends");
}

Answer check_chart_version(std::string_view text) {
    return fault_unless(
        !text.empty() && text.size() <= 64 && is_alnum(text.front()) && only(text, ".+-"),
        "is not the version of a chart", "write it as 3.13.0");
}

Answer check_resource_name(std::string_view text) {
    return fault_unless(is_name(text), "is not a kind of objects",
                        "write it as secrets or deployments.apps");
}

// What systemd calls it, or words of: days of the week, a date, a time of day, a zone.
bool is_calendar(std::string_view text) {
    static constexpr std::array<std::string_view, 9> kWords = {
        "minutely", "hourly",   "daily",     "weekly",      "monthly",
        "yearly",   "annually", "quarterly", "semiannually"};
    if (std::ranges::find(kWords, text) != kWords.end()) return true;
    bool has_date_or_time = false;
    const std::vector<std::string> words = split(text, ' ');
    for (const std::string& word : words) {
        if (word.empty() || (!is_alnum(word.front()) && word.front() != '*')) return false;
        const bool date = word.find('-') != word.npos && only_of(word, "0123456789*,./~-");
        const bool time = word.find(':') != word.npos && only_of(word, "0123456789*,./:");
        const bool name = is_alnum(word.front()) && only(word, ",.");
        if (!date && !time && !name) return false;
        has_date_or_time = has_date_or_time || date || time;
    }
    return has_date_or_time && words.size() <= 4;
}

Answer check_calendar(std::string_view text) {
    return fault_unless(text.size() <= 128 && is_calendar(text), "is not a time of a timer",
                        "write it as daily or Mon *-*-* 02:00:00");
}

Answer check_plain_value(std::string_view text) {
    return fault_unless(text.size() <= 4096 && !starts_with_dash(text) && only(text, "._-+:/,=@"),
                        "cannot be a value here", "use letters, digits and . _ - + : / , = @");
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

Answer check_flag_name(std::string_view text) {
    const bool good =
        !text.empty() && text.size() <= 128 && is_lower(text.front()) &&
        std::ranges::all_of(text, [](char c) { return is_lower(c) || is_digit(c) || c == '-'; });
    return fault_unless(good, "is not an argument of a program",
                        "write it without the leading dashes, as audit-log-maxage");
}

// One word in a file that systemd reads, whatever the program makes of it.
Answer check_flag_value(std::string_view text) {
    const auto plain = [](char c) {
        return c > ' ' && c < 0x7f && std::string_view("\"'\\$`").find(c) == std::string_view::npos;
    };
    return fault_unless(text.size() <= 4096 && std::ranges::all_of(text, plain),
                        "cannot be the value of an argument",
                        "write it without spaces, quotes, backslashes and dollar signs");
}

Answer check_gate_name(std::string_view text) {
    const bool good =
        !text.empty() && text.size() <= 128 && !is_digit(text.front()) && only(text, "");
    return fault_unless(good, "is not a feature gate", "write it as NodeSwap");
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

}  // namespace

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

const Rule& resource_name() {
    static const Rule kRule{"kind of objects", dns_name().pattern, check_resource_name};
    return kRule;
}

const Rule& value_path() {
    static const Rule kRule{"name of a value, with dots",
                            "^[A-Za-z0-9][A-Za-z0-9_-]*(\\.[A-Za-z0-9][A-Za-z0-9_-]*)*$",
                            check_value_path};
    return kRule;
}

const Rule& component_name() {
    static const Rule kRule{"lower-case name of at most 53 characters",
                            "^[a-z0-9]([-a-z0-9]{0,51}[a-z0-9])?$", check_component_name};
    return kRule;
}

const Rule& chart_version() {
    static const Rule kRule{"version of a chart, as 3.13.0", "^[A-Za-z0-9][A-Za-z0-9.+-]{0,63}$",
                            check_chart_version};
    return kRule;
}

const Rule& calendar() {
    static const Rule kRule{"time of a timer, as systemd writes it",
                            "^[A-Za-z0-9*][A-Za-z0-9 *:,./~-]*$", check_calendar};
    return kRule;
}

const Rule& plain_value() {
    static const Rule kRule{"value of an option, of letters, digits and . _ - + : / , = @",
                            "^([A-Za-z0-9._+:/,=@][A-Za-z0-9._+:/,=@-]*)?$", check_plain_value};
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

const Rule& flag_name() {
    static const Rule kRule{"argument without its dashes", "^[a-z][a-z0-9-]{0,127}$",
                            check_flag_name};
    return kRule;
}

const Rule& flag_value() {
    static const Rule kRule{"value without spaces, quotes, backslashes and dollar signs",
                            "^[!#%&(-\\[\\]-_a-~]{0,4096}$", check_flag_value};
    return kRule;
}

const Rule& gate_name() {
    static const Rule kRule{"feature gate", "^[A-Za-z][A-Za-z0-9]{0,127}$", check_gate_name};
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
