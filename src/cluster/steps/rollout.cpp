#include "cluster/steps/rollout.hpp"

#include "base/json.hpp"
#include "base/text.hpp"
#include "cluster/steps/component_record.hpp"

#include <algorithm>

namespace slipway::cluster {

namespace {

// "True", "False" or "Unknown", one a node.
std::vector<std::string> ready_conditions(const Kubectl& kubectl) {
    const remote::CommandResult seen = kubectl.try_run(
        {"get", "nodes", "-o",
         R"(jsonpath={range .items[*]}{.status.conditions[?(@.type=="Ready")].status}{"\n"}{end})"});
    if (seen.exit_code != 0) return {};
    return split(trim(seen.out), '\n');
}

std::string names_of(const std::vector<Workload>& all) {
    std::vector<ObjectName> names;
    for (const Workload& one : all)
        names.push_back({.api = "apps/v1", .kind = one.kind, .space = one.space, .name = one.name});
    return names_as_list(names);
}

// 0 where nothing is said.
std::int64_t number_at(const json::object& object, std::string_view section, std::string_view key) {
    const json::value* in = object.if_contains(section);
    const json::value* number = in ? in->as_object().if_contains(key) : nullptr;
    return number ? number->to_number<std::int64_t>() : 0;
}

// The rules of `kubectl rollout status`.
bool is_out(const json::object& object, std::size_t away) {
    if (number_at(object, "metadata", "generation") >
        number_at(object, "status", "observedGeneration"))
        return false;
    const auto status = [&](std::string_view key) { return number_at(object, "status", key); };
    if (string_at(object, "kind") == "DaemonSet") {
        const std::int64_t wanted =
            status("desiredNumberScheduled") - static_cast<std::int64_t>(away);
        return status("updatedNumberScheduled") >= wanted && status("numberAvailable") >= wanted;
    }
    const std::int64_t updated = status("updatedReplicas");
    return updated >= number_at(object, "spec", "replicas") && status("replicas") <= updated &&
           status("availableReplicas") >= updated;
}

bool is_of(const json::object& object, const Workload& one) {
    const json::object& metadata = object.at("metadata").as_object();
    return string_at(object, "kind") == one.kind && string_at(metadata, "name") == one.name &&
           string_at(metadata, "namespace") == one.space;
}

// kubectl prints a single object as it is, and several as a list.
json::array objects_in(const std::string& text) {
    if (trim(text).empty()) return {};
    json::value said = parse_json(text, "what kubectl says of workloads");
    if (json::value* items = said.as_object().if_contains("items"))
        return std::move(items->as_array());
    return {std::move(said)};
}

}  // namespace

std::size_t nodes_not_ready(const Kubectl& kubectl) {
    const std::vector<std::string> all = ready_conditions(kubectl);
    return all.size() - static_cast<std::size_t>(std::ranges::count(all, "True"));
}

std::size_t nodes_silent(const Kubectl& kubectl) {
    return static_cast<std::size_t>(std::ranges::count(ready_conditions(kubectl), "Unknown"));
}

std::vector<Workload> not_out(const Kubectl& kubectl, const std::vector<Workload>& all,
                              std::size_t away) {
    const remote::CommandResult seen =
        kubectl.try_run({"get", "--ignore-not-found", "-o", "json", "-f", "-"}, names_of(all));
    if (seen.exit_code != 0) return all;
    std::vector<Workload> out;
    for (const json::value& value : objects_in(seen.out)) {
        const json::object& object = value.as_object();
        if (is_out(object, away)) continue;
        const auto one =
            std::ranges::find_if(all, [&](const Workload& w) { return is_of(object, w); });
        if (one != all.end()) out.push_back(*one);
    }
    return out;
}

}  // namespace slipway::cluster
