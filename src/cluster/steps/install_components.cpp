#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "cluster/steps/component.hpp"
#include "cluster/steps/named_steps.hpp"
#include "cluster/steps/steps.hpp"
#include "config/components.hpp"
#include "config/local_files.hpp"

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

std::string text_of(const config::Component& component) {
    if (!component.chart.empty()) {
        return component.values_file.empty()
                   ? "{}\n"
                   : read_file(component.values_file, config::kLargestManifest);
    }
    std::string out;  // the line before the first tells kubectl that it is YAML, even if it is JSON
    for (const std::string& file : component.manifests)
        out += fmt::format("---\n{}\n", read_file(file, config::kLargestManifest));
    return out;
}

ComponentWork work_of(const StepInput& in, const config::Component& component) {
    ComponentWork out{.name = component.name, .space = component.name_space};
    if (in.around.undo) return out;  // its files may be gone
    Sha256 digest;
    out.text = text_of(component);
    if (!component.chart.empty()) {
        const Supply chart = in.material.supplies->chart(component.chart, component.version);
        out.chart = fmt::format("{}/{}", kChartFolder, chart.name);
        if (out.space.empty()) out.space = component.name;
        digest.field(chart.sha256);
    }
    digest.field(out.text).field(out.space);
    out.inputs = digest.hex();
    return out;
}

engine::Step component_step(const StepInput& in, const config::Component& component) {
    const auto work = std::make_shared<const ComponentWork>(work_of(in, component));
    const std::string host = in.host->name;
    engine::Step step{.id = std::string(kInstallComponent) + component.name,
                      .title = fmt::format("Install component {}", component.name),
                      .inputs = work->inputs};
    step.deadline = std::chrono::minutes(15);
    for (const std::string& need : component.needs)
        step.needs.push_back(std::string(kInstallComponent) + need);
    step.probe = [work, host](engine::Context& c) {
        engine::Probe answer{.done = is_installed(*work, Kubectl(c, host), Helm(c, host))};
        if (!answer.done)
            answer.changes.push_back({"create", "component " + work->name,
                                      work->chart.empty() ? "from manifests" : "from its chart"});
        return answer;
    };
    step.act = [work, host](engine::Context& c) {
        install_component(*work, Kubectl(c, host), Helm(c, host));
    };
    step.undo = [](engine::Context&) {};  // it goes with the cluster
    return step;
}

std::vector<engine::Step> make(const StepInput& in) {
    std::vector<engine::Step> out;
    for (const config::Component* one : config::in_order(in.spec.components))
        out.push_back(component_step(in, *one));
    return out;
}

}  // namespace

StepKind install_components() {
    return {
        .id = std::string(kInstallComponent) + "*",
        .title = "Install a component of the spec, from a chart or manifests",
        .part = "components",
        .enabled = [](const config::Spec& spec) { return !spec.components.empty(); },
        .needs = {"wait-for-cluster", "fetch-charts", "remove-components"},
        .weight = 10,
        .make = make,
    };
}

}  // namespace slipway::cluster
