// Lists: the tags of a repository, the repositories, what refers to a manifest.
#include "base/json.hpp"
#include "oci/media_types.hpp"
#include "oci/reference.hpp"
#include "registry/exchange.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace slipway::registry {

namespace {

constexpr std::size_t kLargestPage = 10'000;

void require_reading(Exchange& x) {
    if (x.request.method != "GET" && x.request.method != "HEAD") refuse_method(x, "GET, HEAD");
}

std::size_t page_size(const Exchange& x) {
    const std::string_view text = x.parameter("n");
    if (!x.request.target.parameter("n")) return kLargestPage;
    std::uint64_t n = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
    if (error == std::errc::result_out_of_range) return kLargestPage;
    if (text.empty() || end != text.data() + text.size() || error != std::errc())
        throw Refusal(400, "UNSUPPORTED", "n is not a number of entries");
    return static_cast<std::size_t>(std::min<std::uint64_t>(n, kLargestPage));
}

json::array to_json(const std::vector<std::string>& list) {
    json::array out;
    for (const std::string& one : list) out.emplace_back(one);
    return out;
}

void answer_json(Exchange& x, const json::object& value) {
    x.response.headers.set("Content-Type", "application/json");
    x.response.body = json::serialize(value);
}

}  // namespace

std::vector<std::string> page_of(Exchange& x, const std::set<std::string>& all) {
    const std::size_t most = page_size(x);
    const std::string last(x.parameter("last"));
    auto at = last.empty() ? all.begin() : all.upper_bound(last);
    std::vector<std::string> out;
    for (; at != all.end() && out.size() < most; ++at) out.push_back(*at);
    if (at != all.end() && !out.empty()) {
        const std::string_view ns = x.parameter("ns");
        x.response.headers.set(
            "Link", fmt::format("<{}?n={}&last={}{}>; rel=\"next\"", x.request.target.raw_path,
                                most, net::percent_encoded(out.back()),
                                ns.empty() ? "" : "&ns=" + net::percent_encoded(ns)));
    }
    return out;
}

void answer_tags(Exchange& x) {
    require_reading(x);
    const Names meant = x.meant();
    if (!x.library.has_repository(meant)) refuse_name(x.route.name);
    answer_json(x, {{"name", x.route.name}, {"tags", to_json(page_of(x, x.library.tags(meant)))}});
}

void answer_catalog(Exchange& x) {
    require_reading(x);
    answer_json(x, {{"repositories", to_json(page_of(x, x.library.repositories()))}});
}

void answer_referrers(Exchange& x) {
    // Clients take an index of 4 MiB.
    constexpr std::size_t kMost = 1000, kMostBytes = 3u << 20;
    require_reading(x);
    const oci::Digest subject = digest_from(x.route.what);
    const std::string_view type = x.parameter("artifactType"), last = x.parameter("last");
    std::optional<oci::Digest> after;
    if (!last.empty()) after = digest_from(last);
    oci::Index index{.media_type = std::string(oci::media::kIndex)};
    std::size_t bytes = 0;
    const auto take = [&](const oci::Descriptor& one) {
        if (!type.empty() && one.artifact_type != type) return true;
        bytes += json::serialize(oci::to_json(one)).size();
        if (!index.manifests.empty() && (index.manifests.size() == kMost || bytes > kMostBytes))
            return false;
        index.manifests.push_back(one);
        return true;
    };
    if (!x.library.referrers(x.meant(), subject, after, take)) {
        std::string link = fmt::format("{}?last={}", x.request.target.raw_path,
                                       index.manifests.back().digest.str());
        for (const char* name : {"artifactType", "ns"}) {
            if (const std::string_view value = x.parameter(name); !value.empty())
                link += fmt::format("&{}={}", name, net::percent_encoded(value));
        }
        x.response.headers.set("Link", fmt::format("<{}>; rel=\"next\"", link));
    }
    if (!type.empty()) x.response.headers.set("OCI-Filters-Applied", "artifactType");
    x.response.headers.set("Content-Type", std::string(oci::media::kIndex));
    x.response.body = oci::to_text(index);
}

}  // namespace slipway::registry
