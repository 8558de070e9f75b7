#include "remote/real_fleet.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "remote/agent/agent_image.hpp"
#include "remote/ssh/preferences.hpp"

#include <algorithm>
#include <thread>

#include <fmt/format.h>

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace slipway::remote {

namespace {

// A file that is in no folder and goes with this process; the SSH client opens it by our number.
Fd unnamed_file(std::string_view bytes) {
    Fd fd(::memfd_create("ssh", MFD_CLOEXEC));
    if (!fd || ::fchmod(fd.get(), 0600) != 0 ||
        ::write(fd.get(), bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()))
        throw StateError("STATE-WRITE", "cannot keep a file for the SSH client in memory");
    return fd;
}

// The SSH client expands these in the paths of its files, and most of them cannot be escaped.
void require_plain_path(const std::string& path, std::string_view what, std::string_view special) {
    if (path.find_first_of(special) == std::string::npos && path.find("${") == std::string::npos)
        return;
    throw UserError("SSH-PATH", fmt::format("{}: {}", what, printable(path)),
                    {.cause = fmt::format("the SSH client takes one of {} and ${{ in it for "
                                          "something else",
                                          special),
                     .remedy = "move it to a path without these"});
}

std::vector<std::string> secret_variables(const config::Spec& spec) {
    std::vector<std::string> out;
    for (const config::Host& host : spec.hosts) {
        for (const config::SecretRef* secret : {&host.key, &host.password, &host.become.password}) {
            if (!secret->env.empty()) out.push_back(secret->env);
        }
    }
    return out;
}

std::string path_of(const Fd& fd) { return fmt::format("/proc/{}/fd/{}", ::getpid(), fd.get()); }

// What the client says to -Q; nothing when there is none, which the first connection will tell.
std::string supported(const char* what, const SshOptions& options) {
    try {
        Subprocess client({.argv = {"ssh", "-Q", what}, .env = client_environment(options)});
        client.close_in();
        return read_all(client.out(), "ssh -Q");
    } catch (const Error&) {
        return "";
    }
}

// `used`: whether there is a host to be reached by SSH at all.
Fd client_configuration_file(const SshOptions& options, bool used) {
    if (!options.config.empty()) {
        require_plain_path(options.config, "the SSH configuration", "%\"\\*?[");
        read_file(options.config);  // ssh passes over an Include that is not there
    }
    return unnamed_file(
        client_configuration(options.config, used ? supported("kex", options) : ""));
}

}  // namespace

std::shared_ptr<const Login> RealFleet::login_of(
    const config::Spec& spec, const config::Host& host,
    const std::map<std::string, Credentials>& credentials) {
    if (const auto known = by_name_.find(host.name); known != by_name_.end()) return known->second;
    auto login = std::make_shared<Login>();
    login->name = host.name;
    login->address = host.address;
    login->port = host.port;
    login->user = host.user;
    login->key_file = host.key.file;
    login->leads_to_others = std::ranges::any_of(
        spec.hosts, [&](const config::Host& other) { return other.bastion == host.name; });
    require_plain_path(host.key.file, "the private key of " + host.name, "%");
    const auto secrets = credentials.find(host.name);
    if (secrets != credentials.end()) {
        login->password = !secrets->second.password.empty();
        if (host.key.file.empty() && !secrets->second.key.empty()) {
            // A shell's $(cat key) takes the last line break away, which OpenSSH needs.
            const Secret whole(std::string(secrets->second.key.reveal()) + "\n");
            files_.push_back(unnamed_file(whole.reveal()));
            login->key_file = path_of(files_.back());
        }
    }
    if (!host.bastion.empty()) {
        const auto bastion = std::ranges::find(spec.hosts, host.bastion, &config::Host::name);
        if (bastion != spec.hosts.end()) login->bastion = login_of(spec, *bastion, credentials);
    }
    by_name_[host.name] = login;
    if (!login->local()) logins_.push_back(login);
    return login;
}

RealFleet::RealFleet(const config::Spec& spec, std::map<std::string, Credentials> credentials,
                     RealFleetOptions options) {
    require_plain_path(options.known_hosts, "the state folder", "%\"\\");
    for (const config::Host& host : spec.hosts) login_of(spec, host, credentials);
    SshOptions ssh{.known_hosts = std::move(options.known_hosts),
                   .config = std::move(options.ssh_config),
                   .accept_new_keys = options.accept_new_keys,
                   .secret_variables = secret_variables(spec)};
    files_.push_back(client_configuration_file(ssh, !logins_.empty()));
    ssh.config = path_of(files_.back());
    dialer_ = std::make_unique<Dialer>(std::move(ssh), embedded_agents(), std::move(credentials),
                                       options.parallel_dials);
    for (const config::Host& host : spec.hosts) {
        const DialTarget target{.login = by_name_.at(host.name), .become = host.become.enabled};
        hosts_[host.name] = std::make_unique<AgentHost>(
            host.name,
            [this, target](const std::stop_token& stop) { return dialer_->dial(target, stop); });
        if (!options.claim.owner.empty())
            hosts_[host.name]->claim_when_connected(options.claim.owner, options.claim.label);
    }
}

// All at once: each connection takes a moment to end.
RealFleet::~RealFleet() {
    constexpr std::size_t kAtOnce = 16;
    std::vector<std::vector<std::unique_ptr<AgentHost>>> shares(kAtOnce);
    std::vector<std::jthread> closing;  // after what the threads use: joined first
    std::size_t next = 0;
    for (auto& [name, host] : hosts_) shares[next++ % kAtOnce].push_back(std::move(host));
    for (auto& share : shares) {
        if (!share.empty()) closing.emplace_back([&share] { share.clear(); });
    }
}

AgentHost& RealFleet::agent_host(const std::string& name) {
    const auto at = hosts_.find(name);
    if (at == hosts_.end()) {
        throw HostError("HOST-UNKNOWN", fmt::format("there is no host '{}'", printable(name)),
                        {.remedy = "slipway hosts list names the hosts"});
    }
    return *at->second;
}

void RealFleet::results_recorded() {
    for (auto& [name, host] : hosts_) host->forget_finished_jobs();
}

}  // namespace slipway::remote
