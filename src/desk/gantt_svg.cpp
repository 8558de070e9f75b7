#include "base/text.hpp"
#include "desk/gantt.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

namespace slipway::desk {

namespace {

constexpr double kWidth = 1280, kLeft = 250, kRight = 90, kChart = kWidth - kLeft - kRight;
constexpr double kTop = 96, kRowHeight = 14, kBarHeight = 9, kHeader = 20, kFoldHeight = 60;
constexpr double kThinnest = 2.5;
constexpr std::size_t kMostHosts = 40;
// Beyond this many rows, hosts without a row of interest show their steps packed together.
constexpr std::size_t kMostRows = 300;

// Light by default; a viewer that prefers dark gets dark.
constexpr std::string_view kStyle = R"(
text{font:11px ui-sans-serif,system-ui,"Liberation Sans",Arial,sans-serif;fill:#1c2733}
.paper{fill:#ffffff}.band{fill:#f3f6f9}.grid{stroke:#d5dde5;stroke-width:1}
.title{font-size:16px;font-weight:600}.sub,.axis,.took{fill:#5b6b7b}.took{font-size:9.5px}
.host{font-weight:600}.resume{stroke:#7b5bd6;stroke-width:1.5;stroke-dasharray:4 3}
.changed{fill:#2f6fde}.unchanged{fill:#7d8ea0}.skipped{fill:#c2a032}.failed{fill:#d5332b}
.cancelled{fill:#b0573f}.undone{fill:#7b5bd6}.running{fill:#1f9e8f}.wait{opacity:.28}
.bar{stroke:#ffffff;stroke-width:.4}.critical{stroke:#e0760a;stroke-width:1.6}.load{fill:#2f6fde;opacity:.55}
@media (prefers-color-scheme:dark){
text{fill:#e4ebf2}.paper{fill:#12181f}.band{fill:#1a222b}.grid{stroke:#2c3845}
.sub,.axis,.took{fill:#9badbf}.changed{fill:#5b93f5}.unchanged{fill:#74879a}.skipped{fill:#d6b748}
.failed{fill:#f0625a}.cancelled{fill:#d07f67}.undone{fill:#a78bfa}.running{fill:#35c2b1}
.bar{stroke:#12181f}.critical{stroke:#ff9c3a}.load{fill:#5b93f5}.resume{stroke:#a78bfa}
}
)";

std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : printable(text)) {
        switch (c) {
            case '&': out += "&amp;"; break;
            case '<': out += "&lt;"; break;
            case '>': out += "&gt;"; break;
            case '"': out += "&quot;"; break;
            default: out += c;
        }
    }
    return out;
}

std::string cut(std::string_view text, std::size_t most) {
    if (text.size() <= most) return std::string(text);
    return std::string(text.substr(0, most - 1)) + "…";
}

std::string seconds(double value) {
    return value < 9.95 ? fmt::format("{:.1f} s", value) : fmt::format("{:.0f} s", value);
}

// 1, 2 or 5 times a power of ten, for at most ten lines.
double grid_step(double total) {
    double step = 0.1;
    for (int i = 0; step * 10 < total; ++i) step *= i % 3 == 1 ? 2.5 : 2;
    return step;
}

struct HostRows {
    std::string host;
    std::vector<const GanttRow*> rows;
    bool notable = false;  // a failure, or a part of the critical path
};

std::vector<HostRows> by_host(const GanttModel& model) {
    std::vector<HostRows> out;
    for (const GanttRow& row : model.rows) {
        if (out.empty() || out.back().host != row.host)
            out.push_back({.host = row.host, .rows = {}, .notable = false});
        out.back().rows.push_back(&row);
        for (const GanttBar& bar : row.bars) {
            if (bar.critical || bar.outcome == "failed") out.back().notable = true;
        }
    }
    return out;
}

// The hosts that are shown, in their order, and those that are folded into one row.
struct Choice {
    std::vector<HostRows> shown;
    std::vector<HostRows> folded;
};

Choice choose(std::vector<HostRows> hosts) {
    std::set<std::string> kept;
    for (const bool notable : {true, false}) {
        for (const HostRows& host : hosts) {
            if (host.notable == notable && !host.host.empty() && kept.size() < kMostHosts)
                kept.insert(host.host);
        }
    }
    Choice out;
    for (HostRows& host : hosts) {
        const bool keep = host.host.empty() || kept.contains(host.host);
        (keep ? out.shown : out.folded).push_back(std::move(host));
    }
    return out;
}

class Picture {
  public:
    Picture(const GanttModel& model, const GanttHeading& heading)
        : model_(model), heading_(heading), choice_(choose(by_host(model))) {
        std::size_t rows = 0;
        for (const HostRows& host : choice_.shown) rows += host.rows.size();
        pack_ = rows > kMostRows;
    }

    std::string draw() {
        for (const HostRows& host : choice_.shown) draw_host(host);
        if (!choice_.folded.empty()) draw_folded();
        const double bottom = y_ + 8;
        std::string out = fmt::format(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
            "viewBox=\"0 0 {0:.0f} {1:.0f}\" "
            "role=\"img\">\n<title>{2}</title>\n<style>{3}</style>\n"
            "<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n",
            kWidth, bottom + 24, escaped(title()), kStyle);
        out += bands_ + grid(bottom) + header() + body_ + "</svg>\n";
        return out;
    }

  private:
    double x(double time) const {
        return kLeft + (model_.total > 0 ? time / model_.total * kChart : 0);
    }

    std::string title() const {
        const std::string how = model_.result.empty() ? "unfinished after" : model_.result + " in";
        return fmt::format("{}: run {}, {}, {} {:.1f} s", heading_.cluster, heading_.run,
                           model_.kind, how, model_.total);
    }

    std::string summary() const {
        std::map<std::string, std::size_t> counts;
        std::size_t hosts = 0;
        double waited = 0;
        for (const HostRows& host : choice_.shown) hosts += host.host.empty() ? 0 : 1;
        for (const GanttRow& row : model_.rows) {
            for (const GanttBar& bar : row.bars) waited += bar.waited();
            ++counts[row.bars.back().outcome];
        }
        std::string out =
            fmt::format("{} hosts, {} steps:", hosts + choice_.folded.size(), model_.rows.size());
        std::string separator = " ";
        for (const auto& [outcome, count] : counts) {
            out += fmt::format("{}{} {}", separator, count, outcome);
            separator = ", ";
        }
        out +=
            fmt::format(". Critical path: {} step{}, {} at work. Ready without a slot: {} in all.",
                        model_.critical_steps, model_.critical_steps == 1 ? "" : "s",
                        seconds(model_.critical_seconds), seconds(waited));
        return out;
    }

    std::string header() const {
        std::string out = fmt::format(
            "<text class=\"title\" x=\"16\" y=\"26\">{}</text>\n<text class=\"sub\" x=\"16\" "
            "y=\"44\">{}</text>\n",
            escaped(title()), escaped(summary()));
        double at = 16;
        const auto entry = [&](std::string_view classes, std::string_view words) {
            out += fmt::format(
                "<rect class=\"{}\" x=\"{:.0f}\" y=\"55\" width=\"22\" height=\"9\" "
                "rx=\"2\"/><text "
                "x=\"{:.0f}\" y=\"63.5\">{}</text>\n",
                classes, at, at + 28, words);
            at += 28 + 6.2 * static_cast<double>(words.size()) + 18;
        };
        for (const std::string_view outcome : {"changed", "unchanged", "skipped", "failed"})
            entry(outcome, outcome);
        for (const std::string_view outcome : {"cancelled", "undone", "running"}) {
            if (has(outcome)) entry(outcome, outcome);
        }
        entry("changed wait", "ready, waits for a slot");
        entry("changed critical", "critical path");
        return out;
    }

    bool has(std::string_view outcome) const {
        return std::ranges::any_of(model_.rows, [&](const GanttRow& row) {
            return std::ranges::any_of(row.bars,
                                       [&](const GanttBar& bar) { return bar.outcome == outcome; });
        });
    }

    std::string grid(double bottom) const {
        std::string out;
        const double step = grid_step(model_.total);
        for (int i = 0; i * step <= model_.total * (1 + 1e-9); ++i) {
            const double at = x(i * step);
            const std::string label =
                step < 1 ? fmt::format("{:.1f} s", i * step) : fmt::format("{:.0f} s", i * step);
            out += fmt::format(
                "<line class=\"grid\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.0f}\" "
                "y2=\"{2:.1f}\"/><text class=\"axis\" text-anchor=\"middle\" x=\"{0:.1f}\" "
                "y=\"{3:.0f}\">{5}</text><text class=\"axis\" text-anchor=\"middle\" x=\"{0:.1f}\" "
                "y=\"{4:.1f}\">{5}</text>\n",
                at, kTop - 8, bottom, kTop - 13, bottom + 14, label);
        }
        for (const double resumed : model_.resumed) {
            out += fmt::format(
                "<line class=\"resume\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.0f}\" "
                "y2=\"{2:.1f}\"><title>the run was resumed at {3}</title></line>\n",
                x(resumed), kTop - 8, bottom, seconds(resumed));
        }
        return out;
    }

    void band(double height) {
        if (odd_) {
            bands_ += fmt::format(
                "<rect class=\"band\" x=\"0\" y=\"{:.1f}\" width=\"{:.0f}\" height=\"{:.1f}\"/>\n",
                y_, kWidth, height);
        }
        odd_ = !odd_;
    }

    void draw_host(const HostRows& host) {
        const bool packed = pack_ && !host.notable;
        const std::vector<std::size_t> lanes = packed ? lanes_of(host) : std::vector<std::size_t>();
        const std::size_t lines = packed ? *std::ranges::max_element(lanes) + 1 : host.rows.size();
        const double header = packed ? 5 : kHeader;
        const double height = header + static_cast<double>(lines) * kRowHeight + (packed ? 1 : 4);
        band(height);
        body_ += fmt::format("<text class=\"host\" x=\"16\" y=\"{:.1f}\">{}</text>\n",
                             y_ + header + (packed ? kBarHeight : -6),
                             escaped(host.host.empty() ? "no host" : cut(host.host, 34)));
        for (std::size_t i = 0; i < host.rows.size(); ++i) {
            const double y = y_ + header + static_cast<double>(packed ? lanes[i] : i) * kRowHeight;
            if (!packed) {
                body_ += fmt::format("<text x=\"26\" y=\"{:.1f}\">{}</text>\n", y + kBarHeight,
                                     escaped(cut(host.rows[i]->step, 36)));
            }
            for (const GanttBar& bar : host.rows[i]->bars) draw_bar(*host.rows[i], bar, y, !packed);
        }
        y_ += height;
    }

    // The first line that is free for each step, by its begin.
    static std::vector<std::size_t> lanes_of(const HostRows& host) {
        std::vector<std::size_t> out;
        std::vector<double> busy_until;
        for (const GanttRow* row : host.rows) {
            const auto free = std::ranges::find_if(
                busy_until, [&](double until) { return until <= row->bars.front().ready; });
            const auto lane = static_cast<std::size_t>(free - busy_until.begin());
            if (free == busy_until.end()) busy_until.push_back(0);
            busy_until[lane] = row->bars.back().end;
            out.push_back(lane);
        }
        return out;
    }

    void draw_bar(const GanttRow& row, const GanttBar& bar, double y, bool with_time) {
        const double left = x(bar.start), right = x(bar.end);
        const std::string outcome = escaped(bar.outcome);
        body_ += fmt::format("<g><title>{}: {}, {:.2f} s, from {:.2f} s to {:.2f} s{}</title>",
                             escaped(row.node()), outcome, bar.took(), bar.start, bar.end,
                             bar.after.empty() ? "" : "; after " + escaped(bar.after));
        if (left - x(bar.ready) >= 0.5) {
            body_ += fmt::format(
                "<rect class=\"{} wait\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" "
                "height=\"{:.0f}\"/>",
                outcome, x(bar.ready), y, left - x(bar.ready), kBarHeight);
        }
        body_ += fmt::format(
            "<rect class=\"bar {}{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.0f}\" "
            "rx=\"1.5\"/>",
            outcome, bar.critical ? " critical" : "", left, y, std::max(right - left, kThinnest),
            kBarHeight);
        if (with_time && bar.took() >= 0.05) {
            body_ += fmt::format("<text class=\"took\" x=\"{:.1f}\" y=\"{:.1f}\">{}{}</text>",
                                 std::max(right, left + kThinnest) + 5, y + kBarHeight - 0.5,
                                 seconds(bar.took()), bar.outcome == "failed" ? ", failed" : "");
        }
        body_ += "</g>\n";
    }

    // How many steps of the folded hosts were at work, over time.
    void draw_folded() {
        std::map<double, int> changes;
        std::size_t steps = 0;
        for (const HostRows& host : choice_.folded) {
            steps += host.rows.size();
            for (const GanttRow* row : host.rows) {
                for (const GanttBar& bar : row->bars) {
                    // By half points, so that a thousand hosts do not make a million corners.
                    const auto at = [&](double time) { return std::round(x(time) * 2) / 2; };
                    ++changes[at(bar.start)];
                    --changes[std::max(at(bar.end), at(bar.start) + 0.5)];
                }
            }
        }
        int now = 0, most = 1;
        for (const auto& [at, change] : changes) most = std::max(most, now += change);
        const double base = y_ + kFoldHeight - 6, full = kFoldHeight - 16;
        const auto height = [&](int count) { return base - full * count / most; };
        band(kFoldHeight);
        std::string path = fmt::format("M{:.1f} {:.1f}", kLeft, base);
        now = 0;
        for (const auto& [at, change] : changes) {
            path += fmt::format("L{:.1f} {:.1f}", at, height(now));
            now += change;
            path += fmt::format("L{:.1f} {:.1f}", at, height(now));
        }
        body_ += fmt::format(
            "<text class=\"host\" x=\"16\" y=\"{:.1f}\">{} more hosts</text>\n<text x=\"26\" "
            "y=\"{:.1f}\">{} steps, at most {} at once</text>\n<path class=\"load\" d=\"{}Z\"/>\n",
            y_ + 20, choice_.folded.size(), y_ + 36, steps, most, path);
        y_ += kFoldHeight;
    }

    const GanttModel& model_;
    const GanttHeading& heading_;
    Choice choice_;
    bool pack_ = false;
    bool odd_ = true;
    double y_ = kTop;
    std::string bands_;
    std::string body_;
};

}  // namespace

std::string gantt_svg(const GanttModel& model, const GanttHeading& heading) {
    return Picture(model, heading).draw();
}

}  // namespace slipway::desk
