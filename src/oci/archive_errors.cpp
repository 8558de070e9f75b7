#include "oci/archive_errors.hpp"

#include "base/error.hpp"
#include "base/text.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace slipway::oci {

void refuse_unsafe(std::string_view entry, std::string_view why) {
    throw UserError("ARCHIVE-UNSAFE",
                    fmt::format("entry '{}' of the archive is refused: {}",
                                printable(entry.substr(0, 200)), why),
                    {.cause = "honest archives of this kind have no such entry",
                     .remedy = "make the archive again from a source you trust"});
}

void refuse_damaged(std::string_view why) {
    throw UserError("ARCHIVE-DAMAGED", fmt::format("the archive is damaged: {}", why),
                    {.remedy = "copy or build it again"});
}

void refuse_too_large(std::string_view why) {
    throw UserError("ARCHIVE-TOO-LARGE", fmt::format("the archive is too large: {}", why),
                    {.cause = "it is not what it should be, or made to fill disk or memory",
                     .remedy = "make the archive again from a source you trust"});
}

void require_safe_name(std::string_view name, std::size_t most) {
    constexpr std::size_t kMaxPart = 255;
    constexpr std::size_t kMaxParts = 64;
    if (name.empty()) refuse_unsafe(name, "it has no name");
    if (name.size() > most) refuse_unsafe(name, "its name is too long");
    if (name.front() == '/') refuse_unsafe(name, "its name begins at the root");
    const auto is_control = [](char c) {
        return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    };
    if (std::ranges::any_of(name, is_control))
        refuse_unsafe(name, "its name has control characters");
    if (first_invalid_utf8(name) != std::string_view::npos) {
        refuse_unsafe(name, "its name is not UTF-8");
    }
    // A backslash is a separator for some readers and a letter for others.
    if (name.find('\\') != std::string_view::npos) refuse_unsafe(name, "its name has a backslash");
    const std::vector<std::string> parts = split(name, '/');
    if (parts.size() > kMaxParts) refuse_unsafe(name, "it lies too deep");
    for (const std::string& part : parts) {
        if (part == "..") refuse_unsafe(name, "its name leaves the folder");
        if (part.size() > kMaxPart) refuse_unsafe(name, "a part of its name is too long");
    }
}

}  // namespace slipway::oci
