// Small text helpers: nearest name for typos, joining, columns, safe printing of foreign bytes.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace slipway {

// The candidate closest to `word` when it is close enough to be a typo.
std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates);

std::string join(std::span<const std::string> parts, std::string_view separator);
std::vector<std::string> split(std::string_view text, char separator);
std::string_view trim(std::string_view text);
bool starts_with_dash(std::string_view text);

// Control characters (terminal escapes above all) and invalid UTF-8 made visible as \x1b, so that
// text from a host or a file cannot drive the user's terminal. Newlines and tabs stay when
// `keep_newlines`.
std::string printable(std::string_view text, bool keep_newlines = false);

// Offset of the first byte that is not valid UTF-8; npos when all of it is.
std::size_t first_invalid_utf8(std::string_view text);

// Columns padded to the widest cell, two spaces between them; the first row is the heading.
std::string table(const std::vector<std::vector<std::string>>& rows);

// Natural order: node2 before node10.
bool natural_less(std::string_view a, std::string_view b);

}  // namespace slipway
