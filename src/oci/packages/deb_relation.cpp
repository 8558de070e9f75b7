#include "oci/packages/deb_relation.hpp"

#include "base/text.hpp"
#include "oci/packages/deb_version.hpp"
#include "oci/packages/repository_errors.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace slipway::oci::packages {

namespace {

struct Operator {
    std::string_view text;
    Compare compare;
};
// Longer ones first. A lone < or > is dpkg's old way to write <= and >=.
constexpr std::array<Operator, 7> kOperators = {{{"<<", Compare::less},
                                                 {">>", Compare::greater},
                                                 {"<=", Compare::less_equal},
                                                 {">=", Compare::greater_equal},
                                                 {"=", Compare::equal},
                                                 {"<", Compare::less_equal},
                                                 {">", Compare::greater_equal}}};

bool is_name(std::string_view name) {
    return !name.empty() && std::ranges::all_of(name, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '+' || c == '-' || c == '.' || c == '_';
    });
}

[[noreturn]] void refuse(std::string_view relation, std::string_view what) {
    repository_invalid(what,
                       fmt::format("'{}' is not a relation", printable(relation.substr(0, 200))));
}

void read_version(std::string_view inside, DebRelation& out, std::string_view whole,
                  std::string_view what) {
    inside = trim(inside);
    const auto* found = std::ranges::find_if(
        kOperators, [&](const Operator& o) { return inside.starts_with(o.text); });
    if (found == kOperators.end()) refuse(whole, what);
    out.compare = found->compare;
    out.version = trim(inside.substr(found->text.size()));
    if (out.version.empty()) refuse(whole, what);
}

DebRelation parse_relation(std::string_view text, std::string_view what) {
    const std::string_view whole = text;
    DebRelation out;
    if (const std::size_t open = text.find('('); open != std::string_view::npos) {
        const std::size_t close = text.find(')', open);
        if (close == std::string_view::npos || !trim(text.substr(close + 1)).empty()) {
            refuse(whole, what);
        }
        read_version(text.substr(open + 1, close - open - 1), out, whole, what);
        text = text.substr(0, open);
    }
    text = trim(text);
    const std::size_t colon = text.find(':');
    if (colon != std::string_view::npos) {
        out.arch = text.substr(colon + 1);
        if (!is_name(out.arch)) refuse(whole, what);
    }
    out.name = text.substr(0, colon);
    if (!is_name(out.name)) refuse(whole, what);
    return out;
}

}  // namespace

bool fits(Compare compare, std::strong_ordering order) {
    switch (compare) {
        case Compare::any: return true;
        case Compare::less: return order < 0;
        case Compare::less_equal: return order <= 0;
        case Compare::equal: return order == 0;
        case Compare::greater_equal: return order >= 0;
        case Compare::greater: return order > 0;
    }
    return false;
}

std::string_view to_string(Compare compare) {
    for (const Operator& o : kOperators) {
        if (o.compare == compare) return o.text;
    }
    return "";
}

std::string DebRelation::str() const {
    std::string out = arch.empty() ? name : name + ":" + arch;
    if (compare != Compare::any) out += fmt::format(" ({} {})", to_string(compare), version);
    return out;
}

bool DebRelation::accepts(std::string_view candidate_version) const {
    return compare == Compare::any ||
           fits(compare, compare_deb_versions(candidate_version, version));
}

std::string to_string(const DebAlternatives& alternatives) {
    std::vector<std::string> parts;
    for (const DebRelation& relation : alternatives) parts.push_back(relation.str());
    return join(parts, " | ");
}

std::vector<DebAlternatives> parse_relations(std::string_view text, std::string_view what) {
    std::vector<DebAlternatives> out;
    for (const std::string& group : split(text, ',')) {
        if (trim(group).empty()) continue;  // a comma at the end is common
        DebAlternatives alternatives;
        for (const std::string& one : split(group, '|')) {
            alternatives.push_back(parse_relation(trim(one), what));
        }
        out.push_back(std::move(alternatives));
    }
    return out;
}

}  // namespace slipway::oci::packages
