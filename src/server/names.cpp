#include "server/names.hpp"

#include <algorithm>

namespace slipway::server {

namespace {

bool is_small(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

}  // namespace

bool is_draft_name(const std::string& name) {
    return !name.empty() && name.size() <= 63 && is_small(name.front()) &&
           std::ranges::all_of(name, [](char c) { return is_small(c) || c == '-' || c == '.'; });
}

bool is_bundle_name(const std::string& name) {
    const auto is_letter = [](char c) { return is_small(c) || (c >= 'A' && c <= 'Z'); };
    return !name.empty() && name.size() <= 128 && is_letter(name.front()) &&
           std::ranges::all_of(
               name, [&](char c) { return is_letter(c) || c == '-' || c == '.' || c == '_'; });
}

}  // namespace slipway::server
