// The live part at the bottom of a terminal: drawn over itself, gone without a trace at the end.
//
//     LiveArea area(STDERR_FILENO);
//     area.draw(frame, {"a line that stays above"});
//
// The cursor is hidden while there is a live part and comes back on every way out, the hard one
// after a second Ctrl-C included (restore_terminal).
#pragma once

#include "cli/view.hpp"

#include <string>
#include <vector>

namespace slipway::cli {

Size terminal_size(int fd);

// What draw() writes, as text: a pure function, so that it can be tested.
// `rows_up` is how many rows the former frame takes on a terminal of today's width.
std::string redraw(std::size_t rows_up, const std::vector<std::string>& above,
                   const std::vector<std::string>& frame);

class LiveArea {
  public:
    explicit LiveArea(int fd) : fd_(fd) {}
    ~LiveArea();  // erases the live part
    LiveArea(const LiveArea&) = delete;
    LiveArea& operator=(const LiveArea&) = delete;

    void draw(const std::vector<std::string>& frame, const std::vector<std::string>& above);

  private:
    int fd_;
    std::vector<std::size_t> widths_;  // of the lines on the screen, in columns
};

// Writes everything or gives up silently: a lost terminal must not stop a run.
void write_best_effort(int fd, std::string_view text);

}  // namespace slipway::cli
