#include "cli/saved_plan.hpp"

#include "base/files.hpp"
#include "base/text.hpp"
#include "cli/exit_code.hpp"

#include <map>
#include <set>

#include <fmt/format.h>

namespace slipway::cli {

namespace {

constexpr std::int64_t kFormat = 1;
constexpr std::size_t kNamed = 10;
constexpr std::size_t kLargestPlan = 512u << 20;  // a plan of 1,000 hosts is large

// Everything of a step that must not move, as text.
std::map<std::string, std::string> steps_by_id(const json::object& plan) {
    std::map<std::string, std::string> steps;
    const json::value* list = plan.if_contains("steps");
    if (list == nullptr || !list->is_array()) return steps;
    for (const json::value& step : list->get_array()) {
        if (step.is_object()) steps[string_at(step.get_object(), "id")] = json::serialize(step);
    }
    return steps;
}

std::string named(const std::vector<std::string>& ids) {
    if (ids.size() <= kNamed) return join(ids, ", ");
    const std::vector<std::string> first(ids.begin(), ids.begin() + kNamed);
    return fmt::format("{} and {} more", join(first, ", "), ids.size() - kNamed);
}

}  // namespace

void save_plan(const std::filesystem::path& file, const SavedPlan& saved) {
    const json::object document = {{"slipwayPlan", kFormat},
                                   {"cluster", saved.cluster},
                                   {"options", parse_json(saved.options, "the options")},
                                   {"spec", parse_json(saved.spec, "the spec")},
                                   {"plan", saved.plan}};
    atomic_write(file, json::serialize(document) + "\n", 0600);
}

SavedPlan load_plan(const std::filesystem::path& file) {
    json::error_code not_json;
    const std::string text = read_file(file, kLargestPlan);
    const json::value document = json::parse(text, not_json);
    const json::object* object = not_json ? nullptr : document.if_object();
    const json::value* plan = object == nullptr ? nullptr : object->if_contains("plan");
    if (object == nullptr || int_at(*object, "slipwayPlan") != kFormat || plan == nullptr ||
        !plan->is_object() || !object->contains("spec") || !object->contains("options")) {
        throw UserError("PLAN-NOT-ONE",
                        fmt::format("{} is not a saved plan of this version", file.string()),
                        {.remedy = "slipway plan -c FILE --out PLAN writes one"});
    }
    return {.cluster = string_at(*object, "cluster"),
            .spec = json::serialize(object->at("spec")),
            .options = json::serialize(object->at("options")),
            .plan = plan->get_object()};
}

std::vector<std::string> moved_steps(const json::object& saved, const json::object& now) {
    const std::map<std::string, std::string> before = steps_by_id(saved);
    const std::map<std::string, std::string> after = steps_by_id(now);
    std::set<std::string> moved;
    for (const auto& [id, text] : before) {
        const auto found = after.find(id);
        if (found == after.end() || found->second != text) moved.insert(id);
    }
    for (const auto& [id, text] : after) {
        if (!before.contains(id)) moved.insert(id);
    }
    return {moved.begin(), moved.end()};
}

void require_same(const SavedPlan& saved, const json::object& now) {
    const std::vector<std::string> moved = moved_steps(saved.plan, now);
    const std::string remedy = "review again: slipway plan -c FILE --out PLAN";
    if (string_at(saved.plan, "hash") != string_at(now, "hash")) {
        throw VerificationError("PLAN-OTHER", "the saved plan is not what the spec says now",
                                {.cause = moved.empty() ? "inputs of its steps have changed"
                                                        : "different: " + named(moved),
                                 .remedy = remedy});
    }
    if (string_at(saved.plan, "world") != string_at(now, "world")) {
        throw VerificationError(
            "PLAN-STALE", "the hosts have changed since the plan was saved",
            {.cause = moved.empty() ? "what the probes saw differs" : "moved: " + named(moved),
             .remedy = remedy});
    }
}

}  // namespace slipway::cli
