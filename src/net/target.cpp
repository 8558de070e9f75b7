#include "net/target.hpp"

#include "base/text.hpp"
#include "net/failure.hpp"
#include "net/headers.hpp"

#include <algorithm>

namespace slipway::net {

namespace {

constexpr std::size_t kMostParameters = 100;

[[noreturn]] void refuse(const char* why) { throw HttpError(400, why); }

int hex_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

bool has_control(std::string_view text) {
    return std::any_of(text.begin(), text.end(),
                       [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

std::string decoded_path(std::string_view raw) {
    auto path = percent_decoded(raw);
    if (!path || has_control(*path)) refuse("a path that cannot be decoded");
    // A slash that was written as %2F is no border of segments, and nobody could tell it from one.
    if (std::count(path->begin(), path->end(), '/') != std::count(raw.begin(), raw.end(), '/'))
        refuse("an encoded slash in the path");
    for (const std::string& segment : split(*path, '/')) {
        if (segment == "." || segment == "..") refuse("a path that goes up");
    }
    return *std::move(path);
}

std::string decoded_parameter(std::string_view raw) {
    std::string text(raw);
    std::replace(text.begin(), text.end(), '+', ' ');
    auto value = percent_decoded(text);
    if (!value || value->find('\0') != std::string::npos) refuse("a query that cannot be decoded");
    return *std::move(value);
}

std::vector<std::pair<std::string, std::string>> parse_query(std::string_view text) {
    std::vector<std::pair<std::string, std::string>> out;
    for (const std::string& item : split(text, '&')) {
        if (item.empty()) continue;
        if (out.size() == kMostParameters) refuse("too many parameters");
        const std::size_t equals = std::min(item.find('='), item.size());
        const std::string_view value =
            std::string_view(item).substr(std::min(equals + 1, item.size()));
        out.emplace_back(decoded_parameter(std::string_view(item).substr(0, equals)),
                         decoded_parameter(value));
    }
    return out;
}

// "http://host/path" in two.
std::pair<std::string_view, std::string_view> split_origin(std::string_view text) {
    for (const std::string_view scheme : {"http://", "https://"}) {
        if (text.size() < scheme.size() || !same_name(text.substr(0, scheme.size()), scheme))
            continue;
        text.remove_prefix(scheme.size());
        const std::size_t path = text.find_first_of("/?");
        if (path == 0) refuse("a target without a host");
        if (path == std::string_view::npos) return {text, "/"};
        return {text.substr(0, path), text.substr(path)};
    }
    refuse("a target that is no path");
}

}  // namespace

std::optional<std::string_view> Target::parameter(std::string_view name) const {
    for (const auto& [key, value] : query) {
        if (key == name) return value;
    }
    return std::nullopt;
}

Target parse_target(std::string_view method, std::string_view text) {
    if (text == "*" && method == "OPTIONS") return {.raw_path = "*", .path = "*"};
    if (method == "CONNECT") throw HttpError(501, "this is no proxy");
    if (text.find('#') != std::string_view::npos) refuse("a fragment in the target");
    const auto [authority, rest] =
        text.starts_with('/') ? std::pair(std::string_view(), text) : split_origin(text);
    const std::size_t mark = std::min(rest.find('?'), rest.size());
    Target out{.authority = std::string(authority),
               .raw_path = std::string(rest.substr(0, mark)),
               .raw_query = std::string(rest.substr(std::min(mark + 1, rest.size())))};
    if (out.raw_path.empty()) out.raw_path = "/";
    out.path = decoded_path(out.raw_path);
    out.query = parse_query(out.raw_query);
    return out;
}

std::optional<std::string> percent_decoded(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            out += text[i];
            continue;
        }
        if (i + 2 >= text.size()) return std::nullopt;
        const int high = hex_value(text[i + 1]), low = hex_value(text[i + 2]);
        if (high < 0 || low < 0) return std::nullopt;
        out += static_cast<char>(high * 16 + low);
        i += 2;
    }
    return out;
}

std::string percent_encoded(std::string_view text) {
    constexpr std::string_view kHex = "0123456789ABCDEF";
    constexpr std::string_view kPlain = "-._~";
    std::string out;
    for (const char character : text) {
        const auto c = static_cast<unsigned char>(character);
        const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                           (c >= 'A' && c <= 'Z') ||
                           kPlain.find(character) != std::string_view::npos;
        if (plain) {
            out += character;
        } else {
            out += '%';
            out += kHex[c >> 4];
            out += kHex[c & 15];
        }
    }
    return out;
}

}  // namespace slipway::net
