#include "server/request_fields.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <charconv>

namespace slipway::server {

namespace {

bool is_digits(std::string_view text) {
    return !text.empty() && text.size() <= 18 &&
           std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

bool is_host_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == ':';
}

}  // namespace

std::optional<std::int64_t> number_of(std::string_view text) {
    if (!is_digits(text)) return std::nullopt;
    std::int64_t out = 0;
    std::from_chars(text.data(), text.data() + text.size(), out);
    return out;
}

std::optional<std::string> cookie_of(std::string_view field, std::string_view name) {
    std::optional<std::string> out;
    for (const std::string& item : split(field, ';')) {
        const std::string_view pair = trim(item);
        const std::size_t equals = pair.find('=');
        if (equals == std::string_view::npos || pair.substr(0, equals) != name) continue;
        if (out) return std::nullopt;
        out = std::string(pair.substr(equals + 1));
    }
    return out;
}

std::optional<ContentRange> content_range_of(std::string_view field) {
    constexpr std::string_view kUnit = "bytes ";
    if (!field.starts_with(kUnit)) return std::nullopt;
    field.remove_prefix(kUnit.size());
    const std::size_t dash = field.find('-'), slash = field.find('/');
    if (dash == std::string_view::npos || slash == std::string_view::npos || slash < dash)
        return std::nullopt;
    const auto first = number_of(field.substr(0, dash));
    const auto last = number_of(field.substr(dash + 1, slash - dash - 1));
    const auto size = number_of(field.substr(slash + 1));
    if (!first || !last || !size || *last < *first || *last >= *size) return std::nullopt;
    return ContentRange{.first = static_cast<std::uint64_t>(*first),
                        .last = static_cast<std::uint64_t>(*last),
                        .size = static_cast<std::uint64_t>(*size)};
}

std::optional<std::uint64_t> complete_size_of(std::string_view field) {
    constexpr std::string_view kAll = "bytes */";
    if (!field.starts_with(kAll)) return std::nullopt;
    const auto size = number_of(field.substr(kAll.size()));
    return size ? std::optional(static_cast<std::uint64_t>(*size)) : std::nullopt;
}

std::optional<std::string> host_of(std::string_view field) {
    std::string name(field);
    std::ranges::transform(name, name.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    std::string_view rest;
    if (name.starts_with('[')) {
        const std::size_t end = name.find(']');
        if (end == std::string::npos) return std::nullopt;
        rest = std::string_view(name).substr(end + 1);
        if (!rest.empty() && (rest[0] != ':' || !is_digits(rest.substr(1)))) return std::nullopt;
        name = name.substr(1, end - 1);
    } else if (const std::size_t colon = name.find(':'); colon != std::string::npos) {
        if (!is_digits(std::string_view(name).substr(colon + 1))) return std::nullopt;
        name = name.substr(0, colon);
    }
    if (name.empty() || !std::ranges::all_of(name, is_host_character)) return std::nullopt;
    return name;
}

}  // namespace slipway::server
