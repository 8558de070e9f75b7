#include "remote/ssh/diagnose.hpp"

#include "base/text.hpp"

#include <array>

#include <fmt/format.h>

namespace slipway::remote {

namespace {

struct Reason {
    std::string_view sign;  // what the SSH client says
    const char* id;
    const char* cause;
    const char* remedy;
    Recovery recovery;
};

constexpr Recovery kFatal = Recovery::fatal;
constexpr Recovery kTransient = Recovery::transient;

// The first that fits counts, so the specific come before the general.
constexpr std::array<Reason, 22> kReasons = {{
    {"REMOTE HOST IDENTIFICATION HAS CHANGED", "HOST-KEY-CHANGED",
     "the host shows another key than the one that is trusted: it was installed anew, or someone "
     "is in between",
     "find out which; if the new key is right: slipway hosts trust -c SPEC --replace HOST", kFatal},
    {"host key is marked as revoked", "HOST-KEY-REVOKED", "its key is revoked in known_hosts",
     "give the host a new key, then: slipway hosts trust -c SPEC", kFatal},
    {"REVOKED HOST KEY", "HOST-KEY-REVOKED", "its key is revoked in known_hosts",
     "give the host a new key, then: slipway hosts trust -c SPEC", kFatal},
    {"Host key verification failed", "HOST-KEY-UNKNOWN", "its key is not trusted yet",
     "look at the fingerprints and accept them: slipway hosts trust -c SPEC", kFatal},
    {"host key is known for", "HOST-KEY-UNKNOWN", "its key is not trusted yet",
     "look at the fingerprints and accept them: slipway hosts trust -c SPEC", kFatal},
    {"UNPROTECTED PRIVATE KEY FILE", "HOST-KEY-FILE", "others may read the private key's file",
     "chmod 600 the key's file", kFatal},
    {"Load key", "HOST-KEY-FILE", "the private key cannot be used",
     "check the key's file and that its passphrase is in the SSH agent (ssh-add)", kFatal},
    {"Too many authentication failures", "HOST-LOGIN-REFUSED",
     "the SSH agent offered more keys than the host allows",
     "name the host's key in the spec (key: {file: …})", kFatal},
    {"Permission denied", "HOST-LOGIN-REFUSED", "the host accepts neither the key nor the password",
     "check user, key and password of the host in the spec; it was tried once only", kFatal},
    {"Could not resolve hostname", "HOST-NAME-UNKNOWN", "its name has no address",
     "check the address in the spec, or the name service", kFatal},
    {"Bad configuration option", "SSH-CONFIG", "the SSH client does not understand its settings",
     "repair the SSH configuration; Slipway needs OpenSSH 8.4 or newer", kFatal},
    {"no matching", "SSH-CONFIG", "client and host have no algorithm in common",
     "renew the host's SSH server, or allow its algorithms in your ssh_config", kFatal},
    {"Connection refused", "HOST-UNREACHABLE", "nothing listens on that port",
     "start the SSH server, or correct the port in the spec", kTransient},
    {"No route to host", "HOST-UNREACHABLE", "there is no way to its address",
     "check address, cable, VPN and firewall", kTransient},
    {"Network is unreachable", "HOST-UNREACHABLE", "there is no way to its address",
     "check address, cable, VPN and firewall", kTransient},
    {"timed out", "HOST-UNREACHABLE", "it does not answer",
     "check that the machine is on, its address, and firewalls in between", kTransient},
    {"Exceeded MaxStartups", "HOST-SSH-BUSY", "its SSH server takes no more connections for now",
     "raise MaxStartups in its sshd_config, or lower limits.parallelDials", kTransient},
    {"kex_exchange_identification", "HOST-SSH-BUSY",
     "its SSH server closed the connection before the login",
     "look whether it is overloaded (MaxStartups), or refuses this address", kTransient},
    {"Connection reset", "HOST-UNREACHABLE", "the connection was cut",
     "check the network and firewalls in between", kTransient},
    {"Connection closed", "HOST-SSH-BUSY", "its SSH server closed the connection",
     "look into its journal (journalctl -u ssh); it may be overloaded", kTransient},
    {"Broken pipe", "HOST-UNREACHABLE", "the connection was cut",
     "check the network and firewalls in between", kTransient},
    {"banner exchange", "HOST-UNREACHABLE", "what answers there is no SSH server, or stalls",
     "check address and port in the spec", kTransient},
}};

std::string last_line(std::string_view text) {
    std::string last;
    for (const std::string& line : split(text, '\n')) {
        if (!trim(line).empty()) last = std::string(trim(line));
    }
    return printable(last);
}

HostError host_error(const char* id, const Login& login, const std::string& what,
                     ErrorDetails details) {
    const std::string way =
        login.local() ? "this computer"
                      : fmt::format("{}@{} port {}", login.user, login.address, login.port);
    return {id, fmt::format("{} ({}): {}", login.name, way, what), std::move(details)};
}

// 255 and signals are the client's own; below, it passes on how the login ended.
bool login_worked(const BootstrapFailure& failure) {
    return failure.exit_code && *failure.exit_code < 128;
}

// Where the configuration of the SSH client gives a bastion another name, the nearest is named.
const Login* refused_by(const Login* login, std::string_view said) {
    if (!ended_on_the_way(*login, said)) return login;
    for (const Login* at = login->bastion.get(); at != nullptr; at = at->bastion.get()) {
        const std::string line = fmt::format("{}@{}: Permission denied", at->user, at->address);
        if (said.find(line) != std::string_view::npos) return at;
    }
    return login->bastion.get();
}

HostError from_client(const Login& login, const BootstrapFailure& failure) {
    if (login_worked(failure) || (!failure.exit_code && !failure.noise.empty())) {
        const std::string said = last_line(failure.noise);
        return host_error("HOST-LOGIN-SHELL", login, "the login ends before a command runs",
                          {.cause = said.empty() ? last_line(failure.stderr_text) : said,
                           .remedy = "give the user a shell that can run commands"});
    }
    for (const Reason& reason : kReasons) {
        if (failure.stderr_text.find(reason.sign) == std::string::npos) continue;
        const bool refused = std::string_view(reason.id) == "HOST-LOGIN-REFUSED";
        const Login& by = refused ? *refused_by(&login, failure.stderr_text) : login;
        return host_error(reason.id, by, reason.cause,
                          {.cause = last_line(failure.stderr_text),
                           .remedy = reason.remedy,
                           .recovery = reason.recovery});
    }
    return host_error("HOST-UNREACHABLE", login, "the connection ended before the agent ran",
                      {.cause = last_line(failure.stderr_text),
                       .remedy = "try `ssh` to it by hand",
                       .recovery = kTransient});
}

}  // namespace

HostError diagnose(const Login& login, const BootstrapFailure& failure) {
    const std::string& code = failure.code;
    const std::string said = last_line(failure.stderr_text);
    if (code == "ended") return from_client(login, failure);
    if (code == "stalled")
        return host_error(
            "HOST-STALLED", login, "the login does not come to an end in time",
            {.cause = said.empty() ? "connected, then silence" : said,
             .remedy = "look for load, full disks and hanging mounts on the host; try "
                       "`ssh` to it by hand",
             .recovery = kTransient});
    if (code == "no-sudo")
        return host_error("HOST-NO-SUDO", login, "there is no sudo, and the login is not root's",
                          {.remedy = "install sudo, or log in as root"});
    if (code == "not-root")
        return host_error("HOST-NO-SUDO", login, "the login is not root's, and does not become it",
                          {.remedy = "leave become.enabled of the host out, or log in as root"});
    if (code == "requiretty")
        return host_error("HOST-SUDO-TTY", login, "sudo insists on a terminal",
                          {.cause = "requiretty is set in its sudoers",
                           .remedy = fmt::format("add to /etc/sudoers.d/slipway: "
                                                 "Defaults:{} !requiretty",
                                                 login.user)});
    if (code == "sudo-password-wanted")
        return host_error("HOST-SUDO-PASSWORD", login,
                          "sudo asks for a password, and none is given",
                          {.remedy = "name it in the spec (become: {password: {prompt: true}}), or "
                                     "allow the user NOPASSWD",
                           .recovery = Recovery::needs_user});
    if (code == "sudo-password-wrong")
        return host_error(
            "HOST-SUDO-PASSWORD", login, "sudo does not take the password",
            {.cause = "it was tried once only", .remedy = "correct become.password of the host"});
    if (code == "sudo-refused")
        return host_error(
            "HOST-NO-SUDO", login, "sudo refuses",
            {.cause = said,
             .remedy = fmt::format("allow it: add {} to the group sudo or wheel", login.user)});
    if (code == "nowhere")
        return host_error("HOST-NO-ROOM-FOR-AGENT", login,
                          "there is no folder the agent can be put into and run from",
                          {.cause = failure.detail + (said.empty() ? "" : ": " + said),
                           .remedy = "free space, or make one of these folders writable and "
                                     "mounted without noexec"});
    if (code == "full")
        return host_error("HOST-DISK-FULL", login, "the agent cannot be written",
                          {.cause = said, .remedy = "free some space on the host"});
    if (code == "arch")
        return host_error("HOST-AGENT-ARCH", login,
                          fmt::format("there is no agent for {}", printable(failure.detail)),
                          {.remedy = "Slipway runs on amd64 and arm64"});
    return host_error("HOST-AGENT", login, "the agent does not start",
                      {.cause = failure.detail + (said.empty() ? "" : ": " + said),
                       .remedy = "slipway hosts clean -c SPEC HOST, then try again",
                       .recovery = code == "damaged" ? kTransient : kFatal});
}

bool ended_on_the_way(const Login& login, std::string_view stderr_text) {
    if (!login.bastion) return false;
    for (const char* sign : {"kex_exchange_identification", "banner exchange", "UNKNOWN port"}) {
        if (stderr_text.find(sign) != std::string_view::npos) return true;
    }
    return false;
}

bool is_refusal(const Error& error) {
    return error.id() == "HOST-LOGIN-REFUSED" || error.id() == "HOST-SUDO-PASSWORD" ||
           error.id() == "HOST-NO-SUDO";
}

}  // namespace slipway::remote
