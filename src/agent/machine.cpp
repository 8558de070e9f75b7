#include "agent/machine.hpp"

#include <cerrno>
#include <charconv>
#include <cstdlib>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

namespace slipway::agent {

namespace {

std::string architecture() {
    utsname name{};
    ::uname(&name);
    std::string machine = name.machine;
    if (machine == "x86_64") return "amd64";
    if (machine == "aarch64") return "arm64";
    return machine;
}

}  // namespace

wire::Hello hello() {
    return {.protocol = wire::kProtocolVersion,
            .arch = architecture(),
            .boot_id = boot_id(),
            .uid = ::geteuid(),
            .pid = ::getpid()};
}

std::string boot_id() { return read_text("/proc/sys/kernel/random/boot_id").value_or(""); }

std::string unescape_octal(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\\' && i + 3 < text.size()) {
            out += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 +
                                     (text[i + 3] - '0'));
            i += 3;
        } else {
            out += text[i];
        }
    }
    return out;
}

pid_t to_pid(std::string_view text) {
    pid_t pid = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), pid);
    return error == std::errc() && end == text.data() + text.size() ? pid : 0;
}

std::string state_folder() {
    const char* folder = ::getenv("SLIPWAY_AGENT_FOLDER");
    return folder == nullptr ? "/var/lib/slipway" : std::string(folder) + "/state";
}

std::string run_folder() {
    const char* folder = ::getenv("SLIPWAY_AGENT_FOLDER");
    return folder == nullptr ? "/run/slipway" : std::string(folder) + "/run";
}

bool has_systemd() {
    struct stat info{};
    return ::stat("/run/systemd/system", &info) == 0;
}

std::optional<std::string> read_text(const std::string& path) {
    constexpr std::size_t kLimit = 4u << 20;
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return std::nullopt;
    std::string out;
    char buffer[16384];
    while (out.size() < kLimit) {
        const ssize_t n = ::read(fd, buffer, sizeof buffer);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        out.append(buffer, static_cast<std::size_t>(n));
    }
    ::close(fd);
    if (out.ends_with('\n')) out.pop_back();
    return out;
}

}  // namespace slipway::agent
