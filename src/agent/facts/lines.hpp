// The few things every reader of /proc and /etc does with text.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::agent {

inline constexpr std::string_view kBlanks = " \t\r\n\v\f";

inline std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(kBlanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

template <class Use>
void each_line(std::string_view text, Use use) {
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        use(text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
}

std::vector<std::string_view> words(std::string_view line);

// The number `text` begins with; 0 when it begins with none.
std::int64_t number(std::string_view text, int base = 10);

// NAME=value lines as os-release and /etc/environment have them: quotes and `export` removed.
std::map<std::string, std::string> assignments(std::string_view text);

}  // namespace slipway::agent
