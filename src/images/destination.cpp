#include "images/destination.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "oci/reference.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace slipway::images {

namespace {

// A host may have what a folder may not: a port, upper-case letters.
std::string as_folder(std::string host) {
    std::ranges::replace(host, ':', '-');
    std::erase_if(host, [](char c) { return c == '[' || c == ']'; });
    std::ranges::transform(host, host.begin(), [](unsigned char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : static_cast<char>(c);
    });
    return host;
}

}  // namespace

Target target_of(const std::string& name, const Destination& destination) {
    if (!destination.exactly.empty()) {
        const oci::Reference to = oci::Reference::parse(destination.exactly);
        return {to.path, to.tag, to.digest};
    }
    const oci::Reference from = oci::Reference::parse(name);
    Target out{.repository = destination.prefix, .tag = from.tag};
    if (!out.repository.empty()) out.repository += '/';
    if (destination.keep_host) out.repository += as_folder(from.host) + "/";
    out.repository += from.path;
    if (!oci::is_valid_repository_path(out.repository)) {
        throw UserError(
            "REFERENCE-INVALID",
            fmt::format("'{}' is not a name a registry takes", printable(out.repository)),
            {.remedy = "use a prefix of lower-case letters, digits and dashes"});
    }
    return out;
}

}  // namespace slipway::images
