#include "cluster/steps/steps.hpp"

#include "base/text.hpp"

#include <algorithm>

namespace slipway::cluster {

namespace {

std::vector<engine::Step> one_step(const std::string& id, const ResourceListPtr& list) {
    std::vector<engine::Step> out;
    if (!list->resources.empty()) out.push_back(resources_step(id, list));
    return out;
}

}  // namespace

std::function<std::vector<engine::Step>(const StepInput&)> step_of(std::string id,
                                                                   ResourcesOf resources) {
    return [id = std::move(id), resources = std::move(resources)](const StepInput& in) {
        return one_step(id, resource_list(resources(in)));
    };
}

std::function<std::vector<engine::Step>(const StepInput&)> shared_step_of(std::string id,
                                                                          VariantOf variant,
                                                                          ResourcesOf resources) {
    return [id = std::move(id), variant = std::move(variant),
            resources = std::move(resources)](const StepInput& in) {
        return one_step(id, in.memo.get<ResourceList>(id + " " + variant(in), [&] {
            return resource_list(resources(in));
        }));
    };
}

std::string roles_of(const config::Host& host) {
    std::vector<std::string> names;
    for (const config::Role role : host.roles) names.push_back(config::to_string(role));
    std::ranges::sort(names);
    return join(names, ",");
}

}  // namespace slipway::cluster
