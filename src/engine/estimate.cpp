#include "engine/estimate.hpp"

#include "engine/progress.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace slipway::engine {

namespace {

// A probe that finds all as it should be.
constexpr double kLook = 0.05;

// The mean of earlier runs may be off by this much, a guess by three times as much.
constexpr double kDoubt = 0.25, kDoubtOfGuess = 0.75;

bool acts(const StepPreview& step) {
    return step.change != "none" && step.change != "skip" && step.change != "delegate";
}

double tenth(double seconds) { return std::round(seconds * 10) / 10; }

}  // namespace

Estimate estimate(const Plan& plan, const Preview& preview,
                  const std::vector<store::Duration>& measured, const Policy& policy) {
    std::set<std::string_view> known;
    for (const store::Duration& d : measured) {
        if (d.count > 0) known.insert(d.step);
    }
    Estimate out;
    std::vector<double> seconds = expected_seconds(plan, measured);
    double work = 0;
    for (const StepPreview& step : preview.steps) {
        double& own = seconds[step.node];
        if (acts(step)) {
            ++out.steps;
            if (known.contains(plan.node(step.node).step.id)) ++out.measured;
        } else {
            own = std::min(own, kLook);
        }
        work += own;
    }
    const std::vector<double> tails = plan.tails(seconds);
    const double longest = tails.empty() ? 0 : *std::ranges::max_element(tails);
    out.seconds = std::max(longest, work / static_cast<double>(parallel_bound(plan, policy)));
    const double guessed =
        out.steps == 0 ? 0
                       : 1.0 - static_cast<double>(out.measured) / static_cast<double>(out.steps);
    const double doubt = kDoubt + (kDoubtOfGuess - kDoubt) * guessed;
    out.low = out.seconds * (1.0 - doubt);
    out.high = out.seconds * (1.0 + doubt);
    return out;
}

json::object to_json(const Estimate& estimate) {
    return {{"seconds", tenth(estimate.seconds)},
            {"low", tenth(estimate.low)},
            {"high", tenth(estimate.high)},
            {"steps", estimate.steps},
            {"measured", estimate.measured}};
}

std::size_t parallel_bound(const Plan& plan, const Policy& policy) {
    std::set<std::string_view> hosts;
    for (const Node& node : plan.nodes()) hosts.insert(node.step.host);
    return std::max<std::size_t>(
        1, std::min(policy.parallel_steps,
                    std::max<std::size_t>(1, hosts.size()) * policy.parallel_per_host));
}

}  // namespace slipway::engine
