// From YAML text to a Spec, or to every problem in it at once.
//
//     LoadedSpec loaded = load_spec({{"cluster.yaml", text}});
//     if (!loaded.ok()) for (const Problem& p : loaded.problems) print(p.line());
//
// Several documents (repeated -c) are merged in order: maps merge, lists of named things merge by
// name, anything else is replaced. Positions point into the file a value came from.
#pragma once

#include "config/problem.hpp"
#include "config/spec.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace slipway::config {

inline constexpr std::string_view kApiVersion = "slipway.dev/v1";
inline constexpr std::string_view kKind = "Cluster";

struct LoadedSpec {
    Spec spec;
    std::vector<Problem> problems;  // in file order
    Places places;                  // path -> where the user wrote it (set values only)

    bool ok() const;                                // no problem of severity error
    Position place(const std::string& path) const;  // nearest known ancestor
};

LoadedSpec load_spec(const std::vector<Source>& sources);

// The spec as canonical JSON: every field that is built, defaults included, in descriptor order;
// lists whose order means nothing are sorted, so a reordered file gives the same text. It is itself
// a valid spec. Secrets are only references, so this may be stored and printed.
std::string to_canonical_json(const Spec& spec);

}  // namespace slipway::config
