#include "oci/reference.hpp"

#include "base/error.hpp"
#include "base/text.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace slipway::oci {

namespace {

constexpr std::size_t kMaxName = 255;  // host/path, as registries limit it
constexpr std::size_t kMaxTag = 128;

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return is_lower(c) || (c >= 'A' && c <= 'Z'); }

[[noreturn]] void refuse(std::string_view text, std::string_view why) {
    throw UserError(
        "REFERENCE-INVALID",
        fmt::format("'{}' is not the name of an image: {}", printable(text.substr(0, 300)), why),
        {.remedy = "write it as registry.example.com/folder/name:tag"});
}

// Lower-case letters and digits, with . _ __ or dashes between them.
bool is_path_component(std::string_view part) {
    std::size_t i = 0;
    const auto word = [&] {
        const std::size_t start = i;
        while (i < part.size() && (is_lower(part[i]) || is_digit(part[i]))) ++i;
        return i > start;
    };
    if (!word()) return false;
    while (i < part.size()) {
        if (part[i] == '-') {
            while (i < part.size() && part[i] == '-') ++i;
        } else if (part.substr(i, 2) == "__") {
            i += 2;
        } else if (part[i] == '.' || part[i] == '_') {
            ++i;
        } else {
            return false;
        }
        if (!word()) return false;
    }
    return true;
}

bool is_host_name(std::string_view name) {
    for (const std::string& label : split(name, '.')) {
        const bool good = !label.empty() && label.front() != '-' && label.back() != '-' &&
                          std::ranges::all_of(label, [](char c) {
                              return is_letter(c) || is_digit(c) || c == '-';
                          });
        if (!good) return false;
    }
    return true;
}

bool is_host(std::string_view text) {
    std::size_t end = text.rfind(':');
    if (text.starts_with('[')) {
        const std::size_t close = text.find(']');
        if (close == std::string_view::npos || close < 3) return false;
        const std::string_view inside = text.substr(1, close - 1);
        if (!std::ranges::all_of(inside, [](char c) {
                return is_digit(c) || c == ':' || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
            })) {
            return false;
        }
        if (close + 1 == text.size()) return true;
        if (text[close + 1] != ':') return false;
        end = close + 1;
    } else if (!is_host_name(text.substr(0, end))) {
        return false;
    }
    if (end == std::string_view::npos) return true;
    const std::string_view port = text.substr(end + 1);
    return !port.empty() && port.size() <= 5 && std::ranges::all_of(port, is_digit);
}

bool looks_like_host(std::string_view first) {
    return first == "localhost" || first.find_first_of(".:[") != std::string_view::npos ||
           std::ranges::any_of(first, [](char c) { return c >= 'A' && c <= 'Z'; });
}

// Takes @digest and :tag off the end of `rest`.
void take_tag_and_digest(std::string_view text, std::string_view& rest, Reference& out) {
    if (const std::size_t at = rest.find('@'); at != std::string_view::npos) {
        out.digest = Digest::try_parse(rest.substr(at + 1));
        if (!out.digest) refuse(text, "what follows @ is not a digest");
        rest = rest.substr(0, at);
    }
    const std::size_t colon = rest.rfind(':');
    if (colon == std::string_view::npos || rest.find('/', colon) != std::string_view::npos) return;
    out.tag = rest.substr(colon + 1);
    if (!is_valid_tag(out.tag)) refuse(text, "the tag is not valid");
    rest = rest.substr(0, colon);
}

}  // namespace

bool is_valid_tag(std::string_view tag) {
    const auto word = [](char c) { return is_letter(c) || is_digit(c) || c == '_'; };
    return !tag.empty() && tag.size() <= kMaxTag && word(tag.front()) &&
           std::ranges::all_of(tag, [&](char c) { return word(c) || c == '.' || c == '-'; });
}

bool is_valid_repository_path(std::string_view path) {
    return path.size() <= kMaxName && std::ranges::all_of(split(path, '/'), is_path_component);
}

bool is_valid_repository_name(std::string_view name) {
    if (is_valid_repository_path(name)) return true;
    const std::size_t slash = name.find('/');
    return slash != std::string_view::npos && name.size() <= kMaxName &&
           is_host(name.substr(0, slash)) && is_valid_repository_path(name.substr(slash + 1));
}

Reference Reference::parse(std::string_view text) {
    Reference out;
    std::string_view rest = text;
    take_tag_and_digest(text, rest, out);
    const std::size_t slash = rest.find('/');
    if (slash != std::string_view::npos && looks_like_host(rest.substr(0, slash))) {
        out.host = rest.substr(0, slash);
        rest = rest.substr(slash + 1);
    } else {
        out.host = "docker.io";
    }
    if (!is_host(out.host)) refuse(text, "the host is not valid");
    if (out.host == "index.docker.io") out.host = "docker.io";
    out.path = rest;
    if (out.path.empty()) refuse(text, "there is no name");
    if (out.host == "docker.io" && out.path.find('/') == std::string::npos) {
        out.path = "library/" + out.path;
    }
    if (!is_valid_repository_path(out.path)) {
        refuse(text, "names are lower-case letters and digits with . _ - between them");
    }
    if (out.host.size() + 1 + out.path.size() > kMaxName) refuse(text, "it is too long");
    if (out.tag.empty() && !out.digest) out.tag = "latest";
    return out;
}

std::string Reference::repository() const { return host + "/" + path; }

std::string Reference::str() const {
    std::string out = repository();
    if (!tag.empty()) out += ":" + tag;
    if (digest) out += "@" + digest->str();
    return out;
}

}  // namespace slipway::oci
