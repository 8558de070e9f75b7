#include "server/openapi.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

namespace slipway::server {

namespace {

json::object reference(std::string_view schema) {
    return {{"$ref", fmt::format("#/components/schemas/{}", schema)}};
}

json::object content(std::string_view media_type, json::object schema) {
    return {{media_type, json::object{{"schema", std::move(schema)}}}};
}

// By their names, which mean the same everywhere.
json::object schema_of_parameter(std::string_view name) {
    if (name == "limit") return {{"type", "integer"}, {"minimum", 0}, {"maximum", 1000}};
    if (name == "wait") return {{"type", "integer"}, {"minimum", 0}, {"maximum", 30}};
    if (name == "after") return {{"type", "integer"}, {"minimum", 0}};
    if (name == "verify" || name == "journal") return {{"type", "boolean"}};
    if (name == "page") return {{"type", "string"}, {"pattern", "^[0-9]{1,9}$"}};
    return {{"type", "string"}};
}

json::array parameters_of(const Route& route) {
    json::array out;
    for (const std::string& part : split(route.path, '/')) {
        if (!part.starts_with('{')) continue;
        out.push_back(json::object{{"name", part.substr(1, part.size() - 2)},
                                   {"in", "path"},
                                   {"required", true},
                                   {"schema", json::object{{"type", "string"}}}});
    }
    if (!route.query.empty()) {
        for (const std::string& name : split(route.query, ','))
            out.push_back(json::object{
                {"name", name}, {"in", "query"}, {"schema", schema_of_parameter(name)}});
    }
    return out;
}

json::object success(const Route& route) {
    json::object out = {{"description", route.status == 204 ? "done" : "the answer"}};
    if (route.answer.empty()) return out;
    const bool is_type = route.answer.find('/') != std::string_view::npos;
    out["content"] = is_type ? content(route.answer, {{"type", "string"}})
                             : content("application/json", reference(route.answer));
    return out;
}

json::object operation(const Route& route) {
    json::object out = {{"summary", route.summary}, {"x-slipway-role", to_string(route.role)}};
    if (json::array parameters = parameters_of(route); !parameters.empty())
        out["parameters"] = std::move(parameters);
    if (route.request == "bytes") {
        out["requestBody"] = json::object{
            {"required", true},
            {"content",
             content("application/octet-stream", {{"type", "string"}, {"format", "binary"}})}};
    } else if (!route.request.empty()) {
        out["requestBody"] =
            json::object{{"content", content("application/json", reference(route.request))}};
    }
    // What is refused before a route is looked for is a problem, whatever the route.
    json::object errors = content("application/problem+json", reference("Problem"));
    if (route.errors == ErrorShape::kubernetes)
        errors.emplace("application/json", json::object{{"schema", reference("Status")}});
    out["responses"] = json::object{{fmt::format("{}", route.status), success(route)},
                                    {"default", json::object{{"description", "what went wrong"},
                                                             {"content", std::move(errors)}}}};
    out["security"] =
        route.role == Role::anyone
            ? json::array()
            : json::array{json::object{{"session", json::array()}, {"csrf", json::array()}},
                          json::object{{"token", json::array()}}};
    return out;
}

std::string lower(std::string_view method) {
    std::string out(method);
    for (char& c : out) c = static_cast<char>(c - 'A' + 'a');
    return out;
}

json::object security_schemes() {
    return {
        {"session",
         json::object{{"type", "apiKey"}, {"in", "cookie"}, {"name", "slipway_session"}}},
        {"csrf", json::object{{"type", "apiKey"}, {"in", "header"}, {"name", "X-Slipway-Csrf"}}},
        {"token", json::object{{"type", "http"}, {"scheme", "bearer"}}}};
}

}  // namespace

json::object openapi_document(std::span<const Route> table, const std::string& version) {
    json::object paths;
    for (const Route& route : table) {
        json::value& path = paths[route.path];
        if (!path.is_object()) path = json::object();
        path.get_object()[lower(route.method)] = operation(route);
    }
    return {{"openapi", "3.1.0"},
            {"info", json::object{{"title", "Slipway"}, {"version", version}}},
            {"paths", std::move(paths)},
            {"components",
             json::object{{"schemas", schemas()}, {"securitySchemes", security_schemes()}}}};
}

}  // namespace slipway::server
