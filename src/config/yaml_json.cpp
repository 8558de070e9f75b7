#include "config/yaml_json.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace slipway::config {

namespace {

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
    return std::ranges::find(words, text) != words.end();
}

template <class T>
bool parse(std::string_view text, T& out, auto... base) {
    const auto [end, failure] =
        std::from_chars(text.data(), text.data() + text.size(), out, base...);
    return failure == std::errc() && end == text.data() + text.size();
}

// A leading zero means octal, as in file modes.
bool parse_integer(std::string_view text, std::int64_t& out) {
    if (text.starts_with("0o")) return parse(text.substr(2), out, 8);
    if (text.starts_with("0x")) return parse(text.substr(2), out, 16);
    if (text.size() > 1 && text.front() == '0') return parse(text, out, 8);
    return parse(text.starts_with('+') ? text.substr(1) : text, out, 10);
}

json::value scalar(const Node& node) {
    const std::string_view text = node.text;
    if (node.quoted) return json::string(text);
    if (is_one_of(text, {"", "~", "null", "Null", "NULL"})) return nullptr;
    if (is_one_of(text, {"true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON"}))
        return true;
    if (is_one_of(text, {"false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF"}))
        return false;
    std::int64_t integer = 0;
    if (parse_integer(text, integer)) return integer;
    double real = 0;
    const bool digit = text.find_first_of("0123456789") != std::string_view::npos;
    if (digit && parse(text, real)) return real;
    return json::string(text);
}

}  // namespace

json::value to_json(const Node& node) {
    switch (node.kind) {
        case Node::Kind::null: return nullptr;
        case Node::Kind::scalar: return scalar(node);
        case Node::Kind::list: {
            json::array out;
            for (const Node& item : node.items) out.push_back(to_json(item));
            return out;
        }
        case Node::Kind::map: {
            json::object out;
            for (const Entry& entry : node.entries) out[entry.key] = to_json(entry.value);
            return out;
        }
    }
    return nullptr;
}

}  // namespace slipway::config
