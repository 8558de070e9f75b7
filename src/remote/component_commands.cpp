// What installs components: helm, and kubectl with lists of objects on its input.
#include "base/text.hpp"
#include "remote/commands.hpp"
#include "remote/simulated_objects.hpp"

#include <map>

#include <fmt/format.h>

namespace slipway::remote::commands {

namespace {

CommandResult list_records(const Model& model) {
    const std::string folder = objects::path(model, "ConfigMap", "kube-system", "");
    json::array items;
    for (const std::string& path : model.names(Section::file, folder)) {
        if (path.substr(folder.size()).starts_with("slipway-component-"))
            items.push_back(configmap(model, path));
    }
    return printed(json::serialize(json::object{{"items", std::move(items)}}) + "\n");
}

std::string option(const Invocation& in, std::string_view name) {
    for (std::size_t i = 0; i + 1 < in.args.size(); ++i) {
        if (in.args[i] == name) return in.args[i + 1];
    }
    return "";
}

}  // namespace

json::object configmap(const Model& model, const std::string& path) {
    return {{"metadata", json::object{{"name", path.substr(path.rfind('/') + 1)}}},
            {"data", objects::fields_of(model, path)}};
}

// Documents of block YAML, the object's own name before all others: enough for tests.
CommandResult label_local(Invocation& in) {
    std::string out, text = "\n" + in.command.input;
    while (!text.empty()) {
        const std::size_t end = text.find("\n---\n");
        const std::string document = text.substr(0, end);
        text = end == std::string::npos ? "" : text.substr(end + 4);
        const std::string kind = objects::value_of(document, "kind:");
        if (kind.empty()) continue;
        json::object metadata{{"name", objects::value_of(document, "name:")}};
        const std::string space = objects::value_of(document, "namespace:");
        if (!space.empty()) metadata["namespace"] = space;
        json::object spec;  // what steps ask of it
        const std::string ttl = objects::value_of(document, "ttlSecondsAfterFinished:");
        if (!ttl.empty()) spec["ttlSecondsAfterFinished"] = ttl;
        out += fmt::format(
            "{{\n    \"apiVersion\": \"{}\",\n    \"kind\": \"{}\",\n    "
            "\"metadata\": {},\n    \"spec\": {}\n}}\n",
            objects::value_of(document, "apiVersion:"), kind, json::serialize(metadata),
            json::serialize(spec));
    }
    return printed(std::move(out));
}

CommandResult apply_list(Invocation& in, const std::string& space) {
    for (const objects::Named& one : objects::items_of(in.command.input, space))
        objects::keep(in.model, one.kind, one.space, one.name, "{}");
    return {};
}

CommandResult get_list(Invocation& in, const std::vector<std::string>& words,
                       const std::string& space) {
    if (words.size() == 2 && words[1] == "configmap") return list_records(in.model);
    if (words.size() != 1) return failed(1, "error: not simulated\n");
    std::string out;
    for (const objects::Named& one : objects::items_of(in.command.input, space)) {
        if (objects::has(in.model, one.kind, one.space, one.name))
            out += fmt::format("{}/{}\n", one.kind, one.name);
    }
    return printed(std::move(out));
}

CommandResult kubectl_delete(Invocation& in, const std::vector<std::string>& words,
                             const std::string& space) {
    static const std::map<std::string, std::string, std::less<>> kKinds = {
        {"configmap", "ConfigMap"}, {"daemonset", "DaemonSet"}, {"storageclass", "StorageClass"}};
    if (words.size() == 1) {
        for (const objects::Named& one : objects::items_of(in.command.input, space))
            objects::remove(in.model, one.kind, one.space, one.name);
        return {};
    }
    if (words[1] == "secret") return {};  // of a helm that was cut off
    for (const std::string& word : split(words[1], ',')) {
        const auto kind = kKinds.find(word);
        if (kind == kKinds.end() || words.size() != 3) return failed(1, "error: not simulated\n");
        objects::remove(in.model, kind->second, space, words[2]);
    }
    return {};
}

// Releases are kept beside the objects, each with the values it was given.
CommandResult helm(Invocation& in) {
    if (!objects::api_answers(in.model)) return objects::no_answer();
    const std::string space = option(in, "--namespace");
    if (in.args.size() > 3 && in.args[0] == "upgrade") {
        if (in.model.file(in.args[3]) == nullptr)
            return failed(1, fmt::format("Error: path \"{}\" not found\n", in.args[3]));
        objects::keep(in.model, "Release", space, in.args[2], in.command.input);
        if (in.args[2] == "cilium")
            objects::keep(in.model, "DaemonSet", "kube-system", "cilium", "{}");
        if (in.args[2] == "calico")
            objects::keep(in.model, "DaemonSet", "calico-system", "calico-node", "{}");
        return printed("STATUS: deployed\n");
    }
    if (in.args.size() < 2) return failed(1, "Error: not simulated\n");
    const bool there = objects::has(in.model, "Release", space, in.args[1]);
    if (in.args[0] == "uninstall") {
        if (there) objects::remove(in.model, "Release", space, in.args[1]);
        return {};
    }
    if (in.args[0] != "status") return failed(1, "Error: not simulated\n");
    return there ? printed("{\"info\": {\"status\": \"deployed\"}}\n")
                 : failed(1, "Error: release: not found\n");
}

}  // namespace slipway::remote::commands
