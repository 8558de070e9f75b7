// Lists a registry gives out: tags, repositories, referrers.
#include "base/error.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "oci/client/registry_client.hpp"
#include "oci/media_types.hpp"

#include <algorithm>
#include <iterator>
#include <set>

#include <fmt/format.h>

namespace slipway::oci {

namespace {

constexpr std::size_t kMaxPage = 16u << 20;
constexpr std::size_t kMaxPages = 10'000;
constexpr std::size_t kMaxItems = 1'000'000;

// Link: </v2/_catalog?last=x&n=100>; rel="next"
std::optional<std::string> next_of(const net::ClientResponse& answer) {
    for (const std::string_view field : answer.headers.find_all("Link")) {
        const std::size_t open = field.find('<');
        const std::size_t close = field.find('>', open);
        if (open == std::string_view::npos || close == std::string_view::npos) continue;
        const std::string_view rest = field.substr(close);
        if (rest.find("rel=\"next\"") == std::string_view::npos &&
            rest.find("rel=next") == std::string_view::npos) {
            continue;
        }
        return std::string(field.substr(open + 1, close - open - 1));
    }
    return std::nullopt;
}

std::string target_of_next(const std::string& next, const Url& base, const Asked& asked) {
    try {
        const Url url = base.redirected_to(next);
        if (!url.same_origin(base)) bad_answer(asked, "its next page is elsewhere");
        return url.target;
    } catch (const BadUrl& bad) {
        bad_answer(asked, bad.what());
    }
}

}  // namespace

std::string referrers_tag(const Digest& digest) {
    return fmt::format("{}-{}", to_string(digest.algorithm), digest.hex);
}

bool is_referrers_tag(std::string_view tag) {
    const std::size_t dash = tag.find('-');
    if (dash == std::string_view::npos) return false;
    std::string digest(tag);
    digest[dash] = ':';
    return Digest::try_parse(digest).has_value();
}

std::vector<std::string> RegistryClient::paged(const std::string& target, const Scopes& scopes,
                                               const char* field, const std::string& what) {
    RegistryCall call{.target = target, .scopes = scopes, .what = what};
    const Asked asked = exchange_->asked(call);
    std::vector<std::string> out;
    std::set<std::string> seen;
    while (true) {
        if (!seen.insert(call.target).second || seen.size() > kMaxPages) {
            bad_answer(asked, "its pages have no end");
        }
        const std::optional<std::string> next = exchange_->persist([&] {
            net::ClientResponse answer = exchange_->send(call);
            if (answer.status != 200) refuse_answer(answer, asked);
            const std::string text = answer.read_all(kMaxPage);
            const json::object page = parse_foreign_object(text, kMaxPage, what);
            const json::value* items = page.if_contains(field);
            if (items != nullptr && items->is_array()) {
                for (const json::value& item : items->as_array()) {
                    if (item.is_string()) out.emplace_back(item.as_string());
                }
            }
            return next_of(answer);
        });
        if (out.size() > kMaxItems) bad_answer(asked, "there are too many");
        if (!next) break;
        call.target = target_of_next(*next, exchange_->base(), asked);
    }
    std::ranges::sort(out);
    out.erase(std::ranges::unique(out).begin(), out.end());
    return out;
}

std::vector<std::string> RegistryClient::tags(const std::string& repository) {
    return paged(fmt::format("/v2/{}/tags/list?n=1000", repository), pull_scope(repository), "tags",
                 "tags of " + repository);
}

std::vector<std::string> RegistryClient::tags_if_any(const std::string& repository) {
    try {
        return tags(repository);
    } catch (const ApiError& error) {
        if (error.id() != "REGISTRY-UNKNOWN") throw;
        return {};
    }
}

std::vector<std::string> RegistryClient::catalog() {
    return paged("/v2/_catalog?n=1000", {"registry:catalog:*"}, "repositories", "its repositories");
}

// nullopt: the registry has no such list.
std::optional<std::vector<Descriptor>> RegistryClient::referrers_by_api(
    const std::string& repository, const Digest& digest) {
    RegistryCall call{.target = fmt::format("/v2/{}/referrers/{}", repository, digest.str()),
                      .headers = {{"Accept", std::string(media::kIndex)}},
                      .scopes = pull_scope(repository),
                      .what = fmt::format("referrers of {} of {}", digest.str(), repository)};
    const Asked asked = exchange_->asked(call);
    std::vector<Descriptor> out;
    for (std::size_t page = 0; page < kMaxPages && out.size() < kMaxDescriptors; ++page) {
        std::optional<std::string> next;
        const bool is_list = exchange_->persist([&] {
            net::ClientResponse answer = exchange_->send(call);
            const bool absent =
                answer.status == 404 || answer.status == 405 || answer.status == 400;
            if (absent) return drain(answer), false;
            if (answer.status != 200) refuse_answer(answer, asked);
            // Some answer any path with a page for people.
            const std::string_view type = answer.headers.find("Content-Type").value_or("");
            if (!type.starts_with(media::kIndex)) return false;
            next = next_of(answer);
            std::ranges::move(parse_index(answer.read_all(kMaxManifest)).manifests,
                              std::back_inserter(out));
            return true;
        });
        if (!is_list && page == 0) return std::nullopt;
        if (!next) return out;
        call.target = target_of_next(*next, exchange_->base(), asked);
    }
    bad_answer(asked, "its pages have no end");
}

std::vector<Descriptor> RegistryClient::referrers(const std::string& repository,
                                                  const Digest& digest) {
    if (auto found = referrers_by_api(repository, digest)) return *std::move(found);
    const auto listed = get_manifest(repository, referrers_tag(digest));
    if (!listed || !media::is_index(listed->media_type)) return {};
    return parse_index(listed->text).manifests;
}

}  // namespace slipway::oci
