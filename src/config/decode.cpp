#include "config/decode.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "config/merge.hpp"
#include "config/yaml.hpp"

#include <charconv>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include <stdlib.h>

namespace slipway::config {

namespace {

bool is_plain_key(std::string_view key) {
    return !key.empty() && key.size() <= 64 &&
           key.find_first_not_of(
               "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-") ==
               std::string_view::npos;
}

std::string child(const std::string& path, std::string_view key) {
    if (!is_plain_key(key)) return fmt::format("{}[{}]", path, shown(key));
    return path.empty() ? std::string(key) : fmt::format("{}.{}", path, key);
}

std::string_view wanted(Kind kind) {
    switch (kind) {
        case Kind::text: return "a text";
        case Kind::boolean: return "true or false";
        case Kind::integer: return "a whole number";
        case Kind::real: return "a number";
        case Kind::choice: return "one word";
        case Kind::list: return "a list";
        case Kind::map:
        case Kind::object: return "a map of keys";
    }
    return "a value";
}

template <class T>
std::optional<T> parse_number(std::string_view text) {
    T value{};
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

// YAML 1.2 core, decimal only, no leading zero: 010 is neither 8 nor 10.
std::optional<std::int64_t> parse_integer(std::string_view text) {
    const std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
    if (digits.size() > 1 && digits[0] == '0') return std::nullopt;
    return parse_number<std::int64_t>(text);
}

// Relative to the folder of the file it is written in; ~/ is the user's home.
std::string local_path(const std::string& text, const std::string& file) {
    namespace fs = std::filesystem;
    const char* home = ::getenv("HOME");
    if (text.starts_with("~/") && home != nullptr)
        return (fs::path(home) / text.substr(2)).lexically_normal();
    return (fs::path(file).parent_path() / text).lexically_normal();
}

// A plain name is looked for in PATH. A path must not become a plain name by being made shorter, so
// it is made absolute.
std::string local_program(const std::string& text, const std::string& file) {
    if (text.find('/') == std::string::npos) return text;
    std::error_code ignored;
    return std::filesystem::absolute(local_path(text, file), ignored).lexically_normal();
}

class Decoder {
  public:
    Decoder(const std::vector<Source>& sources, Findings& findings)
        : sources_(sources), findings_(findings) {}

    void value(const Node& node, const TypeInfo& type, const Field* field, void* out,
               const std::string& path) {
        if (findings_.full()) return;
        findings_.set_place(path, at(node.source, node.line, node.column));
        if (type.secret && (node.kind == Node::Kind::scalar || node.kind == Node::Kind::list)) {
            error("SPEC-SECRET-INLINE", path, "holds a secret in clear",
                  "refer to it: {file: PATH}, {env: NAME} or {prompt: true}");
            return;
        }
        if (!has_shape(node, type.kind)) {
            wrong_type(node, type, path);
            return;
        }
        switch (type.kind) {
            case Kind::text: return text(node, field, *static_cast<std::string*>(out), path);
            case Kind::boolean: return boolean(node, *static_cast<bool*>(out), path);
            case Kind::integer: return integer(node, type, field, out, path);
            case Kind::real: return real(node, field, *static_cast<double*>(out), path);
            case Kind::choice: return choice(node, type, out, path);
            case Kind::list: return list(node, type, field, out, path);
            case Kind::map: return map(node, type, field, out, path);
            case Kind::object: return object(node, type, out, path);
        }
    }

  private:
    static bool has_shape(const Node& node, Kind kind) {
        switch (kind) {
            case Kind::list: return node.kind == Node::Kind::list;
            case Kind::map:
            case Kind::object: return node.kind == Node::Kind::map;
            default: return node.kind == Node::Kind::scalar;
        }
    }

    void wrong_type(const Node& node, const TypeInfo& type, const std::string& path) {
        const std::string want(wanted(type.kind));
        switch (node.kind) {
            case Node::Kind::null:
                return error("SPEC-WRONG-TYPE", path, "is empty, wanted " + want,
                             "give it a value or remove the key");
            case Node::Kind::list:
                return error("SPEC-WRONG-TYPE", path, "is a list, wanted " + want, "write " + want);
            case Node::Kind::map:
                return error("SPEC-WRONG-TYPE", path, "is a map, wanted " + want, "write " + want);
            case Node::Kind::scalar: break;
        }
        const std::string todo =
            type.kind != Kind::list               ? "write its keys on lines of their own, indented"
            : secret_ || !is_plain_key(node.text) ? std::string("write it in brackets")
                                                  : fmt::format("write [{}]", node.text);
        error("SPEC-WRONG-TYPE", path, fmt::format("{}, wanted {}", is(node), want), todo);
    }

    void text(const Node& node, const Field* field, std::string& out, const std::string& path) {
        out = node.text;
        if (field == nullptr) return;
        // An empty text is how "not set" is written where that is the default.
        if (node.text.empty() && !field->is_required && field->type().kind == Kind::text) return;
        if (!field->words.empty() &&
            std::ranges::find(field->words, node.text) == field->words.end()) {
            error("SPEC-BAD-VALUE", path, is(node), suggestion(node.text, field->words));
        }
        if (field->text_rule != nullptr) broken(field->text_rule->check(node.text), node, path);
        if (field->is_local_file) out = local_path(node.text, file(node.source));
        if (field->is_local_program && path.ends_with("[0]"))
            out = local_program(node.text, file(node.source));
    }

    void broken(const std::optional<Fault>& fault, const Node& node, const std::string& path) {
        if (!fault) return;
        const std::string subject = secret_ ? "the value" : shown(node.text);
        error("SPEC-BAD-VALUE", path, subject + " " + fault->what, fault->todo);
    }

    void boolean(const Node& node, bool& out, const std::string& path) {
        if (!node.quoted && (node.text == "true" || node.text == "false")) {
            out = node.text == "true";
            return;
        }
        error("SPEC-WRONG-TYPE", path, is(node) + ", wanted true or false",
              "write true or false, without quotes");
    }

    void integer(const Node& node, const TypeInfo& type, const Field* field, void* out,
                 const std::string& path) {
        const std::optional<std::int64_t> number =
            node.quoted ? std::nullopt : parse_integer(node.text);
        if (!number) {
            error("SPEC-WRONG-TYPE", path, is(node) + ", wanted a whole number",
                  "write it in decimal digits, without quotes");
            return;
        }
        const std::int64_t low = std::max(type.min, field != nullptr ? field->min : type.min);
        const std::int64_t high = std::min(type.max, field != nullptr ? field->max : type.max);
        if (*number < low || *number > high) {
            error("SPEC-RANGE", path, fmt::format("is {}", *number), range_todo(low, high));
            return;
        }
        type.set_integer(out, *number);
    }

    static std::string range_todo(std::int64_t low, std::int64_t high) {
        if (high == std::numeric_limits<std::int64_t>::max())
            return fmt::format("use {} or more", low);
        return fmt::format("use a number from {} to {}", low, high);
    }

    void real(const Node& node, const Field* field, double& out, const std::string& path) {
        const std::optional<double> number =
            node.quoted ? std::nullopt : parse_number<double>(node.text);
        if (!number || !std::isfinite(*number)) {
            error("SPEC-WRONG-TYPE", path, is(node) + ", wanted a number",
                  "write it in digits, without quotes");
            return;
        }
        if (field != nullptr && (*number < static_cast<double>(field->min) ||
                                 *number > static_cast<double>(field->max))) {
            error("SPEC-RANGE", path, fmt::format("is {}", *number),
                  range_todo(field->min, field->max));
            return;
        }
        out = *number;
    }

    void choice(const Node& node, const TypeInfo& type, void* out, const std::string& path) {
        std::vector<std::string> names;
        for (const Choice& c : type.choices) {
            if (c.built) names.push_back(c.name);
            if (c.name != node.text) continue;
            if (!c.built) {
                error("SPEC-NOT-BUILT", path,
                      fmt::format("{} is part of the design but not built in this version", c.name),
                      "choose another value");
            } else {
                type.set_integer(out, c.value);
            }
            return;
        }
        error("SPEC-BAD-VALUE", path, is(node), suggestion(node.text, names));
    }

    void list(const Node& node, const TypeInfo& type, const Field* field, void* out,
              const std::string& path) {
        type.clear(out);
        if (field != nullptr && node.items.size() < field->min_items) {
            error("SPEC-REQUIRED", path, "is an empty list", list_todo(type, *field));
        }
        for (std::size_t i = 0; i < node.items.size() && !findings_.full(); ++i) {
            value(node.items[i], type.item(), field, type.append(out),
                  fmt::format("{}[{}]", path, i));
        }
    }

    static std::string list_todo(const TypeInfo& type, const Field& field) {
        std::vector<std::string> names;
        for (const Choice& c : type.item().choices) names.push_back(c.name);
        if (!names.empty()) return "list at least one of: " + join(names, ", ");
        return "list at least one, for example " + field.example_text;
    }

    void map(const Node& node, const TypeInfo& type, const Field* field, void* out,
             const std::string& path) {
        type.clear(out);
        duplicates(node, path);
        for (const Entry& entry : node.entries) {
            if (findings_.full()) return;
            const std::string key_path = child(path, entry.key);
            if (refuse_merge_key(entry, key_path)) continue;
            if (field != nullptr && field->key_rule != nullptr) {
                if (const auto fault = field->key_rule->check(entry.key)) {
                    error_at("SPEC-BAD-VALUE", entry, key_path,
                             fmt::format("the key {} {}", shown(entry.key), fault->what),
                             fault->todo);
                }
            }
            value(entry.value, type.item(), field, type.insert(out, entry.key), key_path);
        }
    }

    void object(const Node& node, const TypeInfo& type, void* out, const std::string& path) {
        const bool was_secret = std::exchange(secret_, secret_ || type.secret);
        const std::size_t errors_before = findings_.errors();
        duplicates(node, path);
        std::vector<std::string> meant;  // keys that typos seem to mean: not missing as well
        for (const Entry& entry : node.entries) {
            if (findings_.full()) break;
            member(entry, type, out, path, meant);
        }
        for (const Field& field : type.fields) {
            const bool given = node.find(field.key) != nullptr ||
                               std::ranges::find(meant, field.key) != meant.end();
            if (field.is_required && !given) missing(field, path);
        }
        if (findings_.errors() == errors_before) {
            Scope scope(findings_, path);
            for (const auto& check : type.checks) check(out, scope);
        }
        secret_ = was_secret;
    }

    void missing(const Field& field, const std::string& path) {
        const TypeInfo& type = field.type();
        std::string todo =
            field.min_items > 0 ? list_todo(type, field)
            : field.example_text.empty()
                ? fmt::format("add {}", field.key)
                : fmt::format("add it, for example {}: {}", field.key, field.example_text);
        if (field.is_envelope) {
            return error("SPEC-REQUIRED", path, fmt::format("{} is missing", field.key),
                         std::move(todo));
        }
        error("SPEC-REQUIRED", child(path, field.key), "is missing", std::move(todo));
    }

    void member(const Entry& entry, const TypeInfo& type, void* out, const std::string& path,
                std::vector<std::string>& meant) {
        const Field* field = type.find(entry.key);
        if (field == nullptr) return unknown_key(entry, type, path, meant);
        const bool hidden = field->is_envelope && has_shape(entry.value, field->type().kind);
        const std::string field_path = hidden ? path : child(path, entry.key);
        if (!field->is_built) {
            return error_at("SPEC-NOT-BUILT", entry, field_path,
                            "is part of the design but not built in this version", "remove it");
        }
        value(entry.value, field->type(), field, field->in(out), field_path);
    }

    void unknown_key(const Entry& entry, const TypeInfo& type, const std::string& path,
                     std::vector<std::string>& meant) {
        std::vector<std::string> names;
        const Field* envelope = nullptr;
        for (const Field& field : type.fields) {
            if (field.is_built) names.push_back(field.key);
            if (field.is_envelope && field.type().find(entry.key) != nullptr) envelope = &field;
        }
        if (secret_) {
            // A secret pasted in the wrong place may well be the key itself.
            return error_at("SPEC-UNKNOWN-KEY", entry, path, "has an unknown key",
                            "use one of: " + join(names, ", "));
        }
        const std::string key_path = child(path, entry.key);
        if (refuse_merge_key(entry, key_path)) return;
        if (envelope != nullptr) {
            return error_at("SPEC-UNKNOWN-KEY", entry, key_path, "stands outside " + envelope->key,
                            fmt::format("move it under `{}:`", envelope->key));
        }
        if (const auto close = close_name(entry.key, names)) meant.push_back(*close);
        error_at("SPEC-UNKNOWN-KEY", entry, key_path, "unknown key", suggestion(entry.key, names));
    }

    bool refuse_merge_key(const Entry& entry, const std::string& path) {
        if (entry.key != "<<") return false;
        error_at("SPEC-MERGE-KEY", entry, path, "YAML merge keys are not read",
                 "write the keys out, or give a second file with -c");
        return true;
    }

    void duplicates(const Node& node, const std::string& path) {
        for (const Node::Duplicate& d : node.duplicates) {
            const std::string key = secret_ ? path : child(path, d.key);
            findings_.add({"SPEC-DUPLICATE-KEY", at(d.source, d.line, d.column), key,
                           fmt::format("the key is written twice, first in line {}", d.first_line),
                           "keep one of them"});
        }
    }

    std::string is(const Node& node) const {
        return secret_ ? "is something else" : "is " + shown(node.text);
    }

    void error(std::string_view id, const std::string& path, std::string what, std::string todo) {
        findings_.error(id, path, std::move(what), std::move(todo));
    }
    void error_at(std::string_view id, const Entry& entry, const std::string& path,
                  std::string what, std::string todo) {
        findings_.add({std::string(id), at(entry.source, entry.line, entry.column), path,
                       std::move(what), std::move(todo)});
    }

    const std::string& file(int source) const {
        return sources_[static_cast<std::size_t>(source)].file;
    }
    Position at(int source, int line, int column) const {
        return {file(source), line, column, source};
    }

    const std::vector<Source>& sources_;
    Findings& findings_;
    bool secret_ = false;
};

}  // namespace

void decode_into(const std::vector<Source>& sources, const TypeInfo& type, void* out,
                 Findings& findings) {
    std::optional<Node> merged;
    bool all_read = !sources.empty();
    for (std::size_t i = 0; i < sources.size(); ++i) {
        std::optional<Node> root = parse_yaml(sources[i], static_cast<int>(i), findings);
        all_read = all_read && root.has_value();
        if (!root) continue;
        if (!merged) {
            merged = std::move(root);
        } else {
            merge_into(*merged, std::move(*root));
        }
    }
    // With one file unread the others would seem to lack what it says.
    if (all_read) Decoder(sources, findings).value(*merged, type, nullptr, out, "");
}

void throw_problems(std::string_view id, const std::string& file,
                    const std::vector<Problem>& problems) {
    std::vector<std::string> lines;
    for (const Problem& p : problems) lines.push_back(p.line());
    throw UserError(std::string(id), fmt::format("{} has {} problem(s)", file, problems.size()),
                    {.cause = join(lines, "\n"), .remedy = "mend these lines and try again"});
}

}  // namespace slipway::config
