#include "cluster/flow.hpp"

#include "cluster/flows/flows.hpp"
#include "cluster/roles.hpp"
#include "cluster/topology.hpp"

#include <algorithm>
#include <unordered_set>

namespace slipway::cluster {

namespace {

// Makes the steps of a flow and says what each waits for.
class Instantiation {
  public:
    explicit Instantiation(const config::Spec& spec) : spec_(spec) {}

    void add(engine::Step step, const StepKind& kind, const std::string& host) {
        step.host = host;
        if (step.title.empty()) step.title = kind.title;
        std::vector<std::string> needs = kind.needs;
        needs.insert(needs.end(), step.needs.begin(), step.needs.end());
        step.needs = resolve(needs, host);
        // Whatever has a need waits through it.
        if (kind.stand != Stand::before_all && step.needs.empty()) step.needs = gates_;
        waited_for_.insert(step.needs.begin(), step.needs.end());
        step.after = kind.stand == Stand::after_all ? ends() : resolve(kind.after, host);
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
    // "registry:serve-bundle" is asked of other hosts, "set-hostname" of the step's own and of
    // those of no host.
    std::vector<std::string> hosts_of(const std::string& where, const std::string& own) const {
        std::vector<std::string> out;
        if (where.empty()) {
            out.emplace_back();
            if (!own.empty()) out.push_back(own);
        }
        if (where == "first-control-plane") out.push_back(first_control_plane(spec_).name);
        if (where == "registry") {
            for (const config::Host* host : registry_hosts(spec_)) out.push_back(host->name);
        }
        if (where == "every") {
            for (const auto& [host, ids] : ids_) out.push_back(host);
        }
        return out;
    }

    std::vector<std::string> resolve(const std::vector<std::string>& needs,
                                     const std::string& own) const {
        std::map<std::string, std::vector<std::string>> patterns;  // by where
        for (const std::string& need : needs) {
            const std::size_t colon = need.find(':');
            const bool elsewhere = colon != std::string::npos;
            patterns[elsewhere ? need.substr(0, colon) : ""].push_back(
                elsewhere ? need.substr(colon + 1) : need);
        }
        std::vector<std::string> out;
        for (const auto& [where, wanted] : patterns) {
            for (const std::string& host : hosts_of(where, own)) add_named(host, wanted, out);
        }
        return out;
    }

    void add_named(const std::string& host, const std::vector<std::string>& wanted,
                   std::vector<std::string>& out) const {
        const auto known = ids_.find(host);
        if (known == ids_.end()) return;
        for (const std::string& id : known->second) {
            const bool needed = std::ranges::any_of(
                wanted, [&](const std::string& pattern) { return names_step(pattern, id); });
            std::string node = host.empty() ? id : host + "/" + id;
            if (needed && std::ranges::find(out, node) == out.end()) out.push_back(std::move(node));
        }
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

    const config::Spec& spec_;
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
        case Reach::nodes: return "every node";
        case Reach::others: return "every node that is no control-plane";
        case Reach::registries: return "every registry";
        case Reach::members: return "every member of etcd";
        case Reach::holders: return "every control-plane and member of etcd";
        case Reach::once: break;
    }
    return "once";
}

std::vector<const config::Host*> Where::hosts(const config::Spec& spec) const {
    std::vector<const config::Host*> all = role ? spec.with_role(*role) : spec.sorted_hosts();
    if (reach == Reach::first && all.size() > 1) all.resize(1);
    if (reach == Reach::rest && !all.empty()) all.erase(all.begin());
    if (reach == Reach::once) all = {nullptr};
    if (reach == Reach::nodes || reach == Reach::others)
        std::erase_if(all, [](const config::Host* host) { return !is_node(*host); });
    if (reach == Reach::others)
        std::erase_if(all, [](const config::Host* host) { return host->has(ControlPlane); });
    if (reach == Reach::registries) all = registry_hosts(spec);
    if (reach == Reach::members || reach == Reach::holders) {
        std::erase_if(all, [&](const config::Host* host) {
            const bool holds = reach == Reach::holders && host->has(config::Role::control_plane);
            return !holds && !runs_etcd(spec, *host);
        });
    }
    return all;
}

std::vector<engine::Step> instantiate(const Flow& flow, const config::Spec& spec,
                                      const std::map<std::string, remote::Facts>& facts,
                                      const Surroundings& around) {
    static const remote::Facts kUnknown;
    Memo memo;
    Instantiation out(spec);
    for (const auto& [where, kind, from] : flow) {
        if (!kind.enabled(spec)) continue;
        for (const config::Host* host : where.hosts(spec)) {
            const std::string name = host ? host->name : "";
            const auto known = facts.find(name);
            const StepInput input{spec, host,   known == facts.end() ? kUnknown : known->second,
                                  memo, around, around.material};
            for (engine::Step& step : kind.make(input)) out.add(std::move(step), kind, name);
        }
    }
    return out.take();
}

std::vector<CatalogEntry> step_catalog() {
    std::vector<CatalogEntry> out;
    for (const auto& [where, kind, from] : create_cluster()) {
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
