// What Depends, Provides and Conflicts say: `libc6 (>= 2.36), default-mta | mail-transport-agent`.
#pragma once

#include <compare>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::oci::packages {

enum class Compare { any, less, less_equal, equal, greater_equal, greater };

// Whether an order of two versions fits `compare`.
bool fits(Compare compare, std::strong_ordering order);
std::string_view to_string(Compare compare);  // "", "<<", "<=", "=", ">=", ">>"

struct DebRelation {
    std::string name = {};
    std::string arch = {};  // after the colon: any, native, amd64; mostly empty
    Compare compare = Compare::any;
    std::string version = {};

    std::string str() const;  // libc6 (>= 2.36)
    bool accepts(std::string_view candidate_version) const;
};

// One of these is enough.
using DebAlternatives = std::vector<DebRelation>;

std::string to_string(const DebAlternatives& alternatives);

// All of these are needed. Throws UserError REPOSITORY-INVALID naming `what`.
std::vector<DebAlternatives> parse_relations(std::string_view text, std::string_view what);

}  // namespace slipway::oci::packages
