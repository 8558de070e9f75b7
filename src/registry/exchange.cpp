#include "registry/exchange.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

namespace slipway::registry {

LargeReads::Turn::Turn(LargeReads& all) : all_(all) {
    constexpr std::chrono::seconds kPatience{30};
    if (!all_.free_.try_acquire_for(kPatience))
        throw Refusal(503, "TOOMANYREQUESTS", "too many large manifests at once");
}

Names Exchange::meant() const { return library.meant(route.name, parameter("ns")); }

std::string_view Exchange::parameter(std::string_view name) const {
    return request.target.parameter(name).value_or(std::string_view());
}

bool Exchange::has_already(const oci::Digest& digest) {
    const std::string tag = fmt::format("\"{}\"", digest.str());
    response.headers.set("Docker-Content-Digest", digest.str());
    response.headers.set("ETag", tag);
    const auto has = [&](const std::string& one) {
        return request.headers.has_token("If-None-Match", one);
    };
    if (!has(tag) && !has("W/" + tag) && !has("*")) return false;
    response.status = 304;
    return true;
}

void Exchange::created(const std::string& location, const oci::Digest& digest) {
    response.status = 201;
    response.headers.set("Location", location);
    response.headers.set("Docker-Content-Digest", digest.str());
}

oci::Digest digest_from(std::string_view text) {
    const auto digest = oci::Digest::try_parse(text);
    if (!digest) {
        throw Refusal(400, "DIGEST_INVALID",
                      fmt::format("'{}' is not a digest", printable(text.substr(0, 160))));
    }
    return *digest;
}

void refuse_method(Exchange& x, const char* allowed) {
    x.response.headers.set("Allow", allowed);
    throw Refusal(405, "UNSUPPORTED", "this cannot be done here");
}

void refuse_writing(Exchange& x, const char* allowed) {
    x.response.headers.set("Allow", allowed);
    throw Refusal(405, "UNSUPPORTED", "this registry is read-only");
}

void refuse_name(const std::string& name) {
    throw Refusal(404, "NAME_UNKNOWN", fmt::format("there is no repository {}", name));
}

}  // namespace slipway::registry
