#include "config/components.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

namespace slipway::config {

namespace {

// The names of a list, and what each waits for of them.
std::map<std::string, const Component*> by_name(const std::vector<Component>& components) {
    std::map<std::string, const Component*> out;
    for (const Component& one : components) out.emplace(one.name, &one);
    return out;
}

// Those that can be installed, in order. Whoever is not among them is in a circle or waits for one.
std::vector<const Component*> reachable(const std::map<std::string, const Component*>& all) {
    std::vector<const Component*> out;
    std::set<std::string> done;
    bool more = true;
    while (more) {
        more = false;
        for (const auto& [name, one] : all) {
            const bool waits = std::ranges::any_of(one->needs, [&](const std::string& need) {
                return all.contains(need) && !done.contains(need);
            });
            if (waits || done.contains(name)) continue;
            done.insert(name);
            out.push_back(one);
            more = true;
        }
    }
    return out;
}

}  // namespace

std::vector<const Component*> in_order(const std::vector<Component>& components) {
    const auto all = by_name(components);
    std::vector<const Component*> out = reachable(all);
    for (const auto& [name, one] : all) {
        if (std::ranges::find(out, one) == out.end()) out.push_back(one);
    }
    return out;
}

void check_components(const std::vector<Component>& components, Findings& findings) {
    const auto all = by_name(components);
    const std::vector<const Component*> good = reachable(all);
    std::vector<std::string> names;
    for (const auto& [name, one] : all) names.push_back(name);
    for (std::size_t i = 0; i < components.size(); ++i) {
        const Component& one = components[i];
        for (std::size_t j = 0; j < one.needs.size(); ++j) {
            if (all.contains(one.needs[j])) continue;
            const auto close = close_name(one.needs[j], names);
            findings.error("SPEC-UNKNOWN-REFERENCE", fmt::format("components[{}].needs[{}]", i, j),
                           fmt::format("no component is named {}", shown(one.needs[j])),
                           close ? fmt::format("did you mean {}?", *close)
                                 : "add such a component, or remove the name");
        }
        const bool in_circle =
            all.at(one.name) == &one && std::ranges::find(good, &one) == good.end();
        if (!in_circle) continue;
        findings.error("SPEC-COMPONENT", fmt::format("components[{}].needs", i),
                       fmt::format("{} can never begin: its needs go in a circle", shown(one.name)),
                       "take one of the needs out");
    }
}

}  // namespace slipway::config
