// What is wrong with a file of the user's, and where.
//
// Reading never stops at the first problem: everything that looks at a file adds to one Findings,
// and the user gets the whole list in file order.
//
//     findings.error("SPEC-RANGE", "hosts[0].port", "is 70000", "use a port from 1 to 65535");
//     for (const Problem& p : findings.sorted()) print(p.line());
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::config {

struct Source {
    std::string file;  // name for messages: "cluster.yaml", "<stdin>"
    std::string text;
};

struct Position {
    std::string file;
    int line = 0;  // from 1; 0 when unknown
    int column = 0;
    int source = 0;  // index of the file among those given, for file order
};

enum class Severity { error, notice };

// One thing wrong, as `file:line:col: path: what is wrong; what to do`.
struct Problem {
    std::string id;  // SPEC-UNKNOWN-KEY
    Position where;
    std::string path;  // hosts[2].roles[0]
    std::string what;
    std::string todo;
    Severity severity = Severity::error;

    std::string line() const;
};

using Places = std::map<std::string, Position>;

// The position of `path`, or of its nearest known ancestor: hosts[0].roles[1], hosts[0].roles,
// hosts[0] …
Position nearest_place(const Places& places, std::string path);

// Collects problems and remembers where each value was written.
class Findings {
  public:
    // At the place of `path` (or of its nearest ancestor that the user wrote).
    void error(std::string_view id, const std::string& path, std::string what, std::string todo);
    void notice(std::string_view id, const std::string& path, std::string what, std::string todo);
    void add(Problem problem);

    void set_place(const std::string& path, Position where);
    bool is_set(const std::string& path) const { return places_.contains(path); }
    const Places& places() const { return places_; }

    std::size_t errors() const { return errors_; }
    const std::vector<Problem>& problems() const { return problems_; }
    // Too many to be of use: whoever reads may stop.
    bool full() const;
    // In file order; a last line says so when the list was cut.
    std::vector<Problem> sorted() const;

  private:
    std::vector<Problem> problems_;
    Places places_;
    std::size_t errors_ = 0;
};

// A value of the user's for a message: quoted, control characters made visible, cut at 60
// characters.
std::string shown(std::string_view value);

// The name that `word` seems to be a typo of.
std::optional<std::string> close_name(std::string_view word, const std::vector<std::string>& names);

// What to do about a word that is not among `names`: "did you mean X?", or the list.
std::string suggestion(std::string_view word, const std::vector<std::string>& names);

}  // namespace slipway::config
