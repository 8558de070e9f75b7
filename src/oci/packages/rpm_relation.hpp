// What RPM packages provide and require: `libc.so.6(GLIBC_2.34)(64bit)`, `bash >= 5.1`,
// `/usr/bin/sh`.
#pragma once

#include "oci/packages/deb_relation.hpp"
#include "oci/packages/rpm_version.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace slipway::oci::packages {

struct RpmRelation {
    std::string name = {};
    Compare compare = Compare::any;
    RpmVersion version = {};

    std::string str() const;  // bash >= 5.1
    // Whether a provider of `provided` is what this asks for: their ranges meet.
    bool is_met_by(const RpmRelation& provided) const;
    // As str() writes it.
    static RpmRelation parse(std::string_view text);
};

// The parts of a rich dependency: all of `needs` are required, each by one of its relations.
struct RichDependency {
    bool is_understood = false;
    std::vector<std::vector<RpmRelation>> needs = {};
    std::vector<RpmRelation> only_if = {};  // when nobody can provide this, nothing is needed
};

// `(a or b)`, `(a and b)` and `(a if b)`; other forms are not understood.
RichDependency parse_rich(std::string_view text);

}  // namespace slipway::oci::packages
