#include "cluster/steps/component_record.hpp"

#include "base/json.hpp"
#include "base/text.hpp"

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

constexpr std::string_view kPrefix = "slipway-component-";
constexpr const char* kLabel = "slipway.dev/component-record";

// Names of objects have neither of these two characters.
std::string as_text(const std::vector<ObjectName>& objects) {
    std::vector<std::string> out;
    for (const ObjectName& one : objects)
        out.push_back(fmt::format("{}|{}|{}|{}{}", one.api, one.kind, one.space, one.name,
                                  one.passing ? "|passing" : ""));
    return join(out, ";");
}

std::vector<ObjectName> from_text(const std::string& text) {
    std::vector<ObjectName> out;
    for (const std::string& item : split(text, ';')) {
        const std::vector<std::string> parts = split(item, '|');
        if (parts.size() == 4 || parts.size() == 5)
            out.push_back({parts[0], parts[1], parts[2], parts[3], parts.size() == 5});
    }
    return out;
}

std::optional<ComponentRecord> from_object(const json::value& object) {
    const json::object* map = object.if_object();
    const json::value* metadata = map ? map->if_contains("metadata") : nullptr;
    const json::value* data = map ? map->if_contains("data") : nullptr;
    if (metadata == nullptr || data == nullptr || !metadata->is_object() || !data->is_object())
        return std::nullopt;
    const std::string name = string_at(metadata->as_object(), "name");
    if (!name.starts_with(kPrefix)) return std::nullopt;
    const json::object& fields = data->as_object();
    return ComponentRecord{.name = name.substr(kPrefix.size()),
                           .inputs = string_at(fields, "inputs"),
                           .space = string_at(fields, "namespace"),
                           .is_chart = string_at(fields, "from") == "chart",
                           .objects = from_text(string_at(fields, "objects"))};
}

}  // namespace

std::optional<ComponentRecord> read_record(const Kubectl& kubectl, const std::string& name) {
    const std::string found = kubectl.run({"get", "configmap", std::string(kPrefix) + name, "-n",
                                           "kube-system", "-o", "json", "--ignore-not-found"});
    if (trim(found).empty()) return std::nullopt;
    return from_object(parse_json(found, "a component's record"));
}

std::vector<ComponentRecord> read_records(const Kubectl& kubectl) {
    std::vector<ComponentRecord> out;
    const std::string text =
        kubectl.run({"get", "configmap", "-n", "kube-system", "-l", kLabel, "-o", "json"});
    const json::value list = parse_json(text, "the records of components");
    const json::value* items = list.is_object() ? list.as_object().if_contains("items") : nullptr;
    if (items == nullptr || !items->is_array()) return out;
    for (const json::value& item : items->as_array()) {
        if (auto record = from_object(item)) out.push_back(*std::move(record));
    }
    return out;
}

void write_record(const Kubectl& kubectl, const ComponentRecord& record) {
    kubectl.apply(fmt::format(R"(apiVersion: v1
kind: ConfigMap
metadata:
  name: {}{}
  namespace: kube-system
  labels:
    {}: "true"
data:
  from: "{}"
  inputs: "{}"
  namespace: "{}"
  objects: "{}"
)",
                              kPrefix, record.name, kLabel, record.is_chart ? "chart" : "manifests",
                              record.inputs, record.space, as_text(record.objects)));
}

void remove_record(const Kubectl& kubectl, const std::string& name) {
    kubectl.run({"delete", "configmap", std::string(kPrefix) + name, "-n", "kube-system",
                 "--ignore-not-found"});
}

std::string as_list(json::array objects) {
    return json::serialize(
        json::object{{"apiVersion", "v1"}, {"kind", "List"}, {"items", std::move(objects)}});
}

std::string names_as_list(const std::vector<ObjectName>& objects) {
    json::array items;
    for (const ObjectName& one : objects) {
        json::object metadata{{"name", one.name}};
        if (!one.space.empty()) metadata["namespace"] = one.space;
        items.push_back(json::object{
            {"apiVersion", one.api}, {"kind", one.kind}, {"metadata", std::move(metadata)}});
    }
    return as_list(std::move(items));
}

}  // namespace slipway::cluster
