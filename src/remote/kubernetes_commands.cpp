// kubeadm, kubectl and crictl: a model of their effects, not of Kubernetes. The images of a machine
// are files in the runtime's folder.
#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "remote/commands.hpp"
#include "remote/machine.hpp"
#include "remote/simulated_objects.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

namespace slipway::remote::commands {

namespace {

using objects::api_answers;
using objects::fields_of;
using objects::file_content;
using objects::no_answer;
using objects::not_found;
using objects::or_else;
using objects::value_of;

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
        if (has_next && (arg == "--kubeconfig" || arg == "--field-manager" || arg == "-f" ||
                         arg == "-l" || arg == "--type" || arg == "--patch-file")) {
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
    return objects::has(in.model, "Node", "", node) || in.elsewhere.kubelet_runs(node);
}

// A kubelet says that its node is ready once the network plugin has put its configuration there.
bool node_is_ready(const Invocation& in, const std::string& node) {
    const bool network = objects::has(in.model, "DaemonSet", "kube-flannel", "kube-flannel-ds") ||
                         objects::has(in.model, "DaemonSet", "kube-system", "cilium") ||
                         objects::has(in.model, "DaemonSet", "calico-system", "calico-node");
    return network && in.elsewhere.kubelet_runs(node);
}

CommandResult get_node(Invocation& in, const std::string& node) {
    if (!node_is_there(in, node)) return not_found("nodes", node);
    json::object labels = fields_of(in.model, objects::path(in.model, "Node", "", node));
    const std::string_view ready = node_is_ready(in, node) ? "True" : "False";
    const json::object object = {
        {"metadata", json::object{{"name", node}, {"labels", std::move(labels)}}},
        {"status", json::object{{"conditions", json::array{json::object{{"type", "Ready"},
                                                                        {"status", ready}}}}}}};
    return printed(json::serialize(object) + "\n");
}

CommandResult get_configmap(Invocation& in, const Query& query) {
    const std::string path = objects::path(in.model, "ConfigMap", query.space, query.words[2]);
    if (in.model.file(path) == nullptr) {
        const bool may_lack = std::ranges::find(in.args, "--ignore-not-found") != in.args.end();
        return may_lack ? printed("") : not_found("configmaps", query.words[2]);
    }
    if (query.output == "json") return printed(json::serialize(configmap(in.model, path)) + "\n");
    return failed(1, "error: not simulated\n");
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
        json::object fields = fields_of(in.model, objects::path(in.model, kind, space, name));
        for (const auto& entry : data_of(document)) fields[entry.key()] = entry.value();
        objects::keep(in.model, kind, space, name, json::serialize(fields));
        result.out += fmt::format("{}/{} serverside-applied\n", kind, name);
    }
    return result;
}

CommandResult label(Invocation& in, const Query& query) {
    const std::string& node = query.words[2];
    if (!node_is_there(in, node)) return not_found("nodes", node);
    json::object labels = fields_of(in.model, objects::path(in.model, "Node", "", node));
    for (std::size_t i = 3; i < query.words.size(); ++i) {
        const std::size_t equals = query.words[i].find('=');
        if (equals == std::string::npos) return failed(1, "error: not simulated\n");
        labels[query.words[i].substr(0, equals)] = query.words[i].substr(equals + 1);
    }
    objects::keep(in.model, "Node", "", node, json::serialize(labels));
    return printed(fmt::format("node/{} labeled\n", node));
}

CommandResult wait(Invocation& in, const Query& query) {
    const std::string node = query.words[2].substr(query.words[2].find('/') + 1);
    const bool created = query.words[1] == "--for=create";
    const bool holds = created ? node_is_there(in, node) : node_is_ready(in, node);
    if (holds) return get_node(in, node);
    return failed(1, fmt::format("error: timed out waiting for the condition on nodes/{}\n", node));
}

// A kubelet that does not run says nothing of its node any more.
std::vector<std::string_view> ready_of_nodes(const Invocation& in) {
    const std::string folder = objects::path(in.model, "Node", "", "");
    std::vector<std::string_view> out;
    for (const std::string& path : in.model.names(Section::file, folder)) {
        if (in.model.file(path)->folder) continue;
        const std::string node = path.substr(folder.size());
        const bool speaks = in.elsewhere.kubelet_runs(node);
        out.push_back(!speaks ? "Unknown" : node_is_ready(in, node) ? "True" : "False");
    }
    return out;
}

CommandResult get_nodes(const Invocation& in) {
    std::string out;
    for (const std::string_view ready : ready_of_nodes(in)) out += fmt::format("{}\n", ready);
    return printed(std::move(out));
}

CommandResult rollout(Invocation& in, const Query& query) {
    const std::size_t slash = query.words[2].find('/');
    const std::string name = query.words[2].substr(slash + 1);
    const std::string kind = query.words[2].starts_with("daemonset") ? "DaemonSet" : "Deployment";
    if (!objects::has(in.model, kind, query.space, name)) return not_found(kind, name);
    const std::vector<std::string_view> nodes = ready_of_nodes(in);
    const bool waits = kind == "DaemonSet" && std::ranges::count(nodes, "Unknown") > 0;
    if (waits) return failed(1, "error: timed out waiting for the condition\n");
    return printed(fmt::format("{} \"{}\" successfully rolled out\n", kind, name));
}

// Rolled out as soon as it is written, where a kubelet runs: the numbers that say so.
json::object workload(const Invocation& in, const objects::Named& one) {
    const std::vector<std::string_view> nodes = ready_of_nodes(in);
    const auto ready = std::ranges::count(nodes, "True");
    json::object status = {{"observedGeneration", 1}};
    if (one.kind == "DaemonSet") {
        status["desiredNumberScheduled"] = nodes.size();
        status["updatedNumberScheduled"] = status["numberAvailable"] = ready;
    } else {
        status["replicas"] = status["updatedReplicas"] = status["availableReplicas"] = 2;
    }
    return {
        {"kind", one.kind},
        {"metadata", json::object{{"name", one.name}, {"namespace", one.space}, {"generation", 1}}},
        {"spec", json::object{{"replicas", 2}}},
        {"status", std::move(status)}};
}

// As kubectl prints them: one as it is, several as a list.
CommandResult get_workloads(const Invocation& in, const Query& query) {
    json::array found;
    for (const objects::Named& one : objects::items_of(in.command.input, query.space)) {
        if (objects::has(in.model, one.kind, one.space, one.name))
            found.push_back(workload(in, one));
    }
    if (found.empty()) return printed("");
    if (found.size() == 1) return printed(json::serialize(found[0]) + "\n");
    return printed(json::serialize(json::object{{"kind", "List"}, {"items", std::move(found)}}) +
                   "\n");
}

CommandResult patch_daemon_set(Invocation& in, const Query& query) {
    if (!objects::has(in.model, "DaemonSet", query.space, query.words[2]))
        return not_found("daemonsets", query.words[2]);
    objects::keep(in.model, "DaemonSet", query.space, query.words[2], in.command.input);
    return printed(fmt::format("daemonset/{} patched\n", query.words[2]));
}

// What is null in the patch goes.
CommandResult patch_configmap(Invocation& in, const Query& query) {
    const std::string path = objects::path(in.model, "ConfigMap", query.space, query.words[2]);
    if (in.model.file(path) == nullptr) return not_found("configmaps", query.words[2]);
    json::object data = fields_of(in.model, path);
    const json::value patch = parse_json(in.command.input, "a simulated patch");
    for (const auto& [key, value] : patch.at("data").as_object()) {
        if (value.is_null())
            data.erase(key);
        else
            data[key] = value;
    }
    objects::keep(in.model, "ConfigMap", query.space, query.words[2], json::serialize(data));
    return printed(fmt::format("configmap/{} patched\n", query.words[2]));
}

// What kubeadm's configuration says of one component.
std::string section_of(const std::string& config, const std::string& name) {
    static const std::map<std::string, std::string> kSections = {
        {"etcd", "etcd:"},
        {"kube-apiserver", "apiServer:"},
        {"kube-controller-manager", "controllerManager:"},
        {"kube-scheduler", "scheduler:"}};
    std::string out;
    bool inside = false;
    for (const std::string& line : split(config, '\n')) {
        if (!line.starts_with(' ')) inside = line == kSections.at(name);
        if (inside) out += line + "\n";
    }
    return out;
}

// Arguments no program knows stand in the manifest: from them it is seen not to start.
CommandResult control_plane_manifests(Invocation& in, const std::vector<std::string>& names) {
    const std::string config = file_content(in.model, objects::kKubeadmConfig);
    for (const std::string& name : names) {
        std::string text = fmt::format("# simulated {} of {}\n", name, sha256_hex(config));
        if (!objects::starts_with(section_of(config, name))) text += "# with a no-such-argument\n";
        machine::write_file(in.model, fmt::format("{}{}.yaml", objects::kManifests, name),
                            FileState{.content = text, .mode = 0600});
    }
    return printed(fmt::format("[phase] wrote {}\n", join(names, ", ")));
}

CommandResult into_cluster(Invocation& in, std::string_view object) {
    if (!api_answers(in.model)) return no_answer();
    in.model.touch();
    if (object == "kube-proxy")
        objects::keep(in.model, "DaemonSet", "kube-system", "kube-proxy", "");
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

// Static pods, as long as a kubelet runs: their ids follow their manifests.
CommandResult list_containers(const Model& model) {
    json::array containers;
    const std::string folder(objects::kManifests);
    for (const std::string& path : model.names(Section::file, folder)) {
        if (!path.ends_with(".yaml")) continue;
        const std::string id = sha256_hex(model.file(path)->content);
        const std::string name = path.substr(folder.size(), path.size() - folder.size() - 5);
        if (!objects::pod_runs(model, name)) continue;
        containers.push_back(
            json::object{{"id", id},
                         {"metadata", json::object{{"name", name}}},
                         {"labels", json::object{{"io.kubernetes.pod.uid", id},
                                                 {"io.kubernetes.pod.namespace", "kube-system"}}}});
    }
    return printed(json::serialize(json::object{{"containers", std::move(containers)}}) + "\n");
}

}  // namespace

CommandResult kubectl(Invocation& in) {
    const Query query = query_of(in.args);
    const std::vector<std::string>& words = query.words;
    if (!words.empty() && words[0] == "label" && words.size() == 2) return label_local(in);
    if (!api_answers(in.model)) return no_answer();
    const auto begins = [&](std::string_view verb, std::string_view what) {
        return words.size() > 2 && words[0] == verb && (what.empty() || words[1] == what);
    };
    if (begins("get", "--raw")) return printed("ok");
    if (begins("get", "node")) return get_node(in, words[2]);
    if (words.size() == 2 && words[1] == "nodes") return get_nodes(in);
    if (begins("get", "configmap")) return get_configmap(in, query);
    if (begins("patch", "configmap")) return patch_configmap(in, query);
    if (begins("patch", "daemonset")) return patch_daemon_set(in, query);
    if (begins("label", "node")) return label(in, query);
    if (begins("wait", "")) return wait(in, query);
    if (begins("rollout", "status")) return rollout(in, query);
    if (begins("delete", "node")) {
        in.model.remove({Section::file, objects::path(in.model, "Node", "", words[2])});
        return printed(fmt::format("node \"{}\" deleted\n", words[2]));
    }
    if (!words.empty() && words[0] == "delete") return kubectl_delete(in, words, query.space);
    if (!words.empty() && words[0] == "apply")
        return in.command.input.starts_with('{') ? apply_list(in, query.space) : apply(in);
    if (words.size() == 1 && words[0] == "get" && query.output == "json")
        return get_workloads(in, query);
    if (!words.empty() && words[0] == "get") return get_list(in, words, query.space);
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

// Of the member on this machine; whether the others run is not asked. systemd says of a service
// that ends again and again that it is about to start, which counts as active.
CommandResult etcdctl(Invocation& in) {
    const bool health = std::ranges::find(in.args, "health") != in.args.end();
    if (!health) return failed(1, "Error: only 'endpoint health' is simulated\n");
    const bool service =
        machine::unit(in.model, "etcd").active &&
        objects::starts_with(file_content(in.model, "/etc/systemd/system/etcd.service"));
    if (!service && !objects::pod_runs(in.model, "etcd"))
        return failed(1, "Error: unhealthy cluster\n");
    return printed("https://127.0.0.1:2379 is healthy\n");
}

CommandResult crictl(Invocation& in) {
    if (!machine::unit(in.model, "containerd").active)
        return failed(1, "validate service connection: connect: connection refused\n");
    std::vector<std::string> words(in.args.begin(), in.args.end());
    while (words.size() > 2 && (words[0] == "-r" || words[0] == "--timeout"))
        words.erase(words.begin(), words.begin() + 2);
    if (words.empty()) return failed(1, "crictl: no command\n");
    if (words[0] == "images") return list_images(in.model);
    if (words[0] == "ps") return list_containers(in.model);
    if (words[0] == "exec" && words.size() > 2 && words[2] == "etcdctl") return etcdctl(in);
    if (words[0] == "pods" || words[0] == "rmp") return {};  // pods are not simulated
    if (words[0] != "pull" || words.size() != 2) return failed(1, "crictl: not simulated\n");
    machine::write_file(in.model, images_folder(in.model) + words[1],
                        FileState{.content = words[1] + "\n", .mode = 0600});
    return printed("Image is up to date\n");
}

}  // namespace slipway::remote::commands
