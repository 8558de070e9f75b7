#include "cli/columns.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace slipway::cli {

namespace {

struct Range {
    std::uint32_t first, last;
};

constexpr std::array kWide = {
    Range{0x1100, 0x115f},   Range{0x2e80, 0xa4cf},   Range{0xac00, 0xd7a3},
    Range{0xf900, 0xfaff},   Range{0xfe30, 0xfe6f},   Range{0xff00, 0xff60},
    Range{0xffe0, 0xffe6},   Range{0x1f300, 0x1f64f}, Range{0x1f680, 0x1f6ff},
    Range{0x1f900, 0x1f9ff}, Range{0x20000, 0x3fffd},
};
constexpr std::array kZero = {Range{0x0300, 0x036f}, Range{0x200b, 0x200f}, Range{0x20d0, 0x20ff},
                              Range{0xfe00, 0xfe0f}};

bool within(std::uint32_t c, const auto& ranges) {
    return std::ranges::any_of(ranges, [c](const Range& r) { return c >= r.first && c <= r.last; });
}

struct Character {
    std::uint32_t code = 0;
    std::size_t bytes = 1;
};

// Input has gone through printable(), so it is well formed; a stray byte counts as one column.
Character character_at(std::string_view text, std::size_t at) {
    const auto lead = static_cast<unsigned char>(text[at]);
    const std::size_t size = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if (size == 1 || at + size > text.size()) return {.code = lead, .bytes = 1};
    std::uint32_t code = lead & (0xffu >> (size + 1));
    for (std::size_t i = 1; i < size; ++i) {
        code = code << 6 | (static_cast<unsigned char>(text[at + i]) & 0x3fu);
    }
    return {.code = code, .bytes = size};
}

std::size_t width_of(std::uint32_t code) {
    if (within(code, kZero)) return 0;
    return within(code, kWide) ? 2 : 1;
}

}  // namespace

std::size_t columns(std::string_view text) {
    std::size_t sum = 0;
    for (std::size_t at = 0; at < text.size();) {
        const Character c = character_at(text, at);
        sum += width_of(c.code);
        at += c.bytes;
    }
    return sum;
}

std::string fit(std::string_view text, std::size_t width, bool unicode) {
    if (columns(text) <= width) return std::string(text);
    if (width == 0) return "";
    std::size_t used = 0;
    std::size_t at = 0;
    while (at < text.size()) {
        const Character c = character_at(text, at);
        if (used + width_of(c.code) > width - 1) break;
        used += width_of(c.code);
        at += c.bytes;
    }
    return std::string(text.substr(0, at)) + (unicode ? "…" : "~");
}

std::string pad(std::string_view text, std::size_t width, bool unicode) {
    std::string out = fit(text, width, unicode);
    out.append(width - columns(out), ' ');
    return out;
}

Line& Line::add(std::string_view text, Colour colour) {
    const std::string cut = fit(text, room(), style_.unicode);
    if (cut.empty()) return *this;
    used_ += columns(cut);
    text_ += style_.paint(cut, colour);
    return *this;
}

std::string bar(double part, std::size_t width, bool unicode) {
    const auto full =
        static_cast<std::size_t>(std::clamp(part, 0.0, 1.0) * static_cast<double>(width));
    std::string out;
    for (std::size_t i = 0; i < width; ++i) {
        out += i < full ? (unicode ? "█" : "#") : (unicode ? "░" : "-");
    }
    return out;
}

}  // namespace slipway::cli
