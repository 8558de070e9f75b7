#include "base/digest.hpp"
#include "base/text.hpp"
#include "cluster/steps/component.hpp"
#include "cluster/steps/steps.hpp"

#include <algorithm>
#include <set>

namespace slipway::cluster {

namespace {

std::vector<ComponentRecord> unwanted(const Kubectl& kubectl, const std::set<std::string>& wanted) {
    std::vector<ComponentRecord> out = read_records(kubectl);
    std::erase_if(out, [&](const ComponentRecord& one) { return wanted.contains(one.name); });
    return out;
}

std::vector<engine::Step> make(const StepInput& in) {
    const std::string host = in.host->name;
    std::set<std::string> wanted;
    for (const config::Component& one : in.spec.components) wanted.insert(one.name);
    engine::Step step{.id = "remove-components",
                      .inputs = sha256_hex(join(std::vector(wanted.begin(), wanted.end()), "\n"))};
    step.deadline = std::chrono::minutes(15);
    step.probe = [wanted, host](engine::Context& c) {
        engine::Probe answer;
        for (const ComponentRecord& one : unwanted(Kubectl(c, host), wanted))
            answer.changes.push_back({"remove", "component " + one.name, ""});
        answer.done = answer.changes.empty();
        return answer;
    };
    step.act = [wanted, host](engine::Context& c) {
        const Kubectl kubectl(c, host);
        for (const ComponentRecord& one : unwanted(kubectl, wanted))
            remove_component(one, kubectl, Helm(c, host));
    };
    step.undo = [](engine::Context&) {};  // nobody asks for them any more
    return {std::move(step)};
}

}  // namespace

StepKind remove_components() {
    return {
        .id = "remove-components",
        .title = "Remove components the spec no longer has",
        .part = "components",
        .needs = {"wait-for-api"},
        .after = {"wait-for-cluster"},
        .make = make,
    };
}

}  // namespace slipway::cluster
