#include "agent/facts/lines.hpp"

#include <charconv>

namespace slipway::agent {

std::vector<std::string_view> words(std::string_view line) {
    std::vector<std::string_view> out;
    while (true) {
        const std::size_t first = line.find_first_not_of(kBlanks);
        if (first == std::string_view::npos) return out;
        line.remove_prefix(first);
        const std::string_view word = line.substr(0, line.find_first_of(kBlanks));
        out.push_back(word);
        line.remove_prefix(word.size());
    }
}

std::int64_t number(std::string_view text, int base) {
    std::int64_t value = 0;
    text = trimmed(text);
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value, base);
    return read.ec == std::errc() ? value : 0;
}

std::map<std::string, std::string> assignments(std::string_view text) {
    std::map<std::string, std::string> out;
    each_line(text, [&](std::string_view line) {
        line = trimmed(line);
        if (line.starts_with("export ")) line = trimmed(line.substr(7));
        const std::size_t equals = line.find('=');
        if (line.starts_with('#') || equals == std::string_view::npos || equals == 0) return;
        std::string_view value = trimmed(line.substr(equals + 1));
        const bool quoted = value.size() >= 2 && (value.front() == '"' || value.front() == '\'') &&
                            value.back() == value.front();
        if (quoted) value = value.substr(1, value.size() - 2);
        out[std::string(trimmed(line.substr(0, equals)))] = std::string(value);
    });
    return out;
}

}  // namespace slipway::agent
