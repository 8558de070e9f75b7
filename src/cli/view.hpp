// The live view as pure text: events go in, a frame of lines comes out. No terminal, no clock.
//
//     ViewModel model("demo", {{"cp1", 12}, {"w1", 10}});
//     model.apply(event);
//     for (const std::string& line : render(model, {100, 30}, now_ms, style)) …
//
// terminal.cpp draws frames; progress.cpp decides when.
#pragma once

#include "cli/output.hpp"
#include "engine/event.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::cli {

struct Size {
    std::size_t width = 80;
    std::size_t height = 24;
};

struct HostTotal {
    std::string host;  // "" for steps that belong to no host
    std::size_t steps = 0;
    std::size_t done_before = 0;  // already acknowledged when a run goes on
};

class ViewModel {
  public:
    struct HostView {
        std::string name;
        std::size_t done = 0;
        std::size_t total = 0;
        std::size_t failed = 0;
        bool set_aside = false;
        std::string trouble = {};                          // why it failed
        std::map<std::string, std::int64_t> running = {};  // step -> since
        std::map<std::string, std::string> waiting = {};   // step -> for whom

        bool finished() const { return total > 0 && done >= total; }
    };

    ViewModel(std::string cluster, const std::vector<HostTotal>& totals);

    void apply(const engine::Event& event);

    const std::string& cluster() const { return cluster_; }
    const std::vector<HostView>& hosts() const { return hosts_; }
    const std::deque<std::string>& troubles() const { return troubles_; }  // newest last

    std::int64_t run = 0;
    std::string kind = {};   // apply, reset
    std::string state = {};  // "", paused, stopping
    std::int64_t started_ms = 0;
    double percent = 0;
    std::size_t done = 0;
    std::size_t total = 0;
    std::size_t running = 0;
    double left = -1, left_low = -1, left_high = -1;  // seconds; -1 unknown

  private:
    HostView& host(const std::string& name);
    void apply_step(const engine::Event& event);
    void apply_run(const engine::Event& event);
    void apply_progress(const json::object& body);
    void note_trouble(const engine::Event& event);

    std::string cluster_;
    std::vector<HostView> hosts_;  // natural order of names
    std::map<std::string, std::size_t, std::less<>> index_;
    std::vector<std::size_t> done_before_;
    std::deque<std::string> troubles_;
};

// The lines of one frame: each at most size.width columns, together at most size.height - 1.
std::vector<std::string> render(const ViewModel& model, Size size, std::int64_t now_ms,
                                const Style& style);

// "58 %, 12 of 20 steps, 3 running: cp1/load-kernel-modules (3 s), …": the heartbeat's words.
std::string summary(const ViewModel& model, std::int64_t now_ms);

}  // namespace slipway::cli
