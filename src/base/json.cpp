#include "base/json.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace slipway {

json::value parse_json(std::string_view text, std::string_view what) {
    json::error_code failure;
    json::parse_options options;
    options.max_depth = 64;
    json::value value =
        json::parse(json::string_view(text.data(), text.size()), failure, {}, options);
    if (failure) {
        throw StateError("STATE-DAMAGED",
                         fmt::format("{} is not valid JSON: {}", what, failure.message()),
                         {.cause = "the file was changed or cut by something other than Slipway",
                          .remedy = "restore it from a backup of the state folder"});
    }
    return value;
}

std::string string_at(const json::object& object, std::string_view key, std::string_view fallback) {
    const json::value* v = object.if_contains(key);
    return std::string(v != nullptr && v->is_string() ? std::string_view(v->get_string())
                                                      : fallback);
}

std::int64_t int_at(const json::object& object, std::string_view key, std::int64_t fallback) {
    const json::value* v = object.if_contains(key);
    if (v == nullptr) return fallback;
    if (v->is_int64()) return v->get_int64();
    if (v->is_uint64()) return static_cast<std::int64_t>(v->get_uint64());
    return fallback;
}

bool bool_at(const json::object& object, std::string_view key, bool fallback) {
    const json::value* v = object.if_contains(key);
    return v != nullptr && v->is_bool() ? v->get_bool() : fallback;
}

namespace {

// Boost.JSON writes 1.5 as 1.5E0: valid JSON, but hard on people, and YAML 1.1 readers take it for
// a string. Ours has a point and, when needed, a signed exponent; every reader takes it for a
// number.
std::string scalar(const json::value& value) {
    if (!value.is_double()) return json::serialize(value);
    if (!std::isfinite(value.get_double())) return "null";
    std::string text = fmt::format("{}", value.get_double());
    if (text.find('.') == std::string::npos) {
        text.insert(std::min(text.find('e'), text.size()), ".0");
    }
    return text;
}

void write_pretty(std::string& out, const json::value& value, int indent) {
    const std::string pad(static_cast<std::size_t>(indent) * 2, ' ');
    const std::string inner = pad + "  ";
    if (value.is_object() && !value.get_object().empty()) {
        out += "{\n";
        bool first = true;
        for (const auto& [key, member] : value.get_object()) {
            if (!first) out += ",\n";
            first = false;
            out += inner + json::serialize(json::value(key)) + ": ";
            write_pretty(out, member, indent + 1);
        }
        out += "\n" + pad + "}";
    } else if (value.is_array() && !value.get_array().empty()) {
        out += "[\n";
        bool first = true;
        for (const auto& item : value.get_array()) {
            if (!first) out += ",\n";
            first = false;
            out += inner;
            write_pretty(out, item, indent + 1);
        }
        out += "\n" + pad + "]";
    } else {
        out += scalar(value);
    }
}

bool is_plain_yaml_word(std::string_view s) {
    if (s.empty() || s.size() > 64) return false;
    const auto alpha = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    if (!alpha(s[0])) return false;
    for (char c : s) {
        if (!alpha(c) && !(c >= '0' && c <= '9') && c != '-' && c != '_' && c != '/' && c != '.')
            return false;
    }
    // Words YAML 1.1 readers turn into booleans or null.
    static constexpr std::string_view kWords[] = {"y",    "n",     "yes",  "no",  "on", "off",
                                                  "true", "false", "null", "nan", "inf"};
    std::string lower(s);
    for (char& c : lower) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
    for (std::string_view word : kWords) {
        if (lower == word) return false;
    }
    return true;
}

std::string yaml_scalar(const json::value& value) {
    if (!value.is_string()) return scalar(value);
    const std::string_view text = value.get_string();
    // JSON strings are valid double-quoted YAML.
    return is_plain_yaml_word(text) ? std::string(text) : json::serialize(value);
}

void write_yaml(std::string& out, const json::value& value, int indent, bool after_dash) {
    const std::string pad(static_cast<std::size_t>(indent) * 2, ' ');
    bool first = after_dash;
    const auto lead = [&] {
        if (!first) out += pad;
        first = false;
    };
    if (value.is_object() && !value.get_object().empty()) {
        for (const auto& [key, member] : value.get_object()) {
            lead();
            out += yaml_scalar(json::value(key)) + ":";
            const bool nested = (member.is_object() && !member.get_object().empty()) ||
                                (member.is_array() && !member.get_array().empty());
            if (nested) {
                out += '\n';
                write_yaml(out, member, member.is_array() ? indent : indent + 1, false);
            } else {
                out += " " + yaml_scalar(member) + "\n";
            }
        }
    } else if (value.is_array() && !value.get_array().empty()) {
        for (const auto& item : value.get_array()) {
            lead();
            out += "- ";
            write_yaml(out, item, indent + 1, true);
        }
    } else {
        lead();
        out += yaml_scalar(value) + "\n";
    }
}

}  // namespace

std::string pretty(const json::value& value) {
    std::string out;
    write_pretty(out, value, 0);
    return out;
}

std::string to_yaml(const json::value& value) {
    std::string out;
    write_yaml(out, value, 0, false);
    return out;
}

}  // namespace slipway
