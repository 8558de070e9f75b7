#include "remote/simulated_objects.hpp"

#include "base/text.hpp"
#include "remote/machine.hpp"

#include <fmt/format.h>

namespace slipway::remote::objects {

std::string value_of(std::string_view text, std::string_view key) {
    for (const std::string& line : split(text, '\n')) {
        const std::string_view words = trim(line);
        if (!words.starts_with(key)) continue;
        std::string value(trim(words.substr(key.size())));
        std::erase(value, '"');
        return value;
    }
    return "";
}

std::string file_content(const Model& model, const std::string& file_path) {
    const ModelFile* file = model.file(file_path);
    return file == nullptr ? "" : file->content;
}

std::string or_else(std::string text, std::string_view otherwise) {
    return text.empty() ? std::string(otherwise) : text;
}

std::string path(const Model& model, const std::string& kind, const std::string& space,
                 const std::string& name) {
    // An etcd on other machines is modelled on the one that asks: there only its folder would tell.
    const std::string config = file_content(model, kKubeadmConfig);
    const bool elsewhere = config.find("\n  external:\n") != std::string::npos;
    const std::string etcd = elsewhere ? "/var/lib/kubelet/etcd-elsewhere"
                                       : or_else(value_of(config, "dataDir:"), "/var/lib/etcd");
    return fmt::format("{}/objects/{}/{}/{}", etcd, kind, or_else(space, "-"), name);
}

std::vector<Named> items_of(const std::string& input, const std::string& space) {
    std::vector<Named> out;
    const json::value list = parse_json(input, "a list of objects");
    for (const json::value& item : list.as_object().at("items").as_array()) {
        const json::object& object = item.as_object();
        const json::object& metadata = object.at("metadata").as_object();
        out.push_back({string_at(object, "kind"), or_else(string_at(metadata, "namespace"), space),
                       string_at(metadata, "name")});
    }
    return out;
}

bool starts_with(std::string_view told) { return told.find("no-such-") == std::string_view::npos; }

bool pod_runs(const Model& model, std::string_view name) {
    const ModelFile* manifest = model.file(fmt::format("{}{}.yaml", kManifests, name));
    return manifest != nullptr && starts_with(manifest->content) &&
           machine::unit(model, "kubelet").active && machine::unit(model, "containerd").active;
}

bool api_answers(const Model& model) {
    const bool stacked = model.file(std::string(kManifests) + "etcd.yaml") != nullptr;
    return pod_runs(model, "kube-apiserver") && (!stacked || pod_runs(model, "etcd"));
}

CommandResult no_answer() {
    return failed(1, "The connection to the server was refused: connection refused\n");
}

bool has(const Model& model, const std::string& kind, const std::string& space,
         const std::string& name) {
    return model.file(path(model, kind, space, name)) != nullptr;
}

void keep(Model& model, const std::string& kind, const std::string& space, const std::string& name,
          std::string content) {
    machine::write_file(model, path(model, kind, space, name),
                        FileState{.content = std::move(content), .mode = 0600});
}

json::object fields_of(const Model& model, const std::string& file_path) {
    const std::string text = file_content(model, file_path);
    return text.empty() ? json::object() : parse_json(text, "a simulated object").as_object();
}

CommandResult not_found(std::string_view kind, std::string_view name) {
    return failed(1, fmt::format("Error from server (NotFound): {} \"{}\" not found\n", kind,
                                 printable(name)));
}

void remove(Model& model, const std::string& kind, const std::string& space,
            const std::string& name) {
    model.remove({Section::file, path(model, kind, space, name)});
}

}  // namespace slipway::remote::objects
