#include "registry/unit_file.hpp"

#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace slipway::registry {

namespace {

std::string doubled(const std::string& text, std::string_view which) {
    std::string out;
    for (const char c : text) {
        if (which.find(c) != std::string_view::npos) out += c;
        out += c;
    }
    return out;
}

// As systemd reads a word: quotes, backslashes and % mean something there.
std::string quoted(const std::string& word) {
    std::string out = "\"";
    for (const char c : doubled(word, "%")) {
        if (c == '"' || c == '\\') out += '\\';
        out += c;
    }
    return out + "\"";
}

// In ExecStart $ means something too.
std::string argument(const std::string& word) { return quoted(doubled(word, "$")); }

// Of "--tls-key".
std::string credential_name(const std::string& option) { return option.substr(2); }

}  // namespace

std::string unit_file(const UnitOptions& options) {
    std::string command = argument(options.program) + " " + options.command;
    for (const std::string& word : options.arguments) command += " " + argument(word);
    std::string folders;
    for (const auto& [option, file] : options.credentials) {
        const std::string name = credential_name(option);
        command += fmt::format(" {} \"${{CREDENTIALS_DIRECTORY}}/{}\"", argument(option), name);
        folders += fmt::format("LoadCredential={}:{}\n", name, doubled(file, "%"));
    }
    for (const std::string& folder : options.writable)
        folders += fmt::format("ReadWritePaths={}\n", quoted("-" + folder));
    const char* const capabilities = options.low_port ? "CAP_NET_BIND_SERVICE" : "";
    const std::string user = options.user.empty()
                                 ? fmt::format("User={}\nDynamicUser=yes", options.service)
                                 : "User=" + options.user;
    // What it starts is counted with it: no limit may be one that it alone can use up.
    folders += options.starts_others ? "KillMode=process\nTasksMax=infinity\n"
                                     : "MemoryMax=2G\nTasksMax=4096\n";
    return fmt::format(R"(# Written by slipway.
[Unit]
Description={}
Documentation={}
After=network-online.target
Wants=network-online.target

[Service]
Type=notify
ExecStart={}
Restart=always
RestartSec=1
TimeoutStopSec=30
LimitNOFILE=65536
{}
{}AmbientCapabilities={}
CapabilityBoundingSet={}
LockPersonality=yes
MemoryDenyWriteExecute=yes
NoNewPrivileges=yes
PrivateDevices=yes
PrivateTmp=yes
ProtectClock=yes
ProtectControlGroups=yes
ProtectHome=read-only
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectProc=invisible
ProtectSystem=strict
RemoveIPC=yes
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
StateDirectory={}
StateDirectoryMode=0700
SystemCallArchitectures=native
SystemCallErrorNumber=EPERM
SystemCallFilter=@system-service
SystemCallFilter=~@privileged @resources
UMask=0077

[Install]
WantedBy=multi-user.target
)",
                       options.description, options.documentation, command, user, folders,
                       capabilities, capabilities, options.service);
}

void notify_systemd(const std::string& state) {
    const char* const where = std::getenv("NOTIFY_SOCKET");
    if (where == nullptr || (*where != '/' && *where != '@')) return;
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::size_t size = std::strlen(where);
    if (size >= sizeof(address.sun_path)) return;
    std::memcpy(address.sun_path, where, size);
    if (*where == '@') address.sun_path[0] = '\0';
    const int socket = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (socket < 0) return;
    ::sendto(socket, state.data(), state.size(), MSG_NOSIGNAL,
             reinterpret_cast<const sockaddr*>(&address),
             static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + size));
    ::close(socket);
}

}  // namespace slipway::registry
