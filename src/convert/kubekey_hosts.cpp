#include "base/text.hpp"
#include "convert/formats.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include <fmt/format.h>

namespace slipway::convert {

namespace {

// Of all ranges of a file together; far more hosts than a spec takes.
constexpr int kMostInRanges = 20'000;

// What a host was called in the file, and what it is called in the spec.
struct Known {
    Draft* host = nullptr;
    std::set<std::string> roles = {};
};
using Hosts = std::map<std::string, Known>;

std::optional<int> whole_number(std::string_view text) {
    constexpr int kMost = 1'000'000;
    int out = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), out);
    const bool good =
        failure == std::errc() && end == text.data() + text.size() && out >= 0 && out <= kMost;
    return good ? std::optional(out) : std::nullopt;
}

// node[2:4] is node2, node3, node4; anything else is a name. Empty when the range makes no sense.
std::vector<std::string> expand(const std::string& name, int& budget) {
    const std::size_t open = name.find('[');
    const std::size_t colon = name.find(':');
    if (open == std::string::npos || colon == std::string::npos || colon < open ||
        !name.ends_with(']'))
        return {name};
    const auto first = whole_number(std::string_view(name).substr(open + 1, colon - open - 1));
    const auto last =
        whole_number(std::string_view(name).substr(colon + 1, name.size() - colon - 2));
    std::vector<std::string> out;
    if (!first || !last || *last < *first || *last - *first >= budget) return out;
    budget -= *last - *first;
    for (int i = *first; i <= *last; ++i) out.push_back(name.substr(0, open) + std::to_string(i));
    return out;
}

std::string role_of(const std::string& group) {
    if (group == "master" || group == "control-plane") return "control-plane";
    return group == "etcd" || group == "worker" || group == "registry" ? group : "";
}

// A host may have one address for each family; the spec takes one.
void read_internal_address(Mapper& map, Draft& host, const View& address) {
    const std::string text = address.text();
    const std::size_t comma = text.find(',');
    if (comma == std::string::npos) return map.text(host.at("internalAddress"), address);
    host.at("internalAddress").set(std::string(trim(text.substr(0, comma))), address);
    address.remark("a host has one address in the spec; the first was taken");
}

void read_login(Mapper& map, Draft& host, const View& from, const std::string& name) {
    map.number(host.at("port"), from["port"]);
    map.text(host.at("user"), from["user"]);
    const View file = from["privateKeyPath"];
    if (from["privateKey"].is_nothing())
        map.text(host.at("key.file"), file);
    else
        Mapper::lacks(file, "privateKey is given too, and is used");
    map.secret(host.at("key"), from["privateKey"], "ssh-key-" + name, Encoding::plain);
    map.secret(host.at("password"), from["password"], "ssh-password-" + name, Encoding::plain);
    // KubeKey answers sudo's question with the password of the login.
    if (!from["user"].is_nothing() && from["user"].text() != "root")
        map.secret(host.at("become.password"), from["password"], "ssh-password-" + name,
                   Encoding::plain);
}

void read_host(Mapper& map, const View& from, Hosts& hosts) {
    const View name = from["name"];
    if (name.is_nothing() || !name.is_scalar() || hosts.contains(name.text()))
        return from.refuse(name.is_nothing() ? "a host without a name"
                                             : "another host has the same name");
    Draft& host = map.draft.at("hosts").item();
    hosts.emplace(name.text(), Known{&host});
    const std::string own = Mapper::name_of(name.text(), "host");
    host.at("name").set(own, name);
    if (own != name.text())
        name.remark(fmt::format("names are lower-case words: it is {} now", own));
    // Each of the two stands for the other when that is not set.
    const bool both = !from["address"].is_nothing();
    map.text(host.at("address"), both ? from["address"] : from["internalAddress"]);
    if (both) read_internal_address(map, host, from["internalAddress"]);
    read_login(map, host, from, own);
    map.text(host.at("arch"), from["arch"]);
    map.text_map(host.at("labels"), from["labels"]);
    Mapper::lacks(from["timeout"], "how long a connection may take is Slipway's to say");
}

void read_member(const View& member, const std::string& role, Hosts& hosts, bool etcd_here,
                 int& budget) {
    std::vector<std::string> unknown;
    const std::vector<std::string> names = expand(member.text(), budget);
    if (names.empty()) return member.refuse("is a range without sense, or a very large one");
    for (const std::string& name : names) {
        const auto found = hosts.find(name);
        if (found == hosts.end()) {
            unknown.push_back(name);
            continue;
        }
        Known& known = found->second;
        if (role == "etcd" && !etcd_here) {
            if (known.roles.contains("control-plane")) continue;
            member.remark("etcd is not on hosts of its own (etcd.type), so the role is left out");
            continue;
        }
        if (known.roles.insert(role).second) known.host->at("roles").item().set(role, member);
    }
    member.agree();
    if (!unknown.empty())
        member.remark(fmt::format("no host is named {}", config::shown(join(unknown, ", "))));
}

