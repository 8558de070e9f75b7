#include "base/text.hpp"
#include "desk/gantt.hpp"

#include <algorithm>
#include <map>

namespace slipway::desk {

namespace {

std::string node_of(const std::string& host, const std::string& step) {
    return host.empty() ? step : host + "/" + step;
}

struct Begun {
    std::string host, step;
    double at = 0;
};

class ModelMaker {
  public:
    GanttModel make(const std::vector<engine::Event>& events) {
        for (const engine::Event& event : events) {
            if (began_ms_ < 0) began_ms_ = event.wall_ms;
            const double at = static_cast<double>(event.wall_ms - began_ms_) / 1000.0;
            out_.total = std::max(out_.total, at);
            take(event, at);
        }
        for (const auto& [node, begun] : running_) {
            row(begun.host, begun.step)
                .bars.push_back({.ready = begun.at,
                                 .start = begun.at,
                                 .end = out_.total,
                                 .outcome = "running"});
        }
        if (knows_reasons_) place_ready();
        mark_critical();
        sort();
        return std::move(out_);
    }

  private:
    void take(const engine::Event& event, double at) {
        if (event.type == "run.started" || event.type == "run.resumed") {
            out_.kind = string_at(event.body, "kind");
            out_.result.clear();
            if (event.type == "run.resumed") out_.resumed.push_back(at);
            // What the former process had at work is not at work any more.
            running_.clear();
        } else if (event.type == "run.finished") {
            out_.result = string_at(event.body, "result");
        } else if (event.type == "step.started") {
            running_.emplace(node_of(event.host, event.step), Begun{event.host, event.step, at});
        } else if (event.type == "step.finished") {
            running_.erase(node_of(event.host, event.step));
            finish(event, at);
        }
    }

    void finish(const engine::Event& event, double at) {
        GanttBar bar{.end = at,
                     .outcome = string_at(event.body, "outcome"),
                     .after = string_at(event.body, "after")};
        const json::value* seconds = event.body.if_contains("seconds");
        const double took =
            seconds != nullptr && seconds->is_number() ? seconds->to_number<double>() : 0;
        bar.start = std::clamp(at - took, 0.0, at);
        bar.ready = bar.start;
        knows_reasons_ = knows_reasons_ || !bar.after.empty();
        row(event.host, event.step).bars.push_back(std::move(bar));
    }

    GanttRow& row(const std::string& host, const std::string& step) {
        const auto [at, is_new] = index_.emplace(node_of(host, step), out_.rows.size());
        if (is_new) out_.rows.push_back({.host = host, .step = step, .bars = {}});
        return out_.rows[at->second];
    }

    // The bar of `node` that had ended when something began at `time`; null when there is none.
    GanttBar* ended_before(const std::string& node, double time) {
        const auto known = index_.find(node);
        if (known == index_.end()) return nullptr;
        GanttBar* found = nullptr;
        for (GanttBar& bar : out_.rows[known->second].bars) {
            if (bar.end <= time + kSameMoment) found = &bar;
        }
        return found;
    }

    void place_ready() {
        for (GanttRow& row : out_.rows) {
            for (GanttBar& bar : row.bars) {
                double session = 0;
                for (const double resumed : out_.resumed) {
                    if (resumed <= bar.start) session = resumed;
                }
                const GanttBar* before = ended_before(bar.after, bar.start);
                bar.ready = std::clamp(before != nullptr ? before->end : session, 0.0, bar.start);
            }
        }
    }

    // From the step that ended last, back along what each waited for.
    void mark_critical() {
        GanttBar* bar = nullptr;
        for (GanttRow& row : out_.rows) {
            for (GanttBar& candidate : row.bars) {
                if (bar == nullptr || candidate.end > bar->end) bar = &candidate;
            }
        }
        while (bar != nullptr && !bar->critical) {
            bar->critical = true;
            out_.critical_seconds += bar->took();
            ++out_.critical_steps;
            bar = ended_before(bar->after, bar->start);
        }
    }

    void sort() {
        std::ranges::sort(out_.rows, [](const GanttRow& a, const GanttRow& b) {
            if (a.host != b.host) {
                if (a.host.empty() || b.host.empty()) return a.host.empty();
                const bool less = natural_less(a.host, b.host);
                return less != natural_less(b.host, a.host) ? less : a.host < b.host;
            }
            if (a.bars.front().start != b.bars.front().start)
                return a.bars.front().start < b.bars.front().start;
            return a.step < b.step;
        });
    }

    // Times come from two clocks, rounded differently.
    static constexpr double kSameMoment = 0.05;

    GanttModel out_;
    std::int64_t began_ms_ = -1;
    bool knows_reasons_ = false;  // journals of older versions do not say what made a step ready
    std::map<std::string, std::size_t> index_;
    std::map<std::string, Begun> running_;
};

}  // namespace

const std::vector<std::string>& gantt_event_types() {
    static const std::vector<std::string> kTypes = {"run.started", "run.resumed", "run.finished",
                                                    "step.started", "step.finished"};
    return kTypes;
}

GanttModel gantt_model(const std::vector<engine::Event>& events) {
    return ModelMaker().make(events);
}

}  // namespace slipway::desk
