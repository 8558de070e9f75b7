#include "oci/packages/rpm_version.hpp"

#include "oci/packages/version_parts.hpp"

#include <algorithm>

namespace slipway::oci::packages {

namespace {

using Order = std::strong_ordering;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_separator(char c) { return !is_digit(c) && !is_letter(c) && c != '~' && c != '^'; }

void skip_separators(std::string_view& text) {
    while (!text.empty() && is_separator(text.front())) text.remove_prefix(1);
}

std::string_view take(std::string_view& text, bool (*belongs)(char)) {
    const auto end = std::ranges::find_if_not(text, belongs);
    const std::string_view out = text.substr(0, static_cast<std::size_t>(end - text.begin()));
    text.remove_prefix(out.size());
    return out;
}

Order compare_numbers(std::string_view a, std::string_view b) {
    a.remove_prefix(std::min(a.find_first_not_of('0'), a.size()));
    b.remove_prefix(std::min(b.find_first_not_of('0'), b.size()));
    if (a.size() != b.size()) return a.size() <=> b.size();
    return a <=> b;
}

// Both begin with neither ~ nor ^ nor a separator, and neither is at its end.
Order compare_segment(std::string_view& a, std::string_view& b) {
    const bool is_number = is_digit(a.front());
    const std::string_view left = take(a, is_number ? is_digit : is_letter);
    const std::string_view right = take(b, is_number ? is_digit : is_letter);
    // Of different kinds the number is newer.
    if (right.empty()) return is_number ? Order::greater : Order::less;
    return is_number ? compare_numbers(left, right) : left <=> right;
}

bool begins(std::string_view text, char c) { return !text.empty() && text.front() == c; }

}  // namespace

Order compare_rpm_parts(std::string_view a, std::string_view b) {
    while (!a.empty() || !b.empty()) {
        skip_separators(a);
        skip_separators(b);
        if (begins(a, '~') || begins(b, '~')) {
            if (!begins(a, '~')) return Order::greater;
            if (!begins(b, '~')) return Order::less;
        } else if (begins(a, '^') || begins(b, '^')) {
            if (a.empty()) return Order::less;
            if (b.empty()) return Order::greater;
            if (!begins(a, '^')) return Order::greater;
            if (!begins(b, '^')) return Order::less;
        } else {
            if (a.empty() || b.empty()) break;
            const Order order = compare_segment(a, b);
            if (order != 0) return order;
            continue;
        }
        a.remove_prefix(1);
        b.remove_prefix(1);
    }
    return !a.empty() <=> !b.empty();
}

Order compare_rpm_versions(const RpmVersion& a, const RpmVersion& b) {
    const Order epochs = compare_numbers(a.epoch, b.epoch);
    if (epochs != 0) return epochs;
    const Order versions = compare_rpm_parts(a.version, b.version);
    if (versions != 0 || a.release.empty() || b.release.empty()) return versions;
    return compare_rpm_parts(a.release, b.release);
}

std::string RpmVersion::str() const {
    std::string out = epoch.empty() || epoch == "0" ? version : epoch + ":" + version;
    return release.empty() ? out : out + "-" + release;
}

RpmVersion RpmVersion::parse(std::string_view text) {
    const VersionParts parts = version_parts(text);
    return {.epoch = std::string(parts.epoch),
            .version = std::string(parts.version),
            .release = std::string(parts.release)};
}

}  // namespace slipway::oci::packages
