#include "server/tke_cluster.hpp"

#include <fmt/format.h>

namespace slipway::server {

namespace {

// The leaf of the tke.json a value of the spec came from; the spec's own path when there is none.
std::string field_of(const convert::Conversion& conversion, const std::string& path) {
    for (const convert::Taken& one : conversion.taken) {
        if (one.to == path) return one.from;
    }
    return path == "hosts" ? "cluster.spec.machines" : path;
}

}  // namespace

convert::Conversion tke_conversion(const Services& services, const std::string& text,
                                   std::vector<std::string> bundles) {
    return convert::convert({.file = "tke.json", .text = text},
                            {.from = convert::Format::tke,
                             .prompt_for_secrets = true,
                             .bundles = std::move(bundles),
                             .more_problems = services.settings.step_problems});
}

std::map<std::string, Secret> secrets_asked_for(const std::vector<WantedSecret>& wanted,
                                                const convert::Conversion& conversion,
                                                std::string WantedSecret::* key) {
    std::map<std::string_view, const Secret*> by_leaf, by_place;
    for (const convert::FoundSecret& secret : conversion.secrets) {
        for (const std::string& leaf : secret.from) by_leaf[leaf] = &secret.value;
    }
    for (const convert::Taken& one : conversion.taken) {
        if (const auto found = by_leaf.find(one.from); found != by_leaf.end())
            by_place[one.to] = found->second;
    }
    std::map<std::string, Secret> out;
    for (const WantedSecret& one : wanted) {
        if (const auto found = by_place.find(one.place); found != by_place.end())
            out.emplace(one.*key, found->second->clone());
    }
    return out;
}

void require_valid(const convert::Conversion& conversion, const json::object& seen) {
    json::array problems;
    for (const convert::Unsupported& one : conversion.unsupported) {
        if (one.is_wrong) problems.push_back(json::object{{"path", one.path}, {"what", one.why}});
    }
    for (json::value problem : seen.at("problems").as_array()) {
        json::object& item = problem.as_object();
        if (string_at(item, "severity") == "notice") continue;
        item["path"] = field_of(conversion, string_at(item, "path"));
        problems.push_back(std::move(problem));
    }
    if (problems.empty()) return;
    Problem invalid(422, "SPEC-INVALID",
                    fmt::format("Cluster \"{}\" is invalid: {} of its values cannot be used",
                                conversion.cluster, problems.size()));
    invalid.problems = std::move(problems);
    throw invalid;
}

}  // namespace slipway::server
