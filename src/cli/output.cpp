#include "cli/output.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

namespace slipway::cli {

namespace {

std::string_view code_of(Colour colour) {
    switch (colour) {
        case Colour::none: return "";
        case Colour::bold: return "\x1b[1m";
        case Colour::dim: return "\x1b[2m";
        case Colour::red: return "\x1b[31m";
        case Colour::green: return "\x1b[32m";
        case Colour::yellow: return "\x1b[33m";
        case Colour::blue: return "\x1b[36m";
    }
    return "";
}

std::string_view environment(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

// The first of these that is set decides, as in the C library.
bool locale_is_utf8() {
    for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
        std::string value(environment(name));
        if (value.empty()) continue;
        std::ranges::transform(value, value.begin(),
                               [](unsigned char c) { return std::tolower(c); });
        return value.find("utf-8") != std::string::npos || value.find("utf8") != std::string::npos;
    }
    return false;
}

// A text of several lines stays in its column; a thousand of them help nobody.
void labelled(std::string& out, std::string_view label, std::string_view text) {
    constexpr std::size_t kMostLines = 20;
    if (text.empty()) return;
    const std::vector<std::string> lines = split(text, '\n');
    for (std::size_t i = 0; i < std::min(lines.size(), kMostLines); ++i) {
        out += fmt::format("  {:<8}{}\n", std::exchange(label, ""), printable(lines[i]));
    }
    if (lines.size() > kMostLines) {
        out += fmt::format("  {:<8}and {} more\n", "", lines.size() - kMostLines);
    }
}

}  // namespace

std::string Style::paint(std::string_view text, Colour colour_of_text) const {
    if (!colour || colour_of_text == Colour::none) return std::string(text);
    return fmt::format("{}{}\x1b[0m", code_of(colour_of_text), text);
}

Style style_for(bool is_terminal, bool no_color_flag) {
    const bool plain =
        no_color_flag || !environment("NO_COLOR").empty() || environment("TERM") == "dumb";
    return {.colour = is_terminal && !plain, .unicode = is_terminal && locale_is_utf8()};
}

void Output::data(const json::object& object, const std::function<std::string()>& as_table) {
    switch (format) {
        case Format::json: out_ << pretty(object) << '\n'; return;
        case Format::yaml: out_ << to_yaml(object); return;
        case Format::table: out_ << as_table(); return;
    }
}

void Output::result(const json::object& object, const std::function<std::string()>& as_table) {
    if (format == Format::json) {
        record(object);
    } else {
        data(object, as_table);
    }
}

void Output::record(const json::object& object) {
    out_ << json::serialize(object) << '\n' << std::flush;
}

void Output::text(std::string_view text) { out_ << text; }

void Output::note(std::string_view line) { err_ << printable(line, true) << std::endl; }

void Output::warning(std::string_view line) {
    err_ << err_style.paint("warning:", Colour::yellow) << ' ' << printable(line) << std::endl;
}

void Output::error(const Error& error) { err_ << describe(error, err_style) << std::flush; }

void Output::error(std::string_view message) {
    err_ << err_style.paint("error:", Colour::red) << ' ' << printable(message) << std::endl;
}

std::string describe(const Error& error, const Style& style) {
    std::string out =
        fmt::format("{}: {}\n", style.paint(fmt::format("error[{}]", error.id()), Colour::red),
                    printable(error.message()));
    for (const std::string& line : error.context()) labelled(out, "while", line);
    labelled(out, "cause", error.cause());
    labelled(out, "remedy", error.remedy());
    labelled(out, "more", "slipway explain " + error.id());
    return out;
}

}  // namespace slipway::cli
