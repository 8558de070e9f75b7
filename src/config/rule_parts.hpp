// What the rules of config/rules.hpp are made of.
#pragma once

#include "config/describe.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace slipway::config::rules {

using Answer = std::optional<Fault>;

bool is_lower(char c);
bool is_digit(char c);
bool is_alnum(char c);
bool is_control(char c);
bool only(std::string_view text, std::string_view more);  // letters, digits and `more`
bool only_of(std::string_view text, std::string_view which);
bool is_label(std::string_view text);    // node-1
bool is_name(std::string_view text);     // of labels: node-1.example.org
bool is_address(std::string_view text);  // IP address or name
std::optional<int> port(std::string_view text);
Answer fault_unless(bool good, std::string what, std::string todo);

}  // namespace slipway::config::rules
