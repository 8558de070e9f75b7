// Text measured in terminal columns: a line that must fit is cut here and nowhere else.
//
//     Line line(80, style);
//     line.add("cp1", Colour::bold).add("  waiting", Colour::dim);
//     line.text();     // never wider than 80 columns, colours closed
#pragma once

#include "cli/output.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace slipway::cli {

// Columns that well-formed UTF-8 takes: 2 for East Asian wide characters, 0 for combining ones.
std::size_t columns(std::string_view text);

// The longest beginning of `text` within `width` columns; ends in `…` (or `~`) when cut.
std::string fit(std::string_view text, std::size_t width, bool unicode);

// As fit, and filled up with spaces.
std::string pad(std::string_view text, std::size_t width, bool unicode);

class Line {
  public:
    Line(std::size_t width, const Style& style) : width_(width), style_(style) {}

    Line& add(std::string_view text, Colour colour = Colour::none);

    std::size_t used() const { return used_; }
    std::size_t room() const { return width_ - used_; }
    const std::string& text() const { return text_; }

  private:
    std::size_t width_;
    Style style_;
    std::size_t used_ = 0;
    std::string text_;
};

// A bar of `width` columns, filled to `part` of 1.
std::string bar(double part, std::size_t width, bool unicode);

}  // namespace slipway::cli
