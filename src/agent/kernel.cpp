#include "agent/facts/modules.hpp"
#include "agent/machine.hpp"
#include "agent/process.hpp"
#include "agent/system.hpp"

#include <cerrno>
#include <sstream>

#include <fcntl.h>
#include <unistd.h>

namespace slipway::agent {

namespace {

// net.ipv4.ip_forward -> /proc/sys/net/ipv4/ip_forward. Where the first separator is a dot, a slash
// inside a part stands for a dot of its name (eth0.100), as sysctl(8) has it.
std::string sysctl_path(std::string key) {
    const std::size_t first = key.find_first_of("./");
    if (key.empty() || first == std::string::npos || key.find("..") != std::string::npos ||
        key.find('\0') != std::string::npos || key.front() == '/' || key.front() == '.')
        throw Failed("bad-request", "'" + key + "' is no name of a kernel setting");
    if (key[first] == '.') {
        for (char& c : key) c = c == '.' ? '/' : c == '/' ? '.' : c;
    }
    return "/proc/sys/" + key;
}

}  // namespace

wire::Found sysctl_value(const std::string& key) {
    const std::optional<std::string> text = read_text(sysctl_path(key));
    return {.found = text.has_value(), .text = text.value_or("")};
}

void set_sysctl(const std::string& key, const std::string& value) {
    const int fd = ::open(sysctl_path(key).c_str(), O_WRONLY | O_CLOEXEC);
    if (fd < 0) fail_with_errno("set", key);
    const std::string line = value + "\n";
    const ssize_t n = ::write(fd, line.data(), line.size());
    const int error = errno;
    ::close(fd);
    errno = error;
    if (n != static_cast<ssize_t>(line.size())) fail_with_errno("set", key + " to " + value);
}

bool module_loaded(const std::string& name) {
    if (name.empty() || name.front() == '-' || name.find('/') != std::string::npos)
        throw Failed("bad-request", "'" + name + "' is no name of a kernel module");
    const Root machine;
    const std::string state = Modules(machine).state(name);
    return state == "loaded" || state == "builtin";
}

void set_module(const wire::Switch& wanted, Request& request) {
    if (wanted.on == module_loaded(wanted.name)) return;
    if (wanted.on) {
        need_tool({"modprobe", "--", wanted.name}, request);
    } else {
        need_tool({"modprobe", "--remove", "--", wanted.name}, request);
    }
}

std::vector<std::string> swap_devices() {
    std::vector<std::string> out;
    std::istringstream lines(read_text("/proc/swaps").value_or(""));
    std::string line;
    std::getline(lines, line);  // headings
    while (std::getline(lines, line)) {
        const std::string device = unescape_octal(line.substr(0, line.find_first_of(" \t")));
        if (!device.empty()) out.push_back(device);
    }
    return out;
}

void set_swap(const wire::Switch& wanted, Request& request) {
    need_tool({wanted.on ? "swapon" : "swapoff", "--", wanted.name}, request);
}

std::map<std::string, std::string> mounts() {
    std::map<std::string, std::string> out;
    std::istringstream lines(read_text("/proc/self/mounts").value_or(""));
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string source, folder;
        if (words >> source >> folder) out[unescape_octal(folder)] = unescape_octal(source);
    }
    return out;
}

}  // namespace slipway::agent
