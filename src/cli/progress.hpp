// Views of a run while it goes on: live on a terminal, a line an event elsewhere, JSON lines, or
// none.
//
//     auto view = make_view(ViewKind::automatic, {.cluster = "demo", .totals = …}, output);
//     operation.apply(journal, view.get(), stop);
//     view.reset();      // the live part is gone before the report is printed
#pragma once

#include "base/clock.hpp"
#include "cli/output.hpp"
#include "cli/view.hpp"
#include "engine/event.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::cli {

enum class ViewKind { automatic, live, plain, json, none };
ViewKind view_kind(std::string_view name);  // a choice of --progress, or ""

struct ViewOptions {
    std::string cluster;
    std::vector<HostTotal> totals;
    Style style = {};
    bool verbose = false;
    bool terminal = false;  // stderr is one
    int fd = 2;
    Clock* clock = nullptr;
    Millis heartbeat{30'000};
};

// Null for `none`. A view has its own thread; all of them survive the loss of their terminal.
std::unique_ptr<engine::EventSink> make_view(ViewKind kind, const ViewOptions& options);

}  // namespace slipway::cli
