#include "cluster/plugin_chart.hpp"
#include "cluster/steps/from_bundle.hpp"
#include "cluster/steps/helm.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

std::vector<Supply> charts_of(const config::Spec& spec, const Supplies& supplies) {
    std::vector<Supply> out;
    if (comes_by_chart(spec.network_plugin)) out.push_back(plugin_chart(spec, supplies));
    for (const config::Component& one : spec.components) {
        if (!one.chart.empty()) out.push_back(supplies.chart(one.chart, one.version));
    }
    return out;
}

ResourcePtr chart_file(const StepInput& in, const Supply& chart) {
    return fetched_file(fmt::format("{}/{}", kChartFolder, chart.name),
                        fetch_from(in, chart, 0644));
}

// helm's own archives have it in a folder named after the system.
std::vector<ResourcePtr> helm_program(const StepInput& in) {
    const Supply helm = in.material.supplies->program("helm", arch_of(in));
    if (helm.name == "helm") return {fetched_file("/usr/local/bin/helm", fetch_from(in, helm))};
    const std::string folder = "/var/lib/slipway/helm-program";
    const std::string member = fmt::format("linux-{}/helm", arch_of(in));
    return {
        left_folder(folder),  // undone last: the archive leaves its own folders
        unpacked_archive(folder, fetch_from(in, helm), {member}),
        file("/usr/local/bin/helm",
             {.content = "", .mode = 0777, .link_target = fmt::format("{}/{}", folder, member)})};
}

std::vector<ResourcePtr> resources(const StepInput& in) {
    std::vector<ResourcePtr> out = helm_program(in);
    out.push_back(left_folder(std::string(kHelmFolder)));
    out.push_back(filled_folder(std::string(kChartFolder)));
    std::vector<std::string> there;
    for (const Supply& chart : charts_of(in.spec, *in.material.supplies)) {
        if (std::ranges::find(there, chart.name) != there.end()) continue;
        there.push_back(chart.name);
        out.push_back(chart_file(in, chart));
    }
    return out;
}

}  // namespace

StepKind fetch_charts() {
    return {
        .id = "fetch-charts",
        .title = "Fetch helm, and the charts of network plugin and components",
        .part = "components",
        .enabled =
            [](const config::Spec& spec) {
                return comes_by_chart(spec.network_plugin) ||
                       std::ranges::any_of(spec.components, [](const config::Component& one) {
                           return !one.chart.empty();
                       });
            },
        .needs = {kAfterPreInstall, "create-users-and-folders", "registry:serve-bundle"},
        .why_not_skippable = "charts are installed from there",
        .make = step_of("fetch-charts", resources),
    };
}

}  // namespace slipway::cluster
