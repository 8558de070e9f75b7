#include "engine/progress.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace slipway::engine {

namespace {

constexpr double kShortest = 0.001;  // so that a plan of instant steps still has a length

}  // namespace

std::vector<double> expected_seconds(const Plan& plan,
                                     const std::vector<store::Duration>& measured) {
    std::unordered_map<std::string_view, double> by_step;
    for (const store::Duration& d : measured) {
        if (d.count > 0) by_step[d.step] = d.mean_ms / 1000.0;
    }
    // Weights are guesses of one computer; what was measured says how far off they are here.
    double guessed = 0;
    double took = 0;
    for (const Node& node : plan.nodes()) {
        const auto known = by_step.find(node.step.id);
        if (known == by_step.end()) continue;
        guessed += node.step.weight;
        took += known->second;
    }
    const double correction = guessed > 0 && took > 0 ? took / guessed : 1.0;
    std::vector<double> seconds;
    seconds.reserve(plan.size());
    for (const Node& node : plan.nodes()) {
        const auto known = by_step.find(node.step.id);
        const bool measured_here = known != by_step.end();
        seconds.push_back(
            std::max(kShortest, measured_here ? known->second : node.step.weight * correction));
    }
    return seconds;
}

Progress::Progress(const Plan& plan, std::vector<double> seconds, std::size_t parallel)
    : plan_(plan),
      seconds_(std::move(seconds)),
      is_settled_(plan.size(), false),
      parallel_(parallel) {
    for (const double s : seconds_) total_ += s;
}

void Progress::settled(NodeIndex node) {
    if (is_settled_[node]) return;
    is_settled_[node] = true;
    settled_ += seconds_[node];
    ++settled_count_;
}

void Progress::reopened(NodeIndex node) {
    if (!is_settled_[node]) return;
    is_settled_[node] = false;
    settled_ -= seconds_[node];
    --settled_count_;
}

void Progress::measured(NodeIndex node, double seconds) {
    expected_of_measured_ += seconds_[node];
    actual_of_measured_ += seconds;
    ++measured_count_;
}

double Progress::pace(const std::vector<Running>& running) const {
    // The expectation itself weighs as much as a few steps, so one odd step does not throw the
    // estimate.
    const double prior = 3.0 * total_ / static_cast<double>(std::max<std::size_t>(1, plan_.size()));
    double actual = actual_of_measured_ + prior;
    double expected = expected_of_measured_ + prior;
    // A step that is past its time says as much as a finished one.
    for (const Running& r : running) {
        if (r.elapsed <= seconds_[r.node]) continue;
        actual += r.elapsed;
        expected += seconds_[r.node];
    }
    return std::clamp(actual / expected, 0.01, 50.0);
}

ProgressReport Progress::report(const Frontier& frontier, const std::vector<Running>& running) {
    ProgressReport out;
    out.total = plan_.size();
    out.done = settled_count_;
    out.running = running.size();
    const bool finished = settled_count_ == plan_.size();
    const double raw = plan_.size() == 0 || finished ? 100.0 : 100.0 * settled_ / total_;
    shown_ = std::max(shown_, std::min(finished ? 100.0 : 99.9, raw));
    out.percent = shown_;
    if (finished) return out;

    const double speed = pace(running);
    double longest = 0.0;
    double under_way = 0.0;
    for (const Running& r : running) {
        const double rest = std::max(0.0, frontier.tail(r.node) * speed - r.elapsed);
        longest = std::max(longest, rest);
        under_way += std::min(r.elapsed, seconds_[r.node] * speed);
    }
    const double hosts = static_cast<double>(std::max<std::size_t>(1, parallel_));
    const double by_work = std::max(0.0, (total_ - settled_) * speed - under_way) / hosts;
    out.left = std::max(longest, by_work);
    const double doubt = 0.15 + 0.6 / std::sqrt(1.0 + static_cast<double>(measured_count_));
    out.left_low = out.left * (1.0 - std::min(0.6, doubt));
    out.left_high = out.left * (1.0 + doubt);
    return out;
}

}  // namespace slipway::engine
