#include "registry/byte_range.hpp"

#include <algorithm>
#include <charconv>

namespace slipway::registry {

namespace {

std::optional<std::uint64_t> number(std::string_view text) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || end != text.data() + text.size() || error != std::errc())
        return std::nullopt;
    return value;
}

std::string_view trimmed(std::string_view text) {
    while (text.starts_with(' ')) text.remove_prefix(1);
    while (text.ends_with(' ')) text.remove_suffix(1);
    return text;
}

}  // namespace

ByteRange parse_range(std::string_view text, std::uint64_t size) {
    constexpr std::string_view kUnit = "bytes=";
    if (!text.starts_with(kUnit)) return {};
    const std::string_view range = trimmed(text.substr(kUnit.size()));
    const std::size_t dash = range.find('-');
    if (dash == std::string_view::npos) return {};
    const auto last = number(range.substr(dash + 1));
    if (dash == 0) {  // the last N bytes
        if (!last) return {};
        if (*last == 0 || size == 0) return {.kind = ByteRange::Kind::beyond};
        const std::uint64_t length = std::min(*last, size);
        return {.kind = ByteRange::Kind::part, .first = size - length, .length = length};
    }
    const auto first = number(range.substr(0, dash));
    const bool open = dash + 1 == range.size();
    if (!first || (!last && !open) || (last && *last < *first)) return {};
    if (*first >= size) return {.kind = ByteRange::Kind::beyond};
    const std::uint64_t end = open ? size - 1 : std::min(*last, size - 1);
    return {.kind = ByteRange::Kind::part, .first = *first, .length = end - *first + 1};
}

std::optional<ChunkRange> parse_content_range(std::string_view text) {
    constexpr std::string_view kUnit = "bytes ";
    if (text.starts_with(kUnit)) text = text.substr(kUnit.size(), text.find('/') - kUnit.size());
    const std::size_t dash = text.find('-');
    if (dash == std::string_view::npos) return std::nullopt;
    const auto first = number(text.substr(0, dash));
    const auto last = number(text.substr(dash + 1));
    if (!first || !last || *last < *first) return std::nullopt;
    return ChunkRange{.first = *first, .last = *last};
}

}  // namespace slipway::registry
