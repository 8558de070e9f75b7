#include "config/explain.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "config/fields.hpp"

#include <fmt/format.h>

namespace slipway::config {

namespace {

std::string type_text(const TypeInfo& type) {
    switch (type.kind) {
        case Kind::text: return "text";
        case Kind::boolean: return "true or false";
        case Kind::integer: return "whole number";
        case Kind::real: return "number";
        case Kind::choice: return "word";
        case Kind::object: return type.secret ? "secret reference" : "object";
        case Kind::list: return "list of " + type_text(type.item()) + "s";
        case Kind::map: return "map of " + type_text(type.item()) + " by name";
    }
    return "";
}

bool is_empty(const json::value& value) {
    return (value.is_string() && value.get_string().empty()) ||
           (value.is_array() && value.get_array().empty()) ||
           (value.is_object() && value.get_object().empty());
}

std::string default_text(const Field& field, const void* parent) {
    if (field.is_required) return "required";
    const TypeInfo& type = field.type();
    const bool unset = type.is_unset != nullptr && type.is_unset(field.in(parent));
    if (type.kind == Kind::object && !unset) return "see its fields";
    const json::value value = to_json(type, field.in(parent), JsonStyle::plain);
    if (!field.unset_text.empty() && (unset || is_empty(value))) return "none: " + field.unset_text;
    if (unset || is_empty(value)) return "none";
    return json::serialize(value);
}

std::string rule_text(const Field& field) {
    if (field.text_rule != nullptr) return field.text_rule->name;
    constexpr auto kNone = std::numeric_limits<std::int64_t>::max();
    if (field.max != kNone) return fmt::format("from {} to {}", field.min, field.max);
    return "";
}

// The type whose fields or names stand below a field: that of a list's items, too.
const TypeInfo& inner_type(const TypeInfo& type) {
    const TypeInfo* inner = &type;
    while (inner->kind == Kind::list || inner->kind == Kind::map) inner = &inner->item();
    return *inner;
}

FieldHelp help_of(const Field& field, const void* parent, std::string path) {
    FieldHelp out;
    out.path = std::move(path);
    out.type = type_text(field.type());
    out.rule = rule_text(field);
    out.default_text = default_text(field, parent);
    out.help = field.help;
    out.example = field.example_text;
    out.required = field.is_required;
    out.built = field.is_built;
    for (const std::string& word : field.words) out.allowed.push_back({word, "", true});
    for (const Choice& c : inner_type(field.type()).choices)
        out.allowed.push_back({c.name, c.help, c.built});
    return out;
}

void add_children(const TypeInfo& type, const std::string& path, std::vector<FieldHelp>& out) {
    for (const Field& field : type.fields) {
        if (field.is_envelope) {
            add_children(field.type(), path, out);
        } else {
            out.push_back(
                help_of(field, type.prototype, path.empty() ? field.key : path + "." + field.key));
        }
    }
}

// The field of that name in an object, or behind its envelope.
struct Found {
    const Field* field = nullptr;
    const void* parent = nullptr;
};

Found find_field(const TypeInfo& type, std::string_view key) {
    if (const Field* field = type.find(key)) return {field, type.prototype};
    for (const Field& field : type.fields) {
        if (field.is_envelope) return find_field(field.type(), key);
    }
    return {};
}

[[noreturn]] void unknown(const std::string& parent, std::string_view key, const TypeInfo& type) {
    std::vector<FieldHelp> children;
    add_children(type, "", children);
    std::vector<std::string> names;
    for (const FieldHelp& child : children) names.push_back(child.path);
    const std::string where = parent.empty() ? "the spec" : parent;
    throw UserError(
        "EXPLAIN-UNKNOWN-PATH", fmt::format("{} has no field {}", where, shown(key)),
        {.cause = names.empty() ? where + " has no fields" : "its fields are " + join(names, ", "),
         .remedy = names.empty() ? "slipway explain " + parent : suggestion(key, names)});
}

void list_paths(const TypeInfo& type, const std::string& path, std::vector<std::string>& out) {
    std::vector<FieldHelp> children;
    add_children(type, path, children);
    for (const FieldHelp& child : children) {
        out.push_back(child.path);
        const std::string key = path.empty() ? child.path : child.path.substr(path.size() + 1);
        list_paths(inner_type(find_field(type, key).field->type()), child.path, out);
    }
}

std::string describe_one(const FieldHelp& h) {
    std::string out = (h.path.empty() ? "The spec" : h.path) + "\n  " + h.help + "\n";
    const auto line = [&](std::string_view name, const std::string& text) {
        if (!text.empty()) out += fmt::format("  {:<9}{}\n", name, text);
    };
    out += '\n';
    line("type", h.rule.empty() ? h.type : fmt::format("{} ({})", h.type, h.rule));
    line("default", h.default_text);
    if (!h.example.empty())
        line("example", h.path.substr(h.path.rfind('.') + 1) + ": " + h.example);
    if (!h.built) line("note", "not built in this version; a spec that sets it is refused");
    if (h.allowed.empty()) return out;
    out += "\nValues\n";
    for (const FieldHelp::Value& v : h.allowed) {
        out += fmt::format("  {:<20} {}{}\n", v.name, v.help,
                           v.built ? "" : " (not built in this version)");
    }
    return out;
}

}  // namespace

FieldHelp explain_field(std::string_view path) {
    FieldHelp out;
    out.type = "object";
    out.help =
        "What a cluster is made of. hosts, kubernetes and the rest stand under `spec:` in the "
        "file.";
    const TypeInfo* type = &document_type();
    std::string so_far;
    const std::vector<std::string> parts =
        path.empty() ? std::vector<std::string>() : split(path, '.');
    for (const std::string& part : parts) {
        const std::string key = part.substr(0, part.find('['));
        const TypeInfo& object = inner_type(*type);
        const Found found = find_field(object, key);
        if (found.field == nullptr) unknown(so_far, key, object);
        if (!found.field->is_envelope) so_far += (so_far.empty() ? "" : ".") + key;
        out = help_of(*found.field, found.parent, so_far);
        type = &found.field->type();
    }
    add_children(inner_type(*type), so_far, out.children);
    return out;
}

std::string explain(std::string_view path) {
    const FieldHelp h = explain_field(path);
    std::string out = describe_one(h);
    if (h.children.empty()) return out;
    std::vector<std::vector<std::string>> rows = {{"FIELD", "TYPE", "DEFAULT", "MEANING"}};
    for (const FieldHelp& child : h.children) {
        rows.push_back({child.path.substr(h.path.empty() ? 0 : h.path.size() + 1), child.type,
                        child.default_text,
                        child.built ? child.help : child.help + " (not built in this version)"});
    }
    return out + "\n" + table(rows);
}

json::object to_json(const FieldHelp& h) {
    json::array allowed;
    for (const FieldHelp::Value& v : h.allowed) {
        allowed.push_back(json::object{{"name", v.name}, {"help", v.help}, {"built", v.built}});
    }
    json::array children;
    for (const FieldHelp& child : h.children) children.push_back(to_json(child));
    return {{"path", h.path},
            {"type", h.type},
            {"rule", h.rule},
            {"default", h.default_text},
            {"help", h.help},
            {"example", h.example},
            {"required", h.required},
            {"built", h.built},
            {"allowed", std::move(allowed)},
            {"children", std::move(children)}};
}

std::vector<std::string> all_paths() {
    std::vector<std::string> out;
    list_paths(document_type(), "", out);
    return out;
}

}  // namespace slipway::config
