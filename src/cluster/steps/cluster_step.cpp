#include "cluster/steps/cluster_step.hpp"

#include "base/error.hpp"
#include "base/json.hpp"

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

constexpr const char* kNotes = "slipway-steps";

bool says_not_found(const remote::CommandResult& result) {
    return result.err.find("NotFound") != std::string::npos;
}

std::map<std::string, std::string> data_of(const std::string& configmap) {
    std::map<std::string, std::string> out;
    const json::value value = parse_json(configmap, "the notes in the cluster");
    const json::value* data = value.as_object().if_contains("data");
    if (data == nullptr) return out;
    for (const auto& [step, inputs] : data->as_object()) out[step] = inputs.as_string();
    return out;
}

}  // namespace

std::string ClusterNotes::of(const Kubectl& kubectl, const std::string& step) {
    const Lock lock(mutex_);
    if (!known_) {
        const remote::CommandResult found =
            kubectl.try_run({"get", "configmap", kNotes, "-n", "kube-system", "-o", "json"});
        if (found.exit_code == 0)
            known_ = data_of(found.out);
        else if (says_not_found(found))
            known_.emplace();
        else
            return "";
    }
    const auto note = known_->find(step);
    return note == known_->end() ? "" : note->second;
}

// Each under a name of its own: what one writer no longer mentions, the API server takes away.
void ClusterNotes::write(const Kubectl& kubectl, const std::string& step,
                         const std::string& inputs) {
    kubectl.run({"apply", "--server-side", "--validate=false", "--field-manager", "slipway-" + step,
                 "-f", "-"},
                fmt::format("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {}\n  namespace: "
                            "kube-system\ndata:\n  {}: \"{}\"\n",
                            kNotes, step, inputs));
    const Lock lock(mutex_);
    if (known_) (*known_)[step] = inputs;
}

void ClusterNotes::forget(const Kubectl& kubectl, const std::string& step) {
    const remote::CommandResult result =
        kubectl.try_run({"patch", "configmap", kNotes, "-n", "kube-system", "--type", "merge",
                         "--patch-file", "/dev/stdin"},
                        fmt::format("{{\"data\":{{\"{}\":null}}}}", step));
    if (result.exit_code != 0 && !says_not_found(result))
        throw ApiError("API-FAILED", fmt::format("the note of {} stays in the cluster", step),
                       {.cause = last_words(result)});
    const Lock lock(mutex_);
    if (known_) known_->erase(step);
}

std::shared_ptr<ClusterNotes> notes_of(const StepInput& in) {
    using Shared = std::shared_ptr<ClusterNotes>;
    return *in.memo.get<Shared>("notes in the cluster", [] {
        return std::make_shared<const Shared>(std::make_shared<ClusterNotes>());
    });
}

engine::Step cluster_step(const StepInput& in, std::string id, ClusterWork work) {
    engine::Step step{.id = id, .inputs = work.inputs};
    const auto shared = std::make_shared<const ClusterWork>(std::move(work));
    step.probe = [=, host = in.host->name, notes = notes_of(in)](engine::Context& c) {
        engine::Probe answer{.done = notes->of(Kubectl(c, host), id) == shared->inputs};
        if (!answer.done) answer.changes = shared->changes;
        return answer;
    };
    step.act = [=, host = in.host->name, notes = notes_of(in)](engine::Context& c) {
        const Kubectl kubectl(c, host);
        shared->act(kubectl, c);
        notes->write(kubectl, id, shared->inputs);
    };
    step.verify = [](engine::Context&) {};  // what has been written says so
    step.undo = [](engine::Context&) {};    // it goes with the cluster
    return step;
}

}  // namespace slipway::cluster
