#include "config/schema.hpp"

#include "config/fields.hpp"
#include "config/load.hpp"

namespace slipway::config {

namespace {

json::object schema_of(const TypeInfo& type, const Field* field);

json::array names_of(const std::vector<Choice>& choices) {
    json::array out;
    for (const Choice& choice : choices) {
        if (choice.built) out.push_back(json::value(choice.name));
    }
    return out;
}

json::object text_schema(const Field* field) {
    json::object out{{"type", "string"}};
    if (field == nullptr) return out;
    if (!field->words.empty()) out["enum"] = json::array(field->words.begin(), field->words.end());
    if (field->text_rule != nullptr && !field->text_rule->pattern.empty()) {
        out["pattern"] = field->text_rule->pattern;
    }
    return out;
}

json::object integer_schema(const TypeInfo& type, const Field* field) {
    json::object out{{"type", "integer"}};
    const std::int64_t low = std::max(type.min, field != nullptr ? field->min : type.min);
    const std::int64_t high = std::min(type.max, field != nullptr ? field->max : type.max);
    if (low != std::numeric_limits<std::int64_t>::min()) out["minimum"] = low;
    if (high != std::numeric_limits<std::int64_t>::max()) out["maximum"] = high;
    return out;
}

// A default that says something; empty texts and lists mean "not set" and are described in words.
bool shows_default(const Field& field, const json::value& value) {
    if (field.is_required || field.type().kind == Kind::object) return false;
    if (value.is_string()) return !value.get_string().empty();
    if (value.is_array()) return !value.get_array().empty();
    return !value.is_object() || !value.get_object().empty();
}

json::object field_schema(const Field& field, const void* prototype) {
    if (!field.is_built) {
        return {{"description", field.help + " Not built in this version."},
                {"not", json::object()}};
    }
    json::object out = schema_of(field.type(), &field);
    out["description"] = field.unset_text.empty()
                             ? field.help
                             : field.help + " If left out: " + field.unset_text + ".";
    const json::value value = to_json(field.type(), field.in(prototype), JsonStyle::plain);
    if (shows_default(field, value)) out["default"] = value;
    return out;
}

json::object object_schema(const TypeInfo& type) {
    json::object properties;
    json::array required;
    for (const Field& field : type.fields) {
        properties[field.key] = field_schema(field, type.prototype);
        if (field.is_required) required.push_back(json::value(field.key));
    }
    json::object out{
        {"type", "object"}, {"additionalProperties", false}, {"properties", std::move(properties)}};
    if (!required.empty()) out["required"] = std::move(required);
    if (type.secret) out["minProperties"] = out["maxProperties"] = 1;
    return out;
}

json::object schema_of(const TypeInfo& type, const Field* field) {
    switch (type.kind) {
        case Kind::text: return text_schema(field);
        case Kind::boolean: return {{"type", "boolean"}};
        case Kind::integer: return integer_schema(type, field);
        case Kind::real: return {{"type", "number"}};
        case Kind::choice: return {{"type", "string"}, {"enum", names_of(type.choices)}};
        case Kind::object: return object_schema(type);
        case Kind::list: {
            json::object out{{"type", "array"}, {"items", schema_of(type.item(), field)}};
            if (field != nullptr && field->min_items > 0) out["minItems"] = field->min_items;
            return out;
        }
        case Kind::map: {
            json::object out{{"type", "object"},
                             {"additionalProperties", schema_of(type.item(), field)}};
            if (field != nullptr && field->key_rule != nullptr) {
                out["propertyNames"] = json::object{{"pattern", field->key_rule->pattern}};
            }
            return out;
        }
    }
    return {};
}

}  // namespace

json::object json_schema() {
    json::object out{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                     {"title", "Slipway " + std::string(kKind) + " " + std::string(kApiVersion)}};
    for (auto& [key, value] : object_schema(document_type())) out[key] = value;
    return out;
}

}  // namespace slipway::config