std::set<std::string> names_in(const View& groups) {
    std::set<std::string> out;
    int budget = kMostInRanges;
    for (const auto& [group, members] : groups.entries()) {
        if (role_of(group).empty()) continue;
        for (const View& member : members.items()) {
            for (std::string& name : expand(member.text(), budget)) out.insert(std::move(name));
        }
    }
    return out;
}

void read_groups(const View& groups, Hosts& hosts, bool etcd_here) {
    int budget = kMostInRanges;
    // Control planes first: whether a member of etcd is one decides what its role means.
    for (const bool etcd : {false, true}) {
        for (const auto& [group, members] : Mapper::entries(groups)) {
            const std::string role = role_of(group);
            if ((role == "etcd") != etcd) continue;
            if (role.empty()) {
                members.refuse("roles are control-plane, etcd, worker and registry");
                continue;
            }
            for (const View& member : Mapper::items(members)) {
                if (member.is_scalar()) read_member(member, role, hosts, etcd_here, budget);
            }
        }
    }
}

// A v4 host: what connects to it is under `connector`.
void read_inventory_host(Mapper& map, const std::string& name, const View& from, Hosts& hosts) {
    Draft& host = map.draft.at("hosts").item();
    hosts.emplace(name, Known{&host});
    const std::string own = Mapper::name_of(name, "host");
    host.at("name").set(own);
    if (own != name) from.remark(fmt::format("names are lower-case words: it is {} now", own));
    const View connector = from["connector"];
    const bool local = connector["type"].text() == "local";
    if (local)
        host.at("address").set("local", connector["type"]);
    else
        Mapper::expect(connector["type"], "ssh", "hosts are reached over SSH");
    map.text(host.at(local ? "internalAddress" : "address"),
             connector["host"].is_nothing() ? from["internal_ipv4"] : connector["host"]);
    if (!connector["host"].is_nothing() && !local)
        map.text(host.at("internalAddress"), from["internal_ipv4"]);
    map.number(host.at("port"), connector["port"]);
    map.text(host.at("user"), connector["user"]);
    const bool content = !connector["private_key_content"].is_nothing();
    if (content)
        Mapper::lacks(connector["private_key"], "the key itself is given too, and is used");
    else
        map.text(host.at("key.file"), connector["private_key"]);
    map.secret(host.at("key"), connector["private_key_content"], "ssh-key-" + own, Encoding::plain);
    map.secret(host.at("password"), connector["password"], "ssh-password-" + own, Encoding::plain);
    map.text(host.at("arch"), from["arch"]);
}

}  // namespace

void read_kubekey_hosts(Mapper& map, const View& spec) {
    Hosts hosts;
    const View groups = spec["roleGroups"];
    const std::set<std::string> grouped = names_in(groups);
    for (const View& host : Mapper::items(spec["hosts"])) {
        if (grouped.contains(host["name"].text()))
            read_host(map, host, hosts);
        else
            host.refuse("is in no group of roles, so it is left out");
    }
    const std::string type = spec["etcd"]["type"].text();
    read_groups(groups, hosts, type.empty() || type == "kubekey");
}

void read_kubekey_inventory(Mapper& map, const View& root) {
    root["apiVersion"].agree();
    root["kind"].agree();
    map.name_cluster(root["metadata"]["name"], "cluster");
    const View spec = root["spec"];
    Hosts hosts;
    for (const auto& [host, from] : spec["hosts"].entries()) {
        if (from.is_map()) read_inventory_host(map, host, from, hosts);
    }
    static constexpr std::pair<const char*, const char*> kGroups[] = {
        {"kube_control_plane", "control-plane"},
        {"kube_worker", "worker"},
        {"etcd", "etcd"},
        {"image_registry", "registry"}};
    const View groups = spec["groups"];
    int budget = kMostInRanges;
    for (const auto& [group, role] : kGroups) {
        for (const View& member : Mapper::items(groups[group]["hosts"])) {
            if (member.is_scalar()) read_member(member, role, hosts, true, budget);
        }
    }
    if (!groups["etcd"]["hosts"].is_nothing()) map.draft.at("etcd.mode").set("managed");
    groups["k8s_cluster"].agree();
}

void read_kubekey_config(Mapper& map, const View& root) {
    root["apiVersion"].agree();
    root["kind"].agree();
    const View spec = root["spec"];
    const View kubernetes = spec["kubernetes"];
    read_version(map, kubernetes["kube_version"].is_there() ? kubernetes["kube_version"]
                                                            : kubernetes["version"]);
    Mapper::expect(spec["cri"]["container_manager"], "containerd", "the runtime is containerd");
    map.notes.push_back(
        "the Config of KubeKey's fourth version has no fixed form: only the version of Kubernetes "
        "was "
        "taken from it");
}

}  // namespace slipway::convert
