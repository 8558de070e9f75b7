// Where words go: data on stdout in the format asked for, everything else on stderr.
//
//     output.data(object, [&] { return table(rows); });     // -o json|yaml|table
//     output.note("nothing to do");
//     output.error(e);                                      // error[ID]: …, cause, remedy
//
// Tests give string streams; main gives std::cout and std::cerr.
#pragma once

#include "base/error.hpp"
#include "base/json.hpp"

#include <functional>
#include <ostream>
#include <string>
#include <string_view>

namespace slipway::cli {

enum class Format { table, json, yaml };

enum class Colour { none, bold, dim, red, green, yellow, blue };

// How text is drawn; colour and glyph both carry state, so either may be missing.
struct Style {
    bool colour = false;
    bool unicode = false;

    std::string paint(std::string_view text, Colour colour_of_text) const;
};

// What the environment allows: NO_COLOR, TERM=dumb, LC_ALL/LC_CTYPE/LANG.
Style style_for(bool is_terminal, bool no_color_flag);

class Output {
  public:
    Output(std::ostream& out, std::ostream& err) : out_(out), err_(err) {}

    Format format = Format::table;
    Style out_style;  // of stdout
    Style err_style;  // of stderr
    bool out_is_terminal = false;
    bool err_is_terminal = false;
    bool in_is_terminal = false;
    bool verbose = false;

    // One object in the format asked for; `as_table` is called only for tables.
    void data(const json::object& object, const std::function<std::string()>& as_table);
    // One object on one line, for results that end a longer output.
    void result(const json::object& object, const std::function<std::string()>& as_table);
    // One record of a stream: a JSON line.
    void record(const json::object& object);
    // Text that is the data itself (a spec, a schema, a completion script).
    void text(std::string_view text);

    void note(std::string_view line);
    void warning(std::string_view line);
    void error(const Error& error);
    void error(std::string_view message);

    std::ostream& out() { return out_; }
    std::ostream& err() { return err_; }

  private:
    std::ostream& out_;
    std::ostream& err_;
};

// The text of error(), without colour: "error[ID]: …\n  cause   …\n  remedy  …\n  more    …\n".
std::string describe(const Error& error, const Style& style);

}  // namespace slipway::cli
