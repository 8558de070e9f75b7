// kubeadm, kubectl and crictl: a model of their effects, not of Kubernetes. What the API server
// keeps are files in etcd's folder on the machine it is asked at, so that they live as long as
// those do; the images of a machine are files in the runtime's folder.
#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "remote/commands.hpp"
#include "remote/machine.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace slipway::remote::commands {

namespace {

constexpr const char* kConfig = "/etc/kubernetes/slipway/kubeadm.yaml";
constexpr std::string_view kManifests = "/etc/kubernetes/manifests/";

// The value of the first line that begins with `key`, without quotes.
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

std::string file_content(const Model& model, const std::string& path) {
    const ModelFile* file = model.file(path);
    return file == nullptr ? "" : file->content;
}

std::string or_else(std::string text, std::string_view otherwise) {
    return text.empty() ? std::string(otherwise) : text;
}

// ---- what the API server keeps

std::string object_path(const Model& model, const std::string& kind, const std::string& space,
                        const std::string& name) {
    const std::string etcd =
        or_else(value_of(file_content(model, kConfig), "dataDir:"), "/var/lib/etcd");
    return fmt::format("{}/objects/{}/{}/{}", etcd, kind, or_else(space, "-"), name);
}

bool api_answers(const Model& model) {
    return model.file(std::string(kManifests) + "kube-apiserver.yaml") != nullptr &&
           machine::unit(model, "kubelet").active && machine::unit(model, "containerd").active;
}

CommandResult no_answer() {
    return failed(1, "The connection to the server was refused: connection refused\n");
}

bool has_object(const Model& model, const std::string& kind, const std::string& space,
                const std::string& name) {
    return model.file(object_path(model, kind, space, name)) != nullptr;
}

void keep_object(Model& model, const std::string& kind, const std::string& space,
                 const std::string& name, std::string content) {
    machine::write_file(model, object_path(model, kind, space, name),
                        FileState{.content = std::move(content), .mode = 0600});
}

json::object fields_of(const Model& model, const std::string& path) {
    const std::string text = file_content(model, path);
    return text.empty() ? json::object() : parse_json(text, "a simulated object").as_object();
}

CommandResult not_found(std::string_view kind, std::string_view name) {
    return failed(1, fmt::format("Error from server (NotFound): {} \"{}\" not found\n", kind,
                                 printable(name)));
}

// ---- kubectl

struct Query {
    std::vector<std::string> words = {};
    std::string space = {};
    std::string output = {};
};

// Words without options; of those only the two that change the answer are kept.
Query query_of(std::span<const std::string> args) {
    Query out;
    for (std::size_t i = 0; i < args.size(); ++i) {
        const std::string& arg = args[i];
        const bool has_next = i + 1 < args.size();
        if (has_next && (arg == "--kubeconfig" || arg == "--field-manager" || arg == "-f")) {
            ++i;
        } else if (has_next && arg == "-n") {
            out.space = args[++i];
        } else if (has_next && arg == "-o") {
            out.output = args[++i];
        } else if (!arg.starts_with("--") || arg.starts_with("--for=") || arg == "--raw") {
            out.words.push_back(arg);
        }
    }
    return out;
}

bool node_is_there(const Invocation& in, const std::string& node) {
    return has_object(in.model, "Node", "", node) || in.elsewhere.kubelet_runs(node);
}

// A kubelet says that its node is ready once the network plugin has put its configuration there.
bool node_is_ready(const Invocation& in, const std::string& node) {
    return in.elsewhere.kubelet_runs(node) &&
           !in.model.names(Section::file, object_path(in.model, "DaemonSet", "kube-flannel", ""))
                .empty();
}

CommandResult get_node(Invocation& in, const std::string& node) {
    if (!node_is_there(in, node)) return not_found("nodes", node);
    json::object labels = fields_of(in.model, object_path(in.model, "Node", "", node));
    const std::string_view ready = node_is_ready(in, node) ? "True" : "False";
    const json::object object = {
        {"metadata", json::object{{"name", node}, {"labels", std::move(labels)}}},
        {"status", json::object{{"conditions", json::array{json::object{{"type", "Ready"},
                                                                        {"status", ready}}}}}}};
    return printed(json::serialize(object) + "\n");
}

CommandResult get_configmap(Invocation& in, const Query& query) {
    const std::string path = object_path(in.model, "ConfigMap", query.space, query.words[2]);
    if (in.model.file(path) == nullptr) return not_found("configmaps", query.words[2]);
    constexpr std::string_view kBefore = "jsonpath={.data.";
    if (!query.output.starts_with(kBefore)) return failed(1, "error: not simulated\n");
    const std::string key = query.output.substr(kBefore.size());
    return printed(string_at(fields_of(in.model, path), key.substr(0, key.size() - 1)));
}

// Single-line entries below `data:`; others are of no use to anybody here.
json::object data_of(std::string_view document) {
    json::object out;
    bool inside = false;
    for (const std::string& line : split(document, '\n')) {
        if (!line.starts_with(' ')) inside = line == "data:";
        const std::size_t colon = line.find(": \"");
        if (inside && colon != std::string::npos && line.ends_with('"'))
            out[trim(line.substr(0, colon))] = line.substr(colon + 3, line.size() - colon - 4);
    }
    return out;
}

// Of `metadata:`, in lines below it or in braces beside it.
std::string metadata_of(std::string_view document, const std::string& key) {
    const std::size_t begin = document.find("\nmetadata:");
    if (begin == std::string_view::npos) return "";
    std::string_view part = document.substr(begin + 10);
    for (std::size_t end = part.find('\n'); end != part.npos; end = part.find('\n', end + 1)) {
        if (end + 1 < part.size() && part[end + 1] != ' ') part = part.substr(0, end);
    }
    const std::string_view line = part.substr(0, part.find('\n'));
    if (line.find('{') == std::string_view::npos) return value_of(part, key + ":");
    std::string words(trim(line));
    for (char& c : words) {
        if (c == '{' || c == '}' || c == ',') c = '\n';
    }
    return value_of(words, key + ":");
}

CommandResult apply(Invocation& in) {
    std::string text = "\n" + in.command.input;
    CommandResult result;
    while (!text.empty()) {
        const std::size_t end = text.find("\n---\n");
        const std::string document = text.substr(0, end);
        text = end == std::string::npos ? "" : text.substr(end + 4);
        const std::string kind = value_of(document, "kind:");
        const std::string space = metadata_of(document, "namespace");
        const std::string name = metadata_of(document, "name");
        if (kind.empty() || name.empty()) return failed(1, "error: no objects passed to apply\n");
        json::object fields = fields_of(in.model, object_path(in.model, kind, space, name));
        for (const auto& entry : data_of(document)) fields[entry.key()] = entry.value();
        keep_object(in.model, kind, space, name, json::serialize(fields));
        result.out += fmt::format("{}/{} serverside-applied\n", kind, name);
    }
    return result;
}

CommandResult label(Invocation& in, const Query& query) {
    const std::string& node = query.words[2];
    if (!node_is_there(in, node)) return not_found("nodes", node);
    json::object labels = fields_of(in.model, object_path(in.model, "Node", "", node));
    for (std::size_t i = 3; i < query.words.size(); ++i) {
        const std::size_t equals = query.words[i].find('=');
        if (equals == std::string::npos) return failed(1, "error: not simulated\n");
        labels[query.words[i].substr(0, equals)] = query.words[i].substr(equals + 1);
    }
    keep_object(in.model, "Node", "", node, json::serialize(labels));
    return printed(fmt::format("node/{} labeled\n", node));
}

CommandResult wait(Invocation& in, const Query& query) {
    const std::string node = query.words[2].substr(query.words[2].find('/') + 1);
    const bool created = query.words[1] == "--for=create";
    const bool holds = created ? node_is_there(in, node) : node_is_ready(in, node);
    if (holds) return printed(fmt::format("node/{} condition met\n", node));
    return failed(1, fmt::format("error: timed out waiting for the condition on nodes/{}\n", node));
}

CommandResult rollout(Invocation& in, const Query& query) {
    const std::size_t slash = query.words[2].find('/');
    const std::string name = query.words[2].substr(slash + 1);
    const std::string kind = query.words[2].starts_with("daemonset") ? "DaemonSet" : "Deployment";
    if (!has_object(in.model, kind, query.space, name)) return not_found(kind, name);
    return printed(fmt::format("{} \"{}\" successfully rolled out\n", kind, name));
}

CommandResult control_plane_manifests(Invocation& in, const std::vector<std::string>& names) {
    const std::string config = file_content(in.model, kConfig);
    for (const std::string& name : names) {
        machine::write_file(
            in.model, fmt::format("{}{}.yaml", kManifests, name),
            FileState{.content = fmt::format("# simulated {} of {}\n", name, sha256_hex(config)),
                      .mode = 0600});
    }
    return printed(fmt::format("[phase] wrote {}\n", join(names, ", ")));
}

CommandResult into_cluster(Invocation& in, std::string_view object) {
    if (!api_answers(in.model)) return no_answer();
    in.model.touch();
    if (object == "kube-proxy") keep_object(in.model, "DaemonSet", "kube-system", "kube-proxy", "");
    return printed(fmt::format("[phase] wrote {}\n", object));
}

// ---- crictl

std::string images_folder(const Model& model) {
    return or_else(value_of(file_content(model, "/etc/containerd/config.toml"), "root ="),
                   "/var/lib/containerd") +
           "/images/";
}

CommandResult list_images(const Model& model) {
    const std::string folder = images_folder(model);
    json::array images;
    for (const std::string& path : model.names(Section::file, folder)) {
        if (!model.file(path)->folder)
            images.push_back(json::object{{"repoTags", json::array{path.substr(folder.size())}}});
    }
    return printed(json::serialize(json::object{{"images", std::move(images)}}) + "\n");
}

}  // namespace

