#include "cli/terminal.hpp"

#include "cli/columns.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>

#include <fmt/format.h>

#include <sys/ioctl.h>
#include <unistd.h>

namespace slipway::cli {

namespace {

// Without automatic wrap a line that is too wide after all is cut by the terminal, not continued.
constexpr std::string_view kHideCursorNoWrap = "\x1b[?25l\x1b[?7l";
constexpr std::string_view kShowCursorWrap = "\x1b[?7h\x1b[?25h";

std::atomic<int> terminal_to_restore{-1};

// Columns of a line that may hold colour sequences.
std::size_t visible_columns(std::string_view line) {
    std::string plain;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] != '\x1b') {
            plain += line[i];
            continue;
        }
        while (i < line.size() && line[i] != 'm') ++i;
    }
    return columns(plain);
}

}  // namespace

Size terminal_size(int fd) {
    winsize size{};
    if (::ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) return {};
    return {.width = size.ws_col, .height = size.ws_row};
}

void write_best_effort(int fd, std::string_view text) {
    while (!text.empty()) {
        const ssize_t n = ::write(fd, text.data(), text.size());
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return;
        text.remove_prefix(static_cast<std::size_t>(n));
    }
}

std::string redraw(std::size_t rows_up, const std::vector<std::string>& above,
                   const std::vector<std::string>& frame) {
    std::string out = "\r";
    if (rows_up > 0) out += fmt::format("\x1b[{}A", rows_up);
    // Lines that stay are wrapped by the terminal as usual.
    if (!above.empty()) {
        out += "\x1b[J\x1b[?7h";
        for (const std::string& line : above) out += line + "\r\n";
        out += "\x1b[?7l";
    }
    for (const std::string& line : frame) out += line + "\x1b[K\r\n";
    return out + "\x1b[J";
}

LiveArea::LiveArea(int fd) : fd_(fd) {
    terminal_to_restore = fd;
    write_best_effort(fd_, kHideCursorNoWrap);
}

LiveArea::~LiveArea() {
    draw({}, {});
    restore_terminal();
}

void LiveArea::draw(const std::vector<std::string>& frame, const std::vector<std::string>& above) {
    // A narrower window has wrapped what we drew before: count the rows it takes now.
    const std::size_t width = terminal_size(fd_).width;
    std::size_t rows = 0;
    for (const std::size_t columns_of_line : widths_) {
        rows += std::max<std::size_t>(1, (columns_of_line + width - 1) / width);
    }
    write_best_effort(fd_, redraw(rows, above, frame));
    widths_.clear();
    for (const std::string& line : frame) widths_.push_back(visible_columns(line));
}

void restore_terminal() {
    const int fd = terminal_to_restore.exchange(-1);
    if (fd >= 0) write_best_effort(fd, kShowCursorWrap);
}

}  // namespace slipway::cli
