// What may stand in the way of containers and their traffic: SELinux, AppArmor, firewalls.
#include "agent/facts/lines.hpp"
#include "agent/facts/services.hpp"
#include "agent/facts/topics.hpp"

namespace slipway::agent {

namespace {

std::string selinux(const Root& root) {
    const std::string enforce = root.line("/sys/fs/selinux/enforce");
    if (enforce == "1") return "enforcing";
    if (enforce == "0") return "permissive";
    return root.exists("/etc/selinux/config") ? "disabled" : "";
}

// ufw is a set of rules, not a process: what counts is its own switch.
std::string active_firewall(const Root& root) {
    if (is_running(root, "firewalld.service")) return "firewalld";
    const auto ufw = assignments(root.read("/etc/ufw/ufw.conf"));
    const auto enabled = ufw.find("ENABLED");
    const bool installed = root.is_program("/usr/sbin/ufw");
    return installed && enabled != ufw.end() && enabled->second == "yes" ? "ufw" : "";
}

}  // namespace

void write_security(JsonWriter& json, const Root& root, const Netfilter& netfilter) {
    json.member("selinux", selinux(root));
    json.member("apparmor", root.line("/sys/module/apparmor/parameters/enabled") == "Y");
    json.member("firewall", active_firewall(root));
    json.member("firewallRules", netfilter.rules);
}

}  // namespace slipway::agent
