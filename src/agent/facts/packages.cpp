// The package manager, whether someone is using it, and the container runtimes that are installed.
#include "agent/facts/lines.hpp"
#include "agent/facts/topics.hpp"
#include "agent/tool_output.hpp"
#include "base/files.hpp"

#include <array>
#include <chrono>

#include <fcntl.h>

namespace slipway::agent {

namespace {

constexpr std::array kPath = {"/usr/local/sbin/", "/usr/local/bin/", "/usr/sbin/",
                              "/usr/bin/",        "/sbin/",          "/bin/"};

std::string find_program(const Root& root, const std::string& name) {
    if (name.empty()) return "";
    if (name.front() == '/') return root.is_program(name) ? name : "";
    for (const char* folder : kPath) {
        if (root.is_program(folder + name)) return folder + name;
    }
    return "";
}

std::string package_manager(const Root& root) {
    for (const auto& [program, name] : {std::pair{"apt-get", "apt"}, std::pair{"dnf", "dnf"},
                                        std::pair{"yum", "yum"}, std::pair{"zypper", "zypper"}}) {
        if (!find_program(root, program).empty()) return name;
    }
    return "";
}

// Whether another process holds the lock; asking does not take it.
bool is_locked(const Root& root, std::string_view file) {
    const Fd fd(::open(root.path(file).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!fd) return false;
    struct flock lock{};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    return ::fcntl(fd.get(), F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

bool names_live_process(const Root& root, std::string_view file) {
    const std::int64_t pid = number(root.line(file));
    return pid > 0 && root.exists("/proc/" + std::to_string(pid));
}

bool is_busy(const Root& root) {
    for (const char* lock :
         {"/var/lib/dpkg/lock-frontend", "/var/lib/dpkg/lock", "/var/lib/apt/lists/lock",
          "/var/lib/rpm/.rpm.lock", "/usr/lib/sysimage/rpm/.rpm.lock"}) {
        if (is_locked(root, lock)) return true;
    }
    for (const char* holder : {"/run/yum.pid", "/run/zypp.pid", "/var/cache/dnf/metadata_lock.pid",
                               "/var/cache/dnf/download_lock.pid"}) {
        if (names_live_process(root, holder)) return true;
    }
    return false;
}

// 5:20.10.24~3-0~debian -> 20.10.24; text before the first digit is passed over.
std::string plain_version(std::string_view text) {
    const std::size_t epoch = text.find(':');
    if (epoch < 3) text.remove_prefix(epoch + 1);
    text.remove_prefix(std::min(text.size(), text.find_first_of("0123456789")));
    text = text.substr(0, text.find_first_not_of("0123456789."));
    while (text.ends_with('.')) text.remove_suffix(1);
    return std::string(text);
}

std::string debian_version(const Root& root, const std::string& package) {
    // The list of its files is there or not; the big file is read only when it is.
    if (!root.exists("/var/lib/dpkg/info/" + package + ".list")) return "";
    const std::string status = "\n" + root.read("/var/lib/dpkg/status", 64u << 20);
    const std::size_t at = status.find("\nPackage: " + package + "\n");
    if (at == std::string::npos) return "";
    const std::string_view entry =
        std::string_view(status).substr(at, status.find("\n\n", at) - at);
    constexpr std::string_view kVersion = "\nVersion: ";
    const std::size_t version = entry.find(kVersion);
    const bool installed = entry.find("\nStatus: ") != std::string_view::npos &&
                           entry.find(" installed\n") != std::string_view::npos;
    if (!installed || version == std::string_view::npos) return "";
    const std::string_view rest = entry.substr(version + kVersion.size());
    return plain_version(rest.substr(0, rest.find('\n')));
}

struct Runtime {
    const char* name;
    const char* program;
    std::array<const char*, 3> packages;
};
constexpr std::array<Runtime, 3> kRuntimes{{
    {"containerd", "containerd", {"containerd", "containerd.io", ""}},
    {"docker", "dockerd", {"docker.io", "docker-ce", "moby-engine"}},
    {"cri-o", "crio", {"cri-o", "", ""}},
}};

// Of one that no package database of ours knows: what it says itself.
std::string told_version(const Root& root, const std::string& program) {
    if (!root.is_machine()) return "";
    const auto out = tool_output({program, "--version"}, std::chrono::seconds(5), nullptr);
    // "containerd github.com/containerd/containerd v1.7.1 1677a17", "Docker version 20.10.24, …"
    for (const std::string_view word : words(out.value_or(""))) {
        const std::string_view digits = word.substr(word.starts_with('v') ? 1 : 0);
        const bool is_version =
            digits.find('.') != std::string_view::npos && digits.find_first_of("0123456789") == 0;
        if (is_version) return plain_version(digits);
    }
    return "";
}

std::vector<std::string> runtimes(const Root& root) {
    std::vector<std::string> out;
    for (const Runtime& runtime : kRuntimes) {
        const std::string program = find_program(root, runtime.program);
        if (program.empty()) continue;
        std::string version;
        for (const char* package : runtime.packages) {
            if (version.empty() && *package != '\0') version = debian_version(root, package);
        }
        if (version.empty()) version = told_version(root, program);
        out.push_back(version.empty() ? runtime.name : runtime.name + (" " + version));
    }
    return out;
}

}  // namespace

void write_packages(JsonWriter& json, const Root& root, const wire::FactsQuery& query) {
    std::map<std::string, std::string> commands;
    for (const std::string& name : query.commands) commands[name] = find_program(root, name);
    json.member("commands", commands);
    json.member("packageManager", package_manager(root));
    json.member("packageManagerBusy", is_busy(root));
    json.member("runtimes", runtimes(root));
}

}  // namespace slipway::agent
