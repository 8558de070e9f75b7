#include "cluster/step_references.hpp"

#include "base/text.hpp"
#include "cluster/aliases.hpp"
#include "cluster/flows/flows.hpp"
#include "cluster/steps/named_steps.hpp"
#include "config/step_reference.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

// A step that may be named in steps.skip: its id and its kind.
struct Known {
    std::string id;
    const StepKind* kind;
};

std::vector<Known> known_steps(const Flow& flow, const config::Spec& spec) {
    std::vector<Known> out;
    for (const FlowLine& line : flow) {
        if (!line.kind.id.ends_with('*')) out.push_back({line.kind.id, &line.kind});
        for (const std::string& id : named_step_ids(spec)) {
            if (line.kind.id.ends_with('*') && names_step(line.kind.id, id))
                out.push_back({id, &line.kind});
        }
    }
    return out;
}

class ReferenceCheck {
  public:
    ReferenceCheck(const config::LoadedSpec& loaded, const Flow& flow)
        : loaded_(loaded), steps_(known_steps(flow, loaded.spec)) {
        for (const Known& known : steps_) ids_.push_back(known.id);
        for (const FlowLine& line : flow) flow_ids_.push_back(line.kind.id);
    }

    std::vector<config::Problem> run() {
        const config::Steps& steps = loaded_.spec.steps;
        for (std::size_t i = 0; i < steps.skip.size(); ++i) {
            for (const Known& known : find("skip", i, steps.skip[i]))
                check_skip(i, steps.skip[i], known);
        }
        for (std::size_t i = 0; i < steps.delegate.size(); ++i) {
            for (const Known& known : find("delegate", i, steps.delegate[i])) {
                if (known.kind->delegable) continue;
                add("SPEC-STEP-NOT-DELEGABLE", "delegate", i,
                    fmt::format("{} cannot be delegated", words(steps.delegate[i], known)),
                    "remove it; `slipway steps` shows which can be");
            }
        }
        return std::move(problems_);
    }

  private:
    void add(std::string id, std::string_view list, std::size_t index, std::string what,
             std::string todo, config::Severity severity = config::Severity::error) {
        const std::string path = fmt::format("steps.{}[{}]", list, index);
        problems_.push_back({.id = std::move(id),
                             .where = loaded_.place(path),
                             .path = path,
                             .what = std::move(what),
                             .todo = std::move(todo),
                             .severity = severity});
    }

    // "'set-hostname'", or "'EnsureX' stands for 'set-hostname', which".
    static std::string words(const std::string& reference, const Known& known) {
        const std::string step = config::parse_step_reference(reference).step;
        if (step == known.id) return fmt::format("'{}'", printable(reference));
        return fmt::format("'{}' stands for {}, which", printable(reference), known.id);
    }

    // What a reference means; nothing after a problem or a notice was added. That the host is one
    // of the spec has been checked when it was loaded.
    std::vector<Known> find(std::string_view list, std::size_t index,
                            const std::string& reference) {
        const std::string id = config::parse_step_reference(reference).step;
        const auto found = std::ranges::find(steps_, id, &Known::id);
        if (found != steps_.end()) return {*found};
        if (const StepAlias* alias = find_alias(id)) return meant_by(*alias, list, index);
        const auto close = nearest(id, ids_);
        add("SPEC-UNKNOWN-STEP", list, index, fmt::format("there is no step '{}'", printable(id)),
            close ? fmt::format("did you mean '{}'?", *close)
                  : "see `slipway steps` for the names");
        return {};
    }

    std::vector<Known> meant_by(const StepAlias& alias, std::string_view list, std::size_t index) {
        std::vector<Known> out;
        bool in_flow = false;
        for (const std::string& pattern : alias.step_ids()) {
            in_flow = in_flow || std::ranges::find(flow_ids_, pattern) != flow_ids_.end();
            for (const Known& known : steps_) {
                if (names_step(pattern, known.id)) out.push_back(known);
            }
        }
        if (!out.empty() || in_flow) return out;
        add("SPEC-STEP-ALIAS", list, index,
            alias.nothing.empty()
                ? fmt::format("{} stands for {}, of which this spec has none", alias.name,
                              join(alias.step_ids(), ", "))
                : fmt::format("{}: nothing to do here: {}", alias.name, alias.nothing),
            "nothing to do; it has no effect", config::Severity::notice);
        return {};
    }

    void check_skip(std::size_t index, const std::string& reference, const Known& known) {
        if (known.kind->why_not_skippable.empty()) return;
        add("SPEC-STEP-NOT-SKIPPABLE", "skip", index,
            fmt::format("{} cannot be skipped: {}", words(reference, known),
                        known.kind->why_not_skippable),
            known.kind->part.empty()
                ? "remove it"
                : fmt::format("remove it, or switch off {}", known.kind->part));
    }

    const config::LoadedSpec& loaded_;
    std::vector<Known> steps_;
    std::vector<std::string> ids_;
    std::vector<std::string> flow_ids_;
    std::vector<config::Problem> problems_;
};

}  // namespace

std::vector<config::Problem> check_step_references(const config::LoadedSpec& loaded,
                                                   const Flow& flow) {
    return ReferenceCheck(loaded, flow).run();
}

std::vector<config::Problem> check_step_references(const config::LoadedSpec& loaded) {
    return check_step_references(loaded, create_cluster());
}

std::vector<std::string> expand_step_references(const std::vector<std::string>& references,
                                                const std::vector<engine::Step>& steps,
                                                const config::Spec& spec) {
    std::set<std::string> known;
    for (const Known& step : known_steps(create_cluster(), spec)) known.insert(step.id);
    std::vector<std::string> out;
    for (const std::string& reference : references) {
        const config::StepReference wanted = config::parse_step_reference(reference);
        const StepAlias* alias = known.contains(wanted.step) ? nullptr : find_alias(wanted.step);
        if (alias == nullptr && !known.contains(wanted.step)) {
            out.push_back(reference);  // the plan refuses it, with all others of that sort
            continue;
        }
        const std::vector<std::string> patterns =
            alias != nullptr ? alias->step_ids() : std::vector{wanted.step};
        for (const engine::Step& step : steps) {
            const bool meant = std::ranges::any_of(
                patterns, [&](const std::string& pattern) { return names_step(pattern, step.id); });
            if (meant && (wanted.host.empty() || wanted.host == step.host))
                out.push_back(wanted.host.empty() ? step.id : step.node_id());
        }
    }
    std::ranges::sort(out);
    out.erase(std::ranges::unique(out).begin(), out.end());
    return out;
}

}  // namespace slipway::cluster
