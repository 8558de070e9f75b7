#include "config/describe.hpp"

#include <algorithm>

namespace slipway::config {

namespace {

json::value list_to_json(const TypeInfo& type, const void* value, JsonStyle style,
                         const Field* field) {
    json::array items;
    type.each(value, [&](const std::string&, const void* item) {
        items.push_back(to_json(type.item(), item, style));
    });
    if (style == JsonStyle::canonical && field != nullptr && field->is_set) {
        std::ranges::sort(items, {}, [](const json::value& v) { return json::serialize(v); });
    }
    return items;
}

json::value object_to_json(const TypeInfo& type, const void* value, JsonStyle style) {
    json::object out;
    for (const Field& field : type.fields) {
        const TypeInfo& inner = field.type();
        if (style == JsonStyle::canonical && !field.is_built) continue;
        if (inner.is_unset != nullptr && inner.is_unset(field.in(value))) continue;
        out[field.key] = to_json(inner, field.in(value), style, &field);
    }
    return out;
}

}  // namespace

void Scope::error(std::string_view id, std::string_view key, std::string what, std::string todo) {
    std::string path = path_;
    if (!path.empty() && !key.empty()) path += '.';
    path += key;
    findings_.error(id, path, std::move(what), std::move(todo));
}

const Field* TypeInfo::find(std::string_view key) const {
    const auto at = std::ranges::find(fields, key, &Field::key);
    return at == fields.end() ? nullptr : &*at;
}

const std::string& choice_name(const TypeInfo& type, std::int64_t value) {
    static const std::string kNone;
    const auto at = std::ranges::find(type.choices, value, &Choice::value);
    return at == type.choices.end() ? kNone : at->name;
}

json::value to_json(const TypeInfo& type, const void* value, JsonStyle style, const Field* field) {
    switch (type.kind) {
        case Kind::text: return json::value(*static_cast<const std::string*>(value));
        case Kind::boolean: return *static_cast<const bool*>(value);
        case Kind::integer: return type.get_integer(value);
        case Kind::real: return *static_cast<const double*>(value);
        case Kind::choice: return json::value(choice_name(type, type.get_integer(value)));
        case Kind::list: return list_to_json(type, value, style, field);
        case Kind::map: {
            json::object out;
            type.each(value, [&](const std::string& key, const void* item) {
                out[key] = to_json(type.item(), item, style);
            });
            return out;
        }
        case Kind::object: return object_to_json(type, value, style);
    }
    return nullptr;
}

}  // namespace slipway::config
