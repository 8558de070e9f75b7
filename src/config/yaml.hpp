// YAML text as a tree of our own, within hard limits. The one place that knows yaml-cpp.
//
//     std::optional<Node> root = parse_yaml({"cluster.yaml", text}, 0, findings);
//
// Built from parser events, so a limit ends the parse where it is passed; nothing larger is ever
// held. Scalars stay text: what `010` or `yes` means is for whoever knows the wanted type
// (decode.cpp).
#pragma once

#include "config/problem.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::config {

inline constexpr std::size_t kMaxYamlBytes = 4u << 20;
inline constexpr std::size_t kMaxYamlDepth = 64;
// 1,000 hosts with every field set are some 60,000 nodes; keys are not counted, aliases are,
// expanded.
inline constexpr std::size_t kMaxYamlNodes = 200'000;
inline constexpr std::size_t kMaxYamlAliases = 100;

struct Entry;

struct Node {
    enum class Kind { null, scalar, list, map };

    // A key written again; decoding keeps the first and reports this one.
    struct Duplicate {
        std::string key;
        int line = 0, column = 0;
        int first_line = 0;
        int source = 0;
    };

    Kind kind = Kind::null;
    bool quoted = false;  // a scalar in quotes, or a block of text
    int source = 0;
    int line = 0, column = 0;  // from 1
    std::string text;
    std::vector<Node> items;     // list
    std::vector<Entry> entries;  // map, in file order
    std::vector<Duplicate> duplicates;

    const Node* find(std::string_view key) const;
    Node* find(std::string_view key);
};

struct Entry {
    std::string key;
    int source = 0;
    int line = 0, column = 0;
    Node value;
};

// The document, or nullopt with the reason in `findings`. `index` is the file's place in the list.
std::optional<Node> parse_yaml(const Source& source, int index, Findings& findings);

}  // namespace slipway::config
