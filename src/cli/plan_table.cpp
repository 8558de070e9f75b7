#include "cli/plan_table.hpp"

#include "base/clock.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include <fmt/format.h>

namespace slipway::cli {

namespace {

struct Mark {
    std::string_view sign;
    Colour colour;
};

Mark mark_of(std::string_view change) {
    if (change == "create") return {"+", Colour::green};
    if (change == "change") return {"~", Colour::yellow};
    if (change == "remove") return {"-", Colour::red};
    if (change == "run") return {">", Colour::blue};
    if (change == "unknown") return {"?", Colour::yellow};
    if (change == "skip") return {"s", Colour::dim};
    if (change == "delegate") return {"d", Colour::blue};
    return {"=", Colour::dim};
}

struct NaturalOrder {
    bool operator()(const std::string& a, const std::string& b) const { return natural_less(a, b); }
};

std::string step_block(const engine::Node& node, const engine::StepPreview& step,
                       const Style& style) {
    const Mark mark = mark_of(step.change);
    std::string out = fmt::format("  {} {}", style.paint(mark.sign, mark.colour), node.step.id);
    if (!step.reason.empty()) out += style.paint(fmt::format("  ({})", step.reason), Colour::dim);
    if (!step.problem.empty()) out += "  " + printable(step.problem);
    out += '\n';
    for (const engine::Change& change : step.changes) {
        const Mark each = mark_of(change.verb);
        out +=
            fmt::format("      {} {}", style.paint(each.sign, each.colour), printable(change.what));
        if (!change.detail.empty())
            out += "  " + style.paint(printable(change.detail), Colour::dim);
        out += '\n';
    }
    return out;
}

}  // namespace

std::string PlanCounts::words() const {
    std::vector<std::string> parts;
    const auto part = [&](std::size_t number, std::string_view word) {
        if (number > 0) parts.push_back(fmt::format("{} {}", number, word));
    };
    part(create, "to create");
    part(change, "to change");
    part(remove, "to remove");
    part(run, "to run");
    part(unknown, "known only during the run");
    part(delegate, "delegated");
    part(skip, "skipped");
    std::string out = parts.empty() ? "nothing to change" : join(parts, ", ");
    if (none > 0) out += fmt::format("; {} as they should be", none);
    return out;
}

PlanCounts count(const engine::Preview& preview) {
    PlanCounts counts;
    for (const engine::StepPreview& step : preview.steps) {
        if (step.change == "create")
            ++counts.create;
        else if (step.change == "change")
            ++counts.change;
        else if (step.change == "remove")
            ++counts.remove;
        else if (step.change == "run")
            ++counts.run;
        else if (step.change == "unknown")
            ++counts.unknown;
        else if (step.change == "skip")
            ++counts.skip;
        else if (step.change == "delegate")
            ++counts.delegate;
        else
            ++counts.none;
    }
    return counts;
}

std::string plan_table(const engine::Plan& plan, const engine::Preview& preview, const Style& style,
                       bool verbose) {
    std::map<std::string, std::string, NaturalOrder> blocks;
    std::map<std::string, std::size_t, NaturalOrder> quiet;
    for (const engine::StepPreview& step : preview.steps) {
        const engine::Node& node = plan.node(step.node);
        if (step.change == "none" && !verbose) {
            ++quiet[node.step.host];
        } else {
            blocks[node.step.host] += step_block(node, step, style);
        }
    }
    std::string out;
    for (const auto& [host, block] : blocks) {
        out += style.paint(host.empty() ? "(cluster)" : host, Colour::bold) + "\n" + block;
        if (quiet[host] > 0) out += fmt::format("  {} as they should be\n", quiet[host]);
        out += '\n';
    }
    return out + fmt::format("Plan: {}\n", count(preview).words());
}

std::string estimate_line(const engine::Estimate& time) {
    if (time.steps == 0) return "";
    const auto words = [](double seconds) {
        return format_duration(Millis(static_cast<std::int64_t>(seconds * 1000)));
    };
    const std::string basis = time.measured == 0 ? "a guess: nothing was measured yet"
                                                 : fmt::format("by {} of {} steps measured before",
                                                               time.measured, time.steps);
    return fmt::format("Takes about {} ({} to {}), {}\n", words(time.seconds), words(time.low),
                       words(time.high), basis);
}

std::string undo_table(const engine::UndoPlan& undo, const Style& style) {
    std::string out;
    for (const engine::NodeIndex index : undo.plan.order()) {
        const engine::Node& node = undo.plan.node(index);
        out += fmt::format("  {} {}\n", style.paint("-", Colour::red), node.id);
    }
    for (const auto& [node, why] : undo.left) {
        out += fmt::format("  {} {}  stays: {}\n", style.paint("!", Colour::yellow), node,
                           printable(why));
    }
    return out + fmt::format("Reset: {} steps to undo, {} cannot be undone\n", undo.plan.size(),
                             undo.left.size());
}

json::object undo_json(const engine::UndoPlan& undo) {
    json::array steps;
    for (const engine::NodeIndex index : undo.plan.order()) {
        const engine::Node& node = undo.plan.node(index);
        steps.push_back(
            json::object{{"id", node.id}, {"host", node.step.host}, {"step", node.step.id}});
    }
    json::array left;
    for (const auto& [node, why] : undo.left)
        left.push_back(json::object{{"id", node}, {"reason", why}});
    return {{"steps", std::move(steps)}, {"left", std::move(left)}};
}

}  // namespace slipway::cli
