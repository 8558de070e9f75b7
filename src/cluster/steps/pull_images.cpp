#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "cluster/kubernetes_config.hpp"
#include "cluster/steps/kubectl.hpp"
#include "cluster/steps/steps.hpp"

#include <set>

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

constexpr const char* kCrictl = "/usr/local/bin/crictl";

// Names of the images containerd has. Empty too when it does not run yet.
std::set<std::string> images_on(engine::Context& c) {
    const remote::CommandResult listed =
        run_if_there(c.host(), {.argv = {kCrictl, "images", "-o", "json"}}, c.call());
    std::set<std::string> out;
    if (listed.exit_code != 0) return out;
    const json::value all = parse_json(listed.out, "what crictl says");
    const json::value* images = all.is_object() ? all.as_object().if_contains("images") : nullptr;
    if (images == nullptr || !images->is_array()) return out;
    for (const json::value& image : images->as_array()) {
        const json::value* tags = image.as_object().if_contains("repoTags");
        if (tags == nullptr || !tags->is_array()) continue;
        for (const json::value& tag : tags->as_array())
            out.emplace(std::string_view(tag.as_string()));
    }
    return out;
}

engine::Probe probe(engine::Context& c, const std::vector<std::string>& wanted) {
    const std::set<std::string> there = images_on(c);
    engine::Probe answer;
    for (const std::string& image : wanted) {
        if (!there.contains(image)) answer.changes.push_back({"run", "pull " + image, ""});
    }
    answer.done = answer.changes.empty();
    return answer;
}

void pull(engine::Context& c, const std::vector<std::string>& wanted) {
    const std::set<std::string> there = images_on(c);
    for (const std::string& image : wanted) {
        if (there.contains(image)) continue;
        const remote::CommandResult pulled =
            c.host().run({.argv = {kCrictl, "--timeout", "10m", "pull", image},
                          .deadline = std::chrono::minutes(12)},
                         c.call());
        if (pulled.exit_code == 0) continue;
        throw RemoteError(
            "IMAGE-PULL", fmt::format("{} cannot pull {}", c.host().name(), image),
            {.cause = printable(trim(pulled.err)),
             .remedy = "see whether the registry runs (systemctl status slipway-registry on its "
                       "host) and is reached from here, then resume",
             .recovery = Recovery::transient});
    }
}

std::vector<engine::Step> make(const StepInput& in) {
    const std::vector<std::string> images = node_images(in.spec, *in.host, *in.material.supplies);
    engine::Step step{.id = "pull-images", .inputs = sha256_hex(join(images, "\n"))};
    step.deadline = std::chrono::minutes(30);
    step.probe = [images](engine::Context& c) { return probe(c, images); };
    step.act = [images](engine::Context& c) { pull(c, images); };
    step.undo = [](engine::Context&) {};  // they go with the runtime's folder
    return {std::move(step)};
}

}  // namespace

StepKind pull_images() {
    return {
        .id = "pull-images",
        .title = "Pull the images the node runs",
        .part = "registry",
        .needs = {"install-container-runtime"},
        .weight = 6,
        .make = make,
    };
}

}  // namespace slipway::cluster
