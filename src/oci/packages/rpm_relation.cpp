#include "oci/packages/rpm_relation.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

namespace slipway::oci::packages {

namespace {

struct Operator {
    std::string_view text;
    Compare compare;
};
constexpr Operator kOperators[] = {{"=", Compare::equal},
                                   {"<", Compare::less},
                                   {"<=", Compare::less_equal},
                                   {">", Compare::greater},
                                   {">=", Compare::greater_equal}};

bool goes_down(Compare c) { return c == Compare::less || c == Compare::less_equal; }
bool goes_up(Compare c) { return c == Compare::greater || c == Compare::greater_equal; }
bool holds_equal(Compare c) {
    return c == Compare::equal || c == Compare::less_equal || c == Compare::greater_equal;
}

std::vector<std::string> words_of(std::string_view text) {
    std::vector<std::string> out;
    for (std::string& word : split(text, ' ')) {
        if (!word.empty()) out.push_back(std::move(word));
    }
    return out;
}

bool is_operator(std::string_view word) {
    for (const Operator& o : kOperators) {
        if (o.text == word) return true;
    }
    return false;
}

bool is_keyword(std::string_view word) {
    for (const char* known : {"or", "and", "if", "else", "unless", "with", "without"}) {
        if (word == known) return true;
    }
    return false;
}

}  // namespace

std::string RpmRelation::str() const {
    for (const Operator& o : kOperators) {
        if (o.compare == compare) return fmt::format("{} {} {}", name, o.text, version.str());
    }
    return name;
}

bool RpmRelation::is_met_by(const RpmRelation& provided) const {
    if (name != provided.name) return false;
    // Without a version either side means all versions.
    if (compare == Compare::any || provided.compare == Compare::any) return true;
    const auto order = compare_rpm_versions(provided.version, version);
    if (order < 0) return goes_up(provided.compare) || goes_down(compare);
    if (order > 0) return goes_down(provided.compare) || goes_up(compare);
    return (holds_equal(compare) && holds_equal(provided.compare)) ||
           (goes_down(compare) && goes_down(provided.compare)) ||
           (goes_up(compare) && goes_up(provided.compare));
}

RpmRelation RpmRelation::parse(std::string_view text) {
    const std::vector<std::string> words = words_of(text);
    if (words.size() == 3) {
        for (const Operator& o : kOperators) {
            if (o.text == words[1]) return {words[0], o.compare, RpmVersion::parse(words[2])};
        }
    }
    return {.name = std::string(trim(text))};
}

RichDependency parse_rich(std::string_view text) {
    RichDependency out;
    text = trim(text);
    if (!text.starts_with('(') || !text.ends_with(')')) return out;
    const std::vector<std::string> words = words_of(text.substr(1, text.size() - 2));
    std::vector<RpmRelation> parts;
    std::string keyword;
    for (std::size_t at = 0; at < words.size(); ++at) {
        if (words[at].starts_with('(') || is_keyword(words[at])) return out;  // nested
        const bool versioned = at + 2 < words.size() && is_operator(words[at + 1]);
        parts.push_back(RpmRelation::parse(
            versioned ? join(std::vector(words.begin() + static_cast<std::ptrdiff_t>(at),
                                         words.begin() + static_cast<std::ptrdiff_t>(at) + 3),
                             " ")
                      : words[at]));
        if (versioned) at += 2;
        if (++at >= words.size()) break;
        // One kind of word only, and each is followed by something.
        if (!is_keyword(words[at]) || (!keyword.empty() && words[at] != keyword) ||
            at + 1 == words.size()) {
            return out;
        }
        keyword = words[at];
    }
    if (parts.empty()) return out;
    if (keyword == "or") {
        out.needs = {parts};
    } else if (keyword == "and" || keyword.empty()) {
        for (const RpmRelation& part : parts) out.needs.push_back({part});
    } else if (keyword == "if" && parts.size() == 2) {
        out.needs = {{parts[0]}};
        out.only_if = {parts[1]};
    } else {
        return out;
    }
    out.is_understood = true;
    return out;
}

}  // namespace slipway::oci::packages
