// [EPOCH:]VERSION[-RELEASE], as Debian and RPM both write it; how parts compare differs.
#pragma once

#include <string_view>

namespace slipway::oci::packages {

struct VersionParts {
    std::string_view epoch = {}, version = {}, release = {};
};

inline VersionParts version_parts(std::string_view text) {
    VersionParts out;
    if (const std::size_t colon = text.find(':'); colon != std::string_view::npos) {
        out.epoch = text.substr(0, colon);
        text.remove_prefix(colon + 1);
    }
    const std::size_t dash = text.rfind('-');
    out.version = text.substr(0, dash);
    if (dash != std::string_view::npos) out.release = text.substr(dash + 1);
    return out;
}

}  // namespace slipway::oci::packages
