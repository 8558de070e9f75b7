// How one host is logged in to, with everything resolved; and the command line that does it.
#pragma once

#include "base/secret.hpp"
#include "config/spec.hpp"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace slipway::remote {

// Secrets of one host; empty where the spec names none.
struct Credentials {
    Secret password;       // of the login
    Secret key;            // content of a private key that is in no file
    Secret sudo_password;  // for become
};

struct Login {
    std::string name = {};  // of the host in the spec
    std::string address = {};
    std::int64_t port = 22;
    std::string user = {};
    std::string key_file = {};                  // "" = what the SSH client offers by itself
    bool password = false;                      // log in by password, through askpass
    std::shared_ptr<const Login> bastion = {};  // shared: many hosts lie behind one
    bool leads_to_others = false;               // it is the bastion of other hosts
    bool local() const { return address == "local"; }
};

struct SshOptions {
    std::string known_hosts = {};  // pinned keys of this cluster; the user's own files count too
    std::string config = {};       // -F; "" = the user's
    bool accept_new_keys = false;  // into known_hosts
    // Variables of this process's environment that hold secrets: no program it starts gets them.
    std::vector<std::string> secret_variables = {};
    // Stop before the login, once the host's key was found good or not. Bastions on the way are
    // logged in to.
    bool no_login = false;
    // As no_login, and known_hosts takes whatever key the host shows: to learn it. Bastions are
    // checked against `pinned`.
    bool only_host_key = false;
    std::string pinned = {};
};

// argv of the SSH client that runs `command` on the host, through its bastions.
std::vector<std::string> ssh_command(const Login& login, const SshOptions& options,
                                     const std::string& command);

// One word for /bin/sh, whatever is in it. The only quoting there is.
std::string shell_word(std::string_view text);

// For SubprocessOptions::env of any program that is started: C locale, none of the secrets.
std::map<std::string, std::string> client_environment(const SshOptions& options);

// Names, in the environment of an SSH client, the host of the spec it logs in to: which password
// its askpass is to give. What a prompt says is the other side's word.
inline constexpr const char* kLoginVariable = "SLIPWAY_LOGIN";

// How known_hosts names it: 10.0.0.1, or [10.0.0.1]:2222.
std::string known_hosts_name(const Login& login);

}  // namespace slipway::remote
