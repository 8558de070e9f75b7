#include "cluster/flow.hpp"

#include "base/text.hpp"
#include "cluster/flows/flows.hpp"
#include "cluster/roles.hpp"
#include "cluster/steps/scripts.hpp"
#include "cluster/topology.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

// "pre-install-script-*" names every step of that beginning.
bool matches(std::string_view pattern, std::string_view id) {
    if (!pattern.ends_with('*')) return pattern == id;
    return id.starts_with(pattern.substr(0, pattern.size() - 1));
}

// The ids instantiated so far, by host; "" holds those of no host.
using IdsByHost = std::map<std::string, std::vector<std::string>>;

std::string node_id(const std::string& host, const std::string& id) {
    return host.empty() ? id : host + "/" + id;
}

// "registry:serve-bundle" is asked of other hosts, "set-hostname" of the step's own.
struct Need {
    std::vector<std::string> hosts;
    std::string pattern;
};

Need need_of(const std::string& text, const std::string& own, const config::Spec& spec,
             const IdsByHost& ids) {
    const std::size_t colon = text.find(':');
    if (colon == std::string::npos) return {{own}, text};
    const std::string where = text.substr(0, colon);
    Need out{{}, text.substr(colon + 1)};
    if (where == "first-control-plane") out.hosts = {first_control_plane(spec).name};
    if (where == "registry") {
        for (const config::Host* host : registry_hosts(spec)) out.hosts.push_back(host->name);
    }
    if (where == "every") {
        for (const auto& [host, steps] : ids) out.hosts.push_back(host);
    }
    return out;
}

std::vector<std::string> resolve(const std::vector<std::string>& needs, const std::string& own,
                                 const config::Spec& spec, const IdsByHost& ids) {
    std::vector<std::string> out;
    for (const std::string& text : needs) {
        const Need need = need_of(text, own, spec, ids);
        for (const std::string& host : need.hosts) {
            const auto known = ids.find(host);
            if (known == ids.end()) continue;
            for (const std::string& id : known->second) {
                const std::string node = node_id(host, id);
                if (matches(need.pattern, id) && std::ranges::find(out, node) == out.end())
                    out.push_back(node);
            }
        }
    }
    return out;
}

void complete(engine::Step& step, const StepKind& kind, const std::string& host,
              const config::Spec& spec, const IdsByHost& ids) {
    step.host = host;
    if (step.title.empty()) step.title = kind.title;
    step.needs = resolve(kind.needs, host, spec, ids);
    step.after = resolve(kind.after, host, spec, ids);
    step.weight = kind.weight;
    step.skippable = kind.why_not_skippable.empty();
    step.why_not_skippable = kind.why_not_skippable;
    step.delegable = kind.delegable;
    step.why_no_undo = kind.why_no_undo;
}

// A step that may be named in steps.skip: its id and its kind.
struct Known {
    std::string id;
    const StepKind* kind;
};

