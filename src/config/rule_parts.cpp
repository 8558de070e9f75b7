#include "config/rule_parts.hpp"

#include "base/ip.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <charconv>

namespace slipway::config::rules {

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_alnum(char c) { return is_lower(c) || (c >= 'A' && c <= 'Z') || is_digit(c); }
bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

bool only(std::string_view text, std::string_view more) {
    return std::ranges::all_of(
        text, [&](char c) { return is_alnum(c) || more.find(c) != std::string_view::npos; });
}

bool only_of(std::string_view text, std::string_view which) {
    return text.find_first_not_of(which) == std::string_view::npos;
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

std::optional<int> port(std::string_view text) {
    int value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc() || end != text.data() + text.size() || text.starts_with('0'))
        return std::nullopt;
    if (value < 1 || value > 65535) return std::nullopt;
    return value;
}

Answer fault_unless(bool good, std::string what, std::string todo) {
    if (good) return std::nullopt;
    return Fault{std::move(what), std::move(todo)};
}

}  // namespace slipway::config::rules
