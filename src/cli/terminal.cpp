#include "cli/terminal.hpp"

#include "cli/columns.hpp"

#include <algorithm>
#include <cerrno>

#include <fmt/format.h>

#include <sys/ioctl.h>
#include <unistd.h>

namespace slipway::cli {

namespace {

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
    // Lines that stay may be wrapped by the terminal, over rows of the former frame.
    if (!above.empty()) out += "\x1b[J";
    for (const std::string& line : above) out += line + "\r\n";
    // Erased before it is written: after a full line the cursor stands on its last character.
    for (const std::string& line : frame) out += "\x1b[K" + line + "\r\n";
    return out + "\x1b[J";
}

LiveArea::~LiveArea() { draw({}, {}); }

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

}  // namespace slipway::cli
