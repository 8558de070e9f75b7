#include "base/error.hpp"
#include "cluster/resources/kinds.hpp"

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

std::vector<std::string> strings_at(const json::object& object, std::string_view key) {
    std::vector<std::string> out;
    const json::value* list = object.if_contains(key);
    if (!list || !list->is_array()) return out;
    for (const json::value& item : list->as_array()) {
        if (item.is_string()) out.emplace_back(std::string_view(item.as_string()));
    }
    return out;
}

Activation activation_of(const json::object& identity) {
    return {.unit = string_at(identity, "unit"),
            .command = strings_at(identity, "command"),
            .undo_command = strings_at(identity, "undo_command")};
}

}  // namespace

ResourcePtr resource_from_identity(const json::object& identity) {
    const std::string kind = string_at(identity, "kind");
    const std::string name = string_at(identity, "name");
    if (kind == "file") return file(name, {});
    if (kind == "block in") return text_block(name, "");
    if (kind == "configuration") return activated_file(name, "", activation_of(identity));
    if (kind == "configuration in") return activated_block(name, "", activation_of(identity));
    if (kind == "folder") return folder(name, 0755);
    if (kind == "hostname") return hostname("");
    if (kind == "kernel module") return kernel_module(name);
    if (kind == "sysctl") return sysctl(name, "");
    if (kind == "swap") return no_swap();
    if (kind == "unit") return running_unit(name);
    if (kind == "user") return user(name, {});
    if (kind == "selinux") return selinux_mode("");
    if (kind == "timezone") return timezone("");
    if (kind == "firewalld service") return firewalld_service(name);
    if (kind == "ufw profile") return ufw_profile(name);
    if (kind == "program") return fetched_file(name, {});
    if (kind == "upload") return uploaded_file(name, {});
    if (kind == "archive in")
        return unpacked_archive(string_at(identity, "folder"),
                                {.label = string_at(identity, "label")}, {});
    if (kind == "folder of data")
        return bool_at(identity, kKeep) ? kept_folder(name) : filled_folder(name);
    if (kind == "folder of a program") return left_folder(name);
    if (kind == "certificate")
        return certificate({.certificate = name, .key = string_at(identity, "key")}, nullptr);
    if (kind == "kubeconfig") return kubeconfig_file({.path = name}, nullptr);
    if (kind == "secret file") return vault_file({.path = name});
    if (kind == "files of")
        return made_files({.name = name, .files = strings_at(identity, "files")});
    if (kind == "first link") return link_once(name, "");
    if (kind == "packages") return os_packages({});
    if (kind == "pods of the node") return pods_of_node();
    if (kind == "network of pods") return pod_network();
    throw StateError(
        "STATE-NEWER",
        fmt::format("the journal records a '{}', which this Slipway does not know", kind),
        {.cause = "a newer Slipway made the run", .remedy = "use that version, or a newer one"});
}

}  // namespace slipway::cluster
