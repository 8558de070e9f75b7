#include "remote/ssh/login.hpp"

#include <fmt/format.h>

namespace slipway::remote {

namespace {

using Words = std::vector<std::string>;

// What the user's configuration must not change: a connection that carries one program's streams.
void add_fixed_options(Words& words) {
    for (const char* option : {"NumberOfPasswordPrompts=1",
                               "ConnectTimeout=10",
                               "ConnectionAttempts=1",
                               "ServerAliveInterval=15",
                               "ServerAliveCountMax=3",
                               "TCPKeepAlive=yes",
                               "ControlMaster=no",
                               "ControlPath=none",
                               "ForwardAgent=no",
                               "ForwardX11=no",
                               "ClearAllForwardings=yes",
                               "PermitLocalCommand=no",
                               "RequestTTY=no",
                               "EscapeChar=none",
                               "UpdateHostKeys=no",
                               "HashKnownHosts=no",
                               "CheckHostIP=no",
                               "VisualHostKey=no",
                               "GSSAPIDelegateCredentials=no",
                               "StdinNull=no",
                               "ForkAfterAuthentication=no",
                               "SessionType=default",
                               "RemoteCommand=none",
                               "LogLevel=ERROR"}) {
        words.insert(words.end(), {"-o", option});
    }
}

void add_host_key_options(Words& words, const SshOptions& options) {
    words.insert(words.end(), {"-o", options.accept_new_keys ? "StrictHostKeyChecking=accept-new"
                                                             : "StrictHostKeyChecking=yes"});
    if (options.known_hosts.empty()) return;
    // A file is one word of the option's value: quoted, as ssh_config(5) has it.
    const std::string own = fmt::format("\"{}\"", options.known_hosts);
    words.insert(words.end(), {"-o", options.only_host_key
                                         ? fmt::format("UserKnownHostsFile={}", own)
                                         : fmt::format("UserKnownHostsFile={} ~/.ssh/known_hosts "
                                                       "~/.ssh/known_hosts2",
                                                       own)});
    if (options.only_host_key) words.insert(words.end(), {"-o", "GlobalKnownHostsFile=/dev/null"});
}

void add_login_options(Words& words, const Login& login, const SshOptions& options) {
    const bool none = options.no_login || options.only_host_key;
    const bool asks = login.password && !none;
    words.insert(words.end(), {"-o", asks ? "BatchMode=no" : "BatchMode=yes"});
    if (none) {
        words.insert(words.end(), {"-o", "PreferredAuthentications=none"});
        return;
    }
    if (!login.key_file.empty())
        words.insert(words.end(), {"-i", login.key_file, "-o", "IdentitiesOnly=yes"});
    if (login.password) {
        // A key that is given is tried first; without one, nothing else is offered.
        words.insert(
            words.end(),
            {"-o", login.key_file.empty()
                       ? "PreferredAuthentications=password,keyboard-interactive"
                       : "PreferredAuthentications=publickey,password,keyboard-interactive"});
        if (login.key_file.empty()) words.insert(words.end(), {"-o", "PubkeyAuthentication=no"});
    } else {
        words.insert(words.end(),
                     {"-o", "PreferredAuthentications=publickey,hostbased,gssapi-with-mic"});
    }
}

Words client(const Login& login, const SshOptions& options) {
    Words words = {"ssh"};
    if (!options.config.empty()) words.insert(words.end(), {"-F", options.config});
    add_fixed_options(words);
    add_host_key_options(words, options);
    add_login_options(words, login, options);
    words.insert(words.end(), {"-p", std::to_string(login.port), "-l", login.user});
    return words;
}

std::string join_words(const Words& words) {
    std::string out;
    for (const std::string& word : words) out += (out.empty() ? "" : " ") + shell_word(word);
    return out;
}

// ProxyCommand is given to a shell, and before that % is special in it.
std::string proxy_command(const Login& bastion, const SshOptions& options) {
    SshOptions through = options;
    through.no_login = false;  // the way there is a real login
    if (options.only_host_key) {
        through.only_host_key = false;
        through.accept_new_keys = false;
        through.known_hosts = options.pinned;
    }
    Words words = client(bastion, through);
    if (bastion.bastion) {
        words.insert(words.end(),
                     {"-o", "ProxyCommand=" + proxy_command(*bastion.bastion, through)});
    }
    words.insert(words.begin(), {"env", fmt::format("{}={}", kLoginVariable, bastion.name)});
    std::string command = join_words(words);
    std::string out;
    for (const char c : command) out += c == '%' ? "%%" : std::string(1, c);
    return out + " -W '[%h]:%p' -- " + shell_word(bastion.address);
}

}  // namespace

std::string shell_word(std::string_view text) {
    std::string out = "'";
    for (const char c : text) out += c == '\'' ? "'\\''" : std::string(1, c);
    return out + "'";
}

std::vector<std::string> ssh_command(const Login& login, const SshOptions& options,
                                     const std::string& command) {
    Words words = client(login, options);
    if (login.bastion)
        words.insert(words.end(), {"-o", "ProxyCommand=" + proxy_command(*login.bastion, options)});
    words.insert(words.end(), {"-T", "--", login.address, command});
    return words;
}

std::map<std::string, std::string> client_environment(const SshOptions& options) {
    std::map<std::string, std::string> out = {{"LC_ALL", "C"}};
    for (const std::string& name : options.secret_variables) out[name] = "";  // taken out
    return out;
}

std::string known_hosts_name(const Login& login) {
    return login.port == 22 ? login.address : fmt::format("[{}]:{}", login.address, login.port);
}

}  // namespace slipway::remote
