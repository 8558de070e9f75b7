// From YAML text to a Spec, or to every problem in it at once.
//
//     LoadedSpec loaded = load_spec({{"cluster.yaml", text}});
//     if (!loaded.ok()) for (const Problem& p : loaded.problems) print(p.line());
//
// Several documents (repeated -c) are merged in order: maps merge, lists of named things merge by
// name, anything else is replaced. Positions point into the file a value came from.
#pragma once

#include "config/spec.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::config {

inline constexpr std::string_view kApiVersion = "slipway.dev/v1";

struct Source {
    std::string file;  // name for messages: "cluster.yaml", "<stdin>"
    std::string text;
};

struct Position {
    std::string file;
    int line = 0;  // from 1; 0 when unknown
    int column = 0;
};

enum class Severity { error, notice };

// One thing wrong, as `file:line:col: path: what is wrong; what to do`.
struct Problem {
    std::string id;    // SPEC-UNKNOWN-KEY
    Position where;
    std::string path;  // hosts[2].roles[0]
    std::string what;
    std::string todo;
    Severity severity = Severity::error;

    std::string line() const;
};

struct LoadedSpec {
    Spec spec;
    std::vector<Problem> problems;           // in file order
    std::map<std::string, Position> places;  // path -> where the user wrote it (set values only)

    bool ok() const;  // no problem of severity error
    Position place(const std::string& path) const;  // nearest known ancestor
};

LoadedSpec load_spec(const std::vector<Source>& sources);

// The spec as canonical JSON: every field, defaults included, in descriptor order. Secrets are only
// references, so this may be stored and printed.
std::string to_canonical_json(const Spec& spec);

}  // namespace slipway::config
