#include "base/clock.hpp"
#include "base/text.hpp"
#include "cli/event_line.hpp"
#include "cli/view.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace slipway::cli {

namespace {
constexpr std::size_t kTroublesKept = 3;
}

ViewModel::ViewModel(std::string cluster, const std::vector<HostTotal>& totals)
    : cluster_(std::move(cluster)) {
    std::vector<HostTotal> sorted = totals;
    std::ranges::sort(sorted, natural_less, &HostTotal::host);
    for (const HostTotal& entry : sorted) {
        HostView& view = host(entry.host);
        view.total = entry.steps;
        done_before_[index_.at(entry.host)] = entry.done_before;
        total += entry.steps;
    }
}

ViewModel::HostView& ViewModel::host(const std::string& name) {
    const auto [found, added] = index_.try_emplace(name, hosts_.size());
    if (added) {
        hosts_.push_back({.name = name});
        done_before_.push_back(0);
    }
    return hosts_[found->second];
}

void ViewModel::apply(const engine::Event& event) {
    if (event.type == "progress") {
        apply_progress(event.body);
    } else if (event.type.starts_with("run.")) {
        apply_run(event);
    } else if (event.type.starts_with("step.")) {
        apply_step(event);
    } else if (event.type == "host.set-aside") {
        HostView& view = host(event.host);
        view.set_aside = true;
        view.trouble = event_words(event);
    } else if (event.type == "host.returned") {
        HostView& view = host(event.host);
        view.set_aside = false;
        view.failed = 0;
        view.trouble.clear();
    }
    if (event.level >= engine::Level::warning) note_trouble(event);
}

void ViewModel::apply_run(const engine::Event& event) {
    if (event.type == "run.started" || event.type == "run.resumed") {
        run = event.run;
        kind = string_at(event.body, "kind");
        started_ms = event.wall_ms;
        if (event.type == "run.resumed") {
            for (std::size_t i = 0; i < hosts_.size(); ++i) hosts_[i].done = done_before_[i];
        }
    } else if (event.type == "run.paused") {
        state = "paused";
    } else if (event.type == "run.continued") {
        state.clear();
    } else if (event.type == "run.cancelling" || event.type == "run.stopping") {
        state = "stopping";
    }
}

void ViewModel::apply_step(const engine::Event& event) {
    HostView& view = host(event.host);
    if (event.type == "step.started") {
        view.running.try_emplace(event.step, event.wall_ms);
        view.waiting.erase(event.step);
    } else if (event.type == "step.waiting") {
        view.running.erase(event.step);
        view.waiting[event.step] = event_words(event);
    } else if (event.type == "step.finished") {
        view.running.erase(event.step);
        view.waiting.erase(event.step);
        const std::string outcome = string_at(event.body, "outcome");
        if (outcome == "failed") {
            ++view.failed;
            view.trouble = string_at(event.body, "error");
        } else if (outcome != "cancelled") {
            ++view.done;
        }
    }
}

void ViewModel::apply_progress(const json::object& body) {
    percent = std::max(percent, number_at(body, "percent"));
    done = static_cast<std::size_t>(int_at(body, "done"));
    total = static_cast<std::size_t>(int_at(body, "total", static_cast<std::int64_t>(total)));
    running = static_cast<std::size_t>(int_at(body, "running"));
    left = number_at(body, "seconds-left", -1);
    left_low = number_at(body, "seconds-left-low", -1);
    left_high = number_at(body, "seconds-left-high", -1);
}

void ViewModel::note_trouble(const engine::Event& event) {
    std::string line = clock_time(event.wall_ms);
    if (!event.host.empty()) line += "  " + printable(event.host);
    if (!event.step.empty()) line += "  " + printable(event.step);
    troubles_.push_back(line + "  " + event_words(event));
    while (troubles_.size() > kTroublesKept) troubles_.pop_front();
}

std::string summary(const ViewModel& model, std::int64_t now_ms) {
    std::string out =
        fmt::format("{:.0f} %, {} of {} steps", std::floor(model.percent), model.done, model.total);
    if (!model.state.empty()) out += ", " + model.state;
    constexpr int kNamed = 3;
    int named = 0;
    for (const ViewModel::HostView& host : model.hosts()) {
        for (const auto& [step, since] : host.running) {
            if (++named > kNamed) return out + ", …";
            out += fmt::format("{} {}{}{} ({})", named == 1 ? "; running:" : ",", host.name,
                               host.name.empty() ? "" : "/", step,
                               format_duration(Millis(now_ms - since)));
        }
    }
    return out;
}

}  // namespace slipway::cli