CommandResult kubectl(Invocation& in) {
    const Query query = query_of(in.args);
    const std::vector<std::string>& words = query.words;
    if (!api_answers(in.model)) return no_answer();
    const auto begins = [&](std::string_view verb, std::string_view what) {
        return words.size() > 2 && words[0] == verb && (what.empty() || words[1] == what);
    };
    if (begins("get", "--raw")) return printed("ok");
    if (begins("get", "node")) return get_node(in, words[2]);
    if (begins("get", "configmap")) return get_configmap(in, query);
    if (begins("label", "node")) return label(in, query);
    if (begins("wait", "")) return wait(in, query);
    if (begins("rollout", "status")) return rollout(in, query);
    if (begins("delete", "node")) {
        in.model.remove({Section::file, object_path(in.model, "Node", "", words[2])});
        return printed(fmt::format("node \"{}\" deleted\n", words[2]));
    }
    if (!words.empty() && words[0] == "apply") return apply(in);
    return failed(1, "error: unknown command\n");
}

CommandResult kubeadm(Invocation& in) {
    const bool a_phase = in.args.size() > 4 && in.args[0] == "init" && in.args[1] == "phase" &&
                         in.args[in.args.size() - 2] == "--config";
    if (!a_phase) return failed(1, "error: only 'kubeadm init phase' is simulated\n");
    if (in.model.file(in.args.back()) == nullptr)
        return failed(1, fmt::format("unable to read config from \"{}\"\n", in.args.back()));
    const std::string& phase = in.args[2];
    if (phase == "etcd") return control_plane_manifests(in, {"etcd"});
    if (phase == "control-plane") {
        return control_plane_manifests(
            in, {"kube-apiserver", "kube-controller-manager", "kube-scheduler"});
    }
    if (phase == "upload-config" || phase == "bootstrap-token") return into_cluster(in, phase);
    if (phase == "addon") return into_cluster(in, in.args[3]);
    return failed(1, "error: unknown phase\n");
}

CommandResult crictl(Invocation& in) {
    if (!machine::unit(in.model, "containerd").active)
        return failed(1, "validate service connection: connect: connection refused\n");
    std::vector<std::string> words(in.args.begin(), in.args.end());
    while (words.size() > 2 && (words[0] == "-r" || words[0] == "--timeout"))
        words.erase(words.begin(), words.begin() + 2);
    if (words.empty()) return failed(1, "crictl: no command\n");
    if (words[0] == "images") return list_images(in.model);
    if (words[0] == "pods" || words[0] == "rmp") return {};  // pods are not simulated
    if (words[0] != "pull" || words.size() != 2) return failed(1, "crictl: not simulated\n");
    machine::write_file(in.model, images_folder(in.model) + words[1],
                        FileState{.content = words[1] + "\n", .mode = 0600});
    return printed("Image is up to date\n");
}

}  // namespace slipway::remote::commands
