#include "cli/view.hpp"

#include "base/clock.hpp"
#include "base/text.hpp"
#include "cli/columns.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace slipway::cli {

namespace {

using HostView = ViewModel::HostView;

enum class State { failed, waits_for_somebody, running, started, waiting, done };

State state_of(const HostView& host) {
    if (host.set_aside || host.failed > 0) return State::failed;
    if (!host.waiting.empty()) return State::waits_for_somebody;
    if (!host.running.empty()) return State::running;
    if (host.finished()) return State::done;
    return host.done > 0 ? State::started : State::waiting;
}

struct Mark {
    std::string_view unicode, ascii;
    Colour colour;
};

Mark mark_of(State state) {
    switch (state) {
        case State::failed: return {"✗", "x", Colour::red};
        case State::waits_for_somebody: return {"?", "?", Colour::yellow};
        case State::running: return {"●", ">", Colour::blue};
        case State::started: return {"○", ".", Colour::none};
        case State::waiting: return {"○", ".", Colour::dim};
        case State::done: return {"✓", "=", Colour::green};
    }
    return {"○", ".", Colour::none};
}

std::string elapsed(std::int64_t ms) {
    const std::int64_t s = std::max<std::int64_t>(ms, 0) / 1000;
    if (s < 3600) return fmt::format("{:02}:{:02}", s / 60, s % 60);
    return fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
}

// Tenths that change with every frame only flicker.
std::string whole_seconds(double seconds) {
    if (seconds < 9.5) return fmt::format("{:.0f} s", seconds);
    return format_duration(Millis(std::llround(seconds) * 1000));
}

std::string time_left(const ViewModel& model) {
    if (model.left < 0) return "";
    if (model.left < 1) return "about 1 s left";
    if (model.left_low < 0 || whole_seconds(model.left_low) == whole_seconds(model.left_high)) {
        return fmt::format("about {} left", whole_seconds(model.left));
    }
    return fmt::format("about {} left ({} to {})", whole_seconds(model.left),
                       whole_seconds(model.left_low), whole_seconds(model.left_high));
}

std::string title(const ViewModel& model, std::size_t width, std::int64_t now_ms,
                  const Style& style) {
    Line line(width, style);
    line.add(model.cluster(), Colour::bold);
    if (model.run != 0) line.add(fmt::format("  {} run {}", model.kind, model.run));
    if (model.started_ms != 0) line.add("  " + elapsed(now_ms - model.started_ms));
    if (model.state == "paused") {
        line.add(fmt::format("  paused: slipway resume {}", model.cluster()), Colour::yellow);
    } else if (!model.state.empty()) {
        line.add("  " + model.state, Colour::yellow);
    } else if (const std::string left = time_left(model); !left.empty()) {
        line.add("  " + left);
    }
    return line.text();
}

std::string overall(const ViewModel& model, std::size_t width, const Style& style) {
    Line line(width, style);
    const std::size_t bar_width = std::clamp<std::size_t>(width / 3, 10, 40);
    line.add(bar(model.percent / 100, bar_width, style.unicode), Colour::green);
    line.add(fmt::format(" {:3.0f} %", std::floor(model.percent)), Colour::bold);
    line.add(fmt::format("  {}/{} steps", model.done, model.total));
    if (model.running > 0) line.add(fmt::format(", {} running", model.running));
    return line.text();
}

std::string doing(const HostView& host, State state, std::int64_t now_ms) {
    switch (state) {
        case State::failed: return (host.set_aside ? "" : "failed: ") + host.trouble;
        case State::waits_for_somebody: {
            const auto& [step, whom] = *host.waiting.begin();
            return fmt::format("{}  {}", printable(step), whom);
        }
        case State::done: return "done";
        case State::started:
        case State::waiting: return "waiting";
        case State::running: break;
    }
    // The step that has been at it longest is the one worth watching.
    const auto oldest =
        std::ranges::min_element(host.running, {}, [](const auto& r) { return r.second; });
    std::string text = printable(oldest->first);
    if (const std::int64_t for_ms = now_ms - oldest->second; for_ms >= 1000) {
        text += "  " + whole_seconds(std::floor(static_cast<double>(for_ms) / 1000));
    }
    if (host.running.size() > 1) text += fmt::format("  and {} more", host.running.size() - 1);
    return text;
}

struct Layout {
    std::size_t name = 0, bar = 0, count = 0;
};

Layout layout_of(const ViewModel& model, std::size_t width) {
    Layout layout;
    std::size_t digits = 1;
    for (const HostView& host : model.hosts()) {
        layout.name = std::max(layout.name, columns(host.name));
        digits = std::max(digits, fmt::formatted_size("{}", host.total));
    }
    layout.name = std::clamp<std::size_t>(layout.name, 9, std::max<std::size_t>(width / 4, 9));
    layout.bar = width >= 60 ? std::min<std::size_t>(20, width / 8) : 0;
    layout.count = 2 * digits + 1;
    return layout;
}

std::string host_line(const HostView& host, const Layout& layout, std::size_t width,
                      std::int64_t now_ms, const Style& style) {
    const State state = state_of(host);
    const Mark mark = mark_of(state);
    Line line(width, style);
    line.add(style.unicode ? mark.unicode : mark.ascii, mark.colour);
    const std::string name = host.name.empty() ? "(cluster)" : printable(host.name);
    line.add(" " + pad(name, layout.name, style.unicode) + " ");
    if (layout.bar > 0) {
        const double part =
            host.total == 0 ? 0 : static_cast<double>(host.done) / static_cast<double>(host.total);
        line.add(bar(part, layout.bar, style.unicode), mark.colour).add(" ");
    }
    line.add(fmt::format("{:>{}}  ", fmt::format("{}/{}", host.done, host.total), layout.count));
    line.add(doing(host, state, now_ms), mark.colour);
    return line.text();
}

// What was folded away: "… 993 more hosts: 990 waiting, 3 done".
std::string fold_line(const std::vector<const HostView*>& hidden, std::size_t width,
                      const Style& style) {
    std::size_t running = 0, waiting = 0, done = 0, failed = 0;
    for (const HostView* host : hidden) {
        switch (state_of(*host)) {
            case State::failed: ++failed; break;
            case State::waits_for_somebody:
            case State::running: ++running; break;
            case State::started:
            case State::waiting: ++waiting; break;
            case State::done: ++done; break;
        }
    }
    std::vector<std::string> parts;
    const auto part = [&](std::size_t count, std::string_view word) {
        if (count > 0) parts.push_back(fmt::format("{} {}", count, word));
    };
    part(failed, "failed");
    part(running, "running");
    part(waiting, "waiting");
    part(done, "done");
    Line line(width, style);
    line.add(fmt::format("{} {} more host{}: {}", style.unicode ? "…" : "...", hidden.size(),
                         hidden.size() == 1 ? "" : "s", join(parts, ", ")),
             Colour::dim);
    return line.text();
}

void add_hosts(std::vector<std::string>& frame, const ViewModel& model, std::size_t room,
               std::size_t width, std::int64_t now_ms, const Style& style) {
    std::vector<const HostView*> hosts;
    for (const HostView& host : model.hosts()) {
        if (host.total > 0 || !host.running.empty()) hosts.push_back(&host);
    }
    const Layout layout = layout_of(model, width);
    const bool folded = hosts.size() > room;
    const std::size_t visible = folded ? room - 1 : hosts.size();
    if (folded) {
        // While everything fits, the order stays put; folded, what matters comes first.
        std::ranges::sort(hosts, {}, [](const HostView* host) {
            return std::pair(state_of(*host), host);  // their address is their order by name
        });
    }
    for (std::size_t i = 0; i < visible; ++i) {
        frame.push_back(host_line(*hosts[i], layout, width, now_ms, style));
    }
    if (folded) {
        hosts.erase(hosts.begin(), hosts.begin() + static_cast<std::ptrdiff_t>(visible));
        frame.push_back(fold_line(hosts, width, style));
    }
}

}  // namespace

std::vector<std::string> render(const ViewModel& model, Size size, std::int64_t now_ms,
                                const Style& style) {
    const std::size_t width = std::max<std::size_t>(size.width, 20);
    const std::size_t lines =
        std::max<std::size_t>(size.height, 4) - 1;  // the cursor's own line stays free
    std::vector<std::string> frame = {title(model, width, now_ms, style),
                                      overall(model, width, style)};
    const std::size_t troubles = lines >= 8 ? model.troubles().size() : 0;
    if (lines > 2 + troubles) {
        add_hosts(frame, model, lines - 2 - troubles, width, now_ms, style);
    }
    for (std::size_t i = 0; i < troubles; ++i) {
        Line line(width, style);
        line.add("! " + model.troubles()[i], Colour::yellow);
        frame.push_back(line.text());
    }
    return frame;
}

}  // namespace slipway::cli
