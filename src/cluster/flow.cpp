#include "cluster/flow.hpp"

#include "cluster/flows/flows.hpp"

#include <algorithm>
#include <unordered_set>

namespace slipway::cluster {

namespace {

// Makes the steps of a flow and says what each waits for.
class Instantiation {
  public:
    void add(engine::Step step, const StepKind& kind, const std::string& host) {
        step.host = host;
        if (step.title.empty()) step.title = kind.title;
        step.needs = needs_of(kind, host);
        // Whatever has a need waits through it.
        if (kind.stand != Stand::before_all && step.needs.empty()) step.needs = gates_;
        waited_for_.insert(step.needs.begin(), step.needs.end());
        if (kind.stand == Stand::after_all) step.after = ends();
        waited_for_.insert(step.after.begin(), step.after.end());
        step.weight = kind.weight;
        step.skippable = kind.why_not_skippable.empty();
        step.why_not_skippable = kind.why_not_skippable;
        step.delegable = kind.delegable;
        step.why_no_undo = kind.why_no_undo;
        ids_[host].push_back(step.id);
        if (kind.stand == Stand::before_all) gates_.push_back(step.node_id());
        steps_.push_back(std::move(step));
    }

    std::vector<engine::Step> take() { return std::move(steps_); }

  private:
    std::vector<std::string> needs_of(const StepKind& kind, const std::string& host) const {
        std::vector<std::string> out;
        const auto look = [&](const std::string& where) {
            const auto known = ids_.find(where);
            if (known == ids_.end()) return;
            for (const std::string& id : known->second) {
                const bool needed = std::ranges::any_of(
                    kind.needs, [&](const std::string& need) { return names_step(need, id); });
                if (needed) out.push_back(where.empty() ? id : where + "/" + id);
            }
        };
        if (!host.empty()) look("");
        look(host);
        return out;
    }

    // Steps nothing waits for so far: who waits for these has waited for all.
    std::vector<std::string> ends() const {
        std::vector<std::string> out;
        for (const engine::Step& step : steps_) {
            std::string node = step.node_id();
            if (!waited_for_.contains(node)) out.push_back(std::move(node));
        }
        return out;
    }

    std::vector<engine::Step> steps_;
    std::map<std::string, std::vector<std::string>> ids_;  // by host; "" holds those of no host
    std::vector<std::string> gates_;                       // nodes that stand before all
    std::unordered_set<std::string> waited_for_;
};

std::string_view words(Stand stand) {
    switch (stand) {
        case Stand::before_all: return ", before all hosts";
        case Stand::after_all: return ", after all hosts";
        case Stand::by_needs: break;
    }
    return "";
}

}  // namespace

bool names_step(std::string_view pattern, std::string_view id) {
    if (!pattern.ends_with('*')) return pattern == id;
    return id.starts_with(pattern.substr(0, pattern.size() - 1));
}

std::string Where::describe() const {
    const std::string what = role ? config::to_string(*role) : "host";
    switch (reach) {
        case Reach::every: return "every " + what;
        case Reach::first: return "first " + what;
        case Reach::rest: return "every other " + what;
        case Reach::once: break;
    }
    return "once";
}

std::vector<const config::Host*> Where::hosts(const config::Spec& spec) const {
    std::vector<const config::Host*> all = role ? spec.with_role(*role) : spec.sorted_hosts();
    if (reach == Reach::first && all.size() > 1) all.resize(1);
    if (reach == Reach::rest && !all.empty()) all.erase(all.begin());
    if (reach == Reach::once) all = {nullptr};
    return all;
}

std::vector<engine::Step> instantiate(const Flow& flow, const config::Spec& spec,
                                      const std::map<std::string, remote::Facts>& facts,
                                      const Surroundings& around) {
    static const remote::Facts kUnknown;
    Memo memo;
    Instantiation out;
    for (const auto& [where, kind] : flow) {
        if (!kind.enabled(spec)) continue;
        for (const config::Host* host : where.hosts(spec)) {
            const std::string name = host ? host->name : "";
            const auto known = facts.find(name);
            const StepInput input{spec, host, known == facts.end() ? kUnknown : known->second, memo,
                                  around};
            for (engine::Step& step : kind.make(input)) out.add(std::move(step), kind, name);
        }
    }
    return out.take();
}

std::vector<CatalogEntry> step_catalog() {
    std::vector<CatalogEntry> out;
    for (const auto& [where, kind] : prepare_hosts()) {
        out.push_back({.id = kind.id,
                       .title = kind.title,
                       .where = where.describe() + std::string(words(kind.stand)),
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

}  // namespace slipway::cluster
