#include "agent/process.hpp"
#include "agent/system.hpp"

#include <array>

#include <unistd.h>

namespace slipway::agent {

namespace {

enum class Manager { apt, dnf, yum, zypper };

bool there(const char* program) { return ::access(program, X_OK) == 0; }

Manager manager() {
    if (there("/usr/bin/apt-get")) return Manager::apt;
    if (there("/usr/bin/dnf")) return Manager::dnf;
    if (there("/usr/bin/yum")) return Manager::yum;
    if (there("/usr/bin/zypper")) return Manager::zypper;
    throw Failed("no-tool", "the host has no package manager Slipway knows");
}

void check_names(const std::vector<std::string>& names) {
    for (const std::string& name : names) {
        if (name.empty() || name.front() == '-')
            throw Failed("bad-request", "'" + name + "' is no name of a package");
    }
}

using Words = std::vector<std::string>;

Words command(Manager which, bool install) {
    switch (which) {
        case Manager::apt: {
            Words words = {"apt-get",
                           "-q",
                           "-y",
                           "-o",
                           "DPkg::Lock::Timeout=120",
                           "-o",
                           "Dpkg::Options::=--force-confdef",
                           "-o",
                           "Dpkg::Options::=--force-confold"};
            if (install) {
                words.insert(words.end(), {"--no-install-recommends", "install", "--"});
            } else {
                words.insert(words.end(), {"purge", "--"});
            }
            return words;
        }
        case Manager::dnf: return {"dnf", "-q", "-y", install ? "install" : "remove", "--"};
        case Manager::yum: return {"yum", "-q", "-y", install ? "install" : "remove", "--"};
        case Manager::zypper:
            return {"zypper", "-q", "--non-interactive", install ? "install" : "remove", "--"};
    }
    return {};
}

void change(Manager which, bool install, const Words& packages, Request& request) {
    if (packages.empty()) return;
    Words words = command(which, install);
    words.insert(words.end(), packages.begin(), packages.end());
    need_tool(std::move(words), request, {{"DEBIAN_FRONTEND", "noninteractive"}});
}

}  // namespace

std::string package_version(const std::string& name, Request& request) {
    check_names({name});
    if (manager() == Manager::apt) {
        const ToolResult result = run_tool(
            {"dpkg-query", "--show", "--showformat=${db:Status-Status} ${Version}", "--", name},
            request);
        constexpr std::string_view kInstalled = "installed ";
        if (result.code != 0 || !result.out.starts_with(kInstalled)) return "";
        return result.out.substr(kInstalled.size());
    }
    const ToolResult result = run_tool(
        {"rpm", "--query", "--queryformat", "%{VERSION}-%{RELEASE}\n", "--", name}, request);
    if (result.code != 0) return "";
    return result.out.substr(0, result.out.find('\n'));
}

void change_packages(const wire::ChangePackages& wanted, Request& request) {
    check_names(wanted.install);
    check_names(wanted.remove);
    const Manager which = manager();
    change(which, true, wanted.install, request);
    change(which, false, wanted.remove, request);
}

}  // namespace slipway::agent
