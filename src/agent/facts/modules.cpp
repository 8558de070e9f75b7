#include "agent/facts/modules.hpp"

#include "agent/facts/lines.hpp"

#include <algorithm>
#include <array>

namespace slipway::agent {

namespace {

using Names = std::set<std::string, std::less<>>;

std::string with_underscores(std::string_view name) {
    std::string out(name);
    std::replace(out.begin(), out.end(), '-', '_');
    return out;
}

// kernel/net/bridge/br_netfilter.ko.xz -> br_netfilter
std::string name_in_path(std::string_view path) {
    path.remove_prefix(path.rfind('/') + 1);
    return with_underscores(path.substr(0, path.find(".ko")));
}

// A file that is only there when the part of the kernel is. Needed for what is built in: such parts
// show in /sys/module only when they have parameters, and a machine that shares another's kernel
// has no list of them.
struct Sign {
    std::string_view module;
    std::string_view file;
};
constexpr std::array<Sign, 6> kSigns{{
    {"br_netfilter", "/proc/sys/net/bridge/bridge-nf-call-iptables"},
    {"ip6_tables", "/proc/net/ip6_tables_names"},
    {"ip_tables", "/proc/net/ip_tables_names"},
    {"ip_vs", "/proc/net/ip_vs"},
    {"nf_conntrack", "/proc/sys/net/netfilter/nf_conntrack_max"},
    {"tun", "/dev/net/tun"},
}};

bool shows_itself(const Root& root, const std::string& name) {
    if (root.exists("/sys/module/" + name)) return true;
    for (const Sign& sign : kSigns) {
        if (sign.module == name) return root.exists(sign.file);
    }
    return root.read("/proc/filesystems").find("\t" + name + "\n") != std::string::npos;
}

}  // namespace

std::string Modules::folder() const {
    return "/lib/modules/" + root_.line("/proc/sys/kernel/osrelease");
}

const Names& Modules::loaded() {
    if (loaded_) return *loaded_;
    loaded_.emplace();
    each_line(root_.read("/proc/modules"), [&](std::string_view line) {
        loaded_->insert(with_underscores(line.substr(0, line.find(' '))));
    });
    return *loaded_;
}

const Names& Modules::builtin() {
    if (builtin_) return *builtin_;
    builtin_.emplace();
    each_line(root_.read(folder() + "/modules.builtin"),
              [&](std::string_view line) { builtin_->insert(name_in_path(trimmed(line))); });
    return *builtin_;
}

const Names& Modules::available() {
    if (available_) return *available_;
    available_.emplace();
    each_line(root_.read(folder() + "/modules.dep"), [&](std::string_view line) {
        available_->insert(name_in_path(line.substr(0, line.find(':'))));
    });
    return *available_;
}

std::string Modules::state(std::string_view name) {
    const std::string wanted = with_underscores(name);
    if (wanted.empty() || wanted.find('/') != std::string::npos) return "absent";
    if (loaded().contains(wanted)) return "loaded";
    if (builtin().contains(wanted) || shows_itself(root_, wanted)) return "builtin";
    return available().contains(wanted) ? "available" : "absent";
}

bool Modules::safe_to_ask(std::string_view name) {
    if (!root_.exists("/proc/modules")) return true;
    const std::string found = state(name);
    return found == "loaded" || found == "builtin";
}

}  // namespace slipway::agent
