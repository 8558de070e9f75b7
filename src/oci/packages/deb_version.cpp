#include "oci/packages/deb_version.hpp"

#include "oci/packages/version_parts.hpp"

#include <algorithm>

namespace slipway::oci::packages {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The end and digits stand between ~ and letters; letters come before everything else.
int weight(std::string_view text, std::size_t at) {
    if (at >= text.size() || is_digit(text[at])) return 0;
    const char c = text[at];
    if (c == '~') return -1;
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return static_cast<unsigned char>(c) + (is_letter ? 0 : 256);
}

// Numbers of any length, as text.
std::strong_ordering compare_numbers(std::string_view a, std::string_view b) {
    const auto without_zeros = [](std::string_view n) {
        n.remove_prefix(std::min(n.find_first_not_of('0'), n.size()));
        return n;
    };
    a = without_zeros(a);
    b = without_zeros(b);
    if (a.size() != b.size()) return a.size() <=> b.size();
    return a <=> b;
}

std::string_view take_number(std::string_view& text) {
    const auto end = std::ranges::find_if_not(text, is_digit);
    const std::string_view number = text.substr(0, static_cast<std::size_t>(end - text.begin()));
    text.remove_prefix(number.size());
    return number;
}

std::strong_ordering compare_part(std::string_view a, std::string_view b) {
    while (!a.empty() || !b.empty()) {
        std::size_t at = 0;
        while ((at < a.size() && !is_digit(a[at])) || (at < b.size() && !is_digit(b[at]))) {
            const auto order = weight(a, at) <=> weight(b, at);
            if (order != 0) return order;
            ++at;
        }
        a.remove_prefix(std::min(at, a.size()));
        b.remove_prefix(std::min(at, b.size()));
        const std::string_view left = take_number(a), right = take_number(b);
        const auto order = compare_numbers(left, right);
        if (order != 0) return order;
    }
    return std::strong_ordering::equal;
}

}  // namespace

std::strong_ordering compare_deb_versions(std::string_view a, std::string_view b) {
    const VersionParts left = version_parts(a), right = version_parts(b);
    if (const auto order = compare_numbers(left.epoch, right.epoch); order != 0) return order;
    if (const auto order = compare_part(left.version, right.version); order != 0) return order;
    return compare_part(left.release, right.release);
}

}  // namespace slipway::oci::packages