std::vector<Known> known_steps(const Flow& flow, const config::Spec& spec) {
    std::vector<Known> out;
    for (const FlowLine& line : flow) {
        if (!line.kind.id.ends_with('*')) out.push_back({line.kind.id, &line.kind});
        for (const std::string& id : script_step_ids(spec)) {
            if (line.kind.id.ends_with('*') && matches(line.kind.id, id))
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
    }

    std::vector<config::Problem> run() {
        const config::Steps& steps = loaded_.spec.steps;
        for (std::size_t i = 0; i < steps.skip.size(); ++i) {
            if (const StepKind* kind = find("skip", i, steps.skip[i]))
                check_skip(i, steps.skip[i], *kind);
        }
        for (std::size_t i = 0; i < steps.delegate.size(); ++i) {
            const StepKind* kind = find("delegate", i, steps.delegate[i]);
            if (kind == nullptr || kind->delegable) continue;
            add("SPEC-STEP-NOT-DELEGABLE", "delegate", i,
                fmt::format("'{}' cannot be delegated", steps.delegate[i]),
                "remove it; `slipway steps` shows which can be");
        }
        return std::move(problems_);
    }

  private:
    void add(std::string id, std::string_view list, std::size_t index, std::string what,
             std::string todo) {
        const std::string path = fmt::format("steps.{}[{}]", list, index);
        problems_.push_back({.id = std::move(id),
                             .where = loaded_.place(path),
                             .path = path,
                             .what = std::move(what),
                             .todo = std::move(todo)});
    }

    // The kind a reference ("step" or "host/step") means; null after a problem was added. That the
    // host is one of the spec has been checked when it was loaded.
    const StepKind* find(std::string_view list, std::size_t index, const std::string& reference) {
        const std::string id = reference.substr(reference.find('/') + 1);
        const auto found = std::ranges::find(steps_, id, &Known::id);
        if (found != steps_.end()) return found->kind;
        const auto close = nearest(id, ids_);
        add("SPEC-UNKNOWN-STEP", list, index, fmt::format("there is no step '{}'", printable(id)),
            close ? fmt::format("did you mean '{}'?", *close)
                  : "see `slipway steps` for the names");
        return nullptr;
    }

    void check_skip(std::size_t index, const std::string& reference, const StepKind& kind) {
        if (kind.why_not_skippable.empty()) return;
        add("SPEC-STEP-NOT-SKIPPABLE", "skip", index,
            fmt::format("'{}' cannot be skipped: {}", reference, kind.why_not_skippable),
            kind.part.empty() ? "remove it"
                              : fmt::format("remove it, or switch off {}", kind.part));
    }

    const config::LoadedSpec& loaded_;
    std::vector<Known> steps_;
    std::vector<std::string> ids_;
    std::vector<config::Problem> problems_;
};

}  // namespace

std::string Where::describe() const {
    const std::string what = role ? config::to_string(*role) : "host";
    switch (reach) {
        case Reach::every: return "every " + what;
        case Reach::first: return "first " + what;
        case Reach::rest: return "every other " + what;
        case Reach::nodes: return "every node";
        case Reach::registries: return "every registry";
        case Reach::once: break;
    }
    return "once";
}

std::vector<const config::Host*> Where::hosts(const config::Spec& spec) const {
    std::vector<const config::Host*> all = role ? spec.with_role(*role) : spec.sorted_hosts();
    if (reach == Reach::first && all.size() > 1) all.resize(1);
    if (reach == Reach::rest && !all.empty()) all.erase(all.begin());
    if (reach == Reach::once) all = {nullptr};
    if (reach == Reach::nodes)
        std::erase_if(all, [](const config::Host* host) { return !is_node(*host); });
    if (reach == Reach::registries) all = registry_hosts(spec);
    return all;
}

std::vector<engine::Step> instantiate(const Flow& flow, const config::Spec& spec,
                                      const std::map<std::string, remote::Facts>& facts,
                                      const Material& material) {
    static const remote::Facts kUnknown;
    Memo memo;
    IdsByHost ids;
    std::vector<engine::Step> out;
    for (const auto& [where, kind] : flow) {
        if (!kind.enabled(spec)) continue;
        for (const config::Host* host : where.hosts(spec)) {
            const std::string name = host ? host->name : "";
            const auto known = facts.find(name);
            const StepInput input{spec, host, known == facts.end() ? kUnknown : known->second,
                                  memo, material};
            for (engine::Step& step : kind.make(input)) {
                complete(step, kind, name, spec, ids);
                ids[name].push_back(step.id);
                out.push_back(std::move(step));
            }
        }
    }
    return out;
}

std::vector<CatalogEntry> step_catalog() {
    std::vector<CatalogEntry> out;
    for (const auto& [where, kind] : create_cluster()) {
        out.push_back({.id = kind.id,
                       .title = kind.title,
                       .where = where.describe(),
                       .needs = kind.needs,
                       .part = kind.part,
                       .skippable = kind.why_not_skippable.empty(),
                       .why_not_skippable = kind.why_not_skippable,
                       .delegable = kind.delegable,
                       .undo = kind.why_no_undo.empty(),
                       .why_no_undo = kind.why_no_undo});
    }
    return out;
}

std::vector<config::Problem> check_step_references(const config::LoadedSpec& loaded,
                                                   const Flow& flow) {
    return ReferenceCheck(loaded, flow).run();
}

std::vector<config::Problem> check_step_references(const config::LoadedSpec& loaded) {
    return check_step_references(loaded, create_cluster());
}

}  // namespace slipway::cluster
