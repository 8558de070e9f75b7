// Who this machine is: names and numbers that must differ between machines, and how we came here.
#include "agent/facts/lines.hpp"
#include "agent/facts/topics.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include <stdlib.h>
#include <unistd.h>

namespace slipway::agent {

namespace {

std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

// "" on a machine that is none; the names are systemd-detect-virt's.
std::string container_kind(const Root& root) {
    if (std::string told = root.line("/run/systemd/container"); !told.empty()) return told;
    // Of process 1; separated by NULs. Only root may read it.
    std::string environment = root.read("/proc/1/environ", 64u << 10);
    std::replace(environment.begin(), environment.end(), '\0', '\n');
    const auto variables = assignments(environment);
    const auto told = variables.find("container");
    if (told != variables.end() && !told->second.empty()) return told->second;
    if (root.exists("/.dockerenv")) return "docker";
    if (root.exists("/run/.containerenv")) return "podman";
    return "";
}

std::string hypervisor_kind(const Root& root) {
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 13> kVendors{{
        {"KVM", "kvm"},
        {"OpenStack", "kvm"},
        {"KubeVirt", "kvm"},
        {"Amazon EC2", "amazon"},
        {"Google Compute Engine", "google"},
        {"QEMU", "qemu"},
        {"VMware", "vmware"},
        {"VMW", "vmware"},
        {"innotek GmbH", "oracle"},
        {"VirtualBox", "oracle"},
        {"Xen", "xen"},
        {"Bochs", "bochs"},
        {"Parallels", "parallels"},
    }};
    const bool has_guest_flag =
        root.read("/proc/cpuinfo", 16u << 10).find(" hypervisor") != std::string::npos;
    for (const char* file : {"product_name", "sys_vendor", "board_vendor", "bios_vendor"}) {
        const std::string text = root.line(std::string("/sys/class/dmi/id/") + file);
        for (const auto& [vendor, kind] : kVendors) {
            // QEMU is what a guest of KVM says as well; the processor tells them apart.
            if (text.starts_with(vendor)) {
                return std::string(kind == "qemu" && has_guest_flag ? "kvm" : kind);
            }
        }
        if (text.starts_with("Microsoft") && has_guest_flag) return "microsoft";
    }
    if (const std::string type = root.line("/sys/hypervisor/type"); !type.empty()) return type;
    return has_guest_flag ? "vm-other" : "";
}

std::string init_name(const Root& root) {
    return root.is_folder("/run/systemd/system") ? "systemd" : root.line("/proc/1/comm");
}

// /etc/passwd itself: a static program cannot ask the name service.
std::string user_name(const Root& root, uid_t uid) {
    const std::string wanted = ":" + std::to_string(uid) + ":";
    std::string found;
    each_line(root.read("/etc/passwd"), [&](std::string_view line) {
        const std::size_t name_end = line.find(':');
        const std::size_t uid_begin = line.find(':', name_end + 1);
        if (name_end == std::string_view::npos || uid_begin == std::string_view::npos) return;
        if (found.empty() && line.substr(uid_begin).starts_with(wanted))
            found = line.substr(0, name_end);
    });
    return found.empty() ? std::to_string(uid) : found;
}

}  // namespace

void write_identity(JsonWriter& json, const Root& root) {
    const std::string container = container_kind(root);
    json.member("hostname", root.line("/proc/sys/kernel/hostname"));
    json.member("machineId", root.line("/etc/machine-id"));
    // A container sees the number of the machine below it, which says nothing about itself.
    json.member("productUuid",
                container.empty() ? lower(root.line("/sys/class/dmi/id/product_uuid")) : "");
    json.member("bootId", root.line("/proc/sys/kernel/random/boot_id"));
    json.member("virtualization", container.empty() ? hypervisor_kind(root) : container);
    json.member("init", init_name(root));
    json.member("uptimeSeconds", number(root.line("/proc/uptime")));

    const char* sudo_user = ::getenv("SUDO_USER");
    const bool through_sudo = sudo_user != nullptr && *sudo_user != '\0';
    json.member("loginUser", through_sudo ? sudo_user : user_name(root, ::getuid()));
    // Whether sudo wanted a password is known to who typed it.
    json.member("rootBy", ::geteuid() != 0 ? "" : through_sudo ? "sudo" : "root");
}

}  // namespace slipway::agent
