// From a login to a running agent, over one connection.
//
// The login runs one line of portable shell. It talks in lines that begin with a nonce, so that
// whatever rc files print is passed over; nothing is sent before it asks, so that whatever they
// read finds nothing. It looks for the agent by its digest, receives it if it is not there, gains
// root rights, and becomes the agent.
#pragma once

#include "base/secret.hpp"
#include "wire/messages.hpp"

#include <chrono>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace slipway::remote {

// An agent for one architecture (agent_image.hpp).
struct AgentImage {
    std::string_view bytes;
    std::string digest;  // sha256
};
using AgentImages = std::map<std::string, AgentImage, std::less<>>;  // by `uname -m`

struct BootstrapInput {
    const AgentImages& images;
    bool become = true;  // use sudo when the login is not root's
    const Secret& sudo_password;
    // Without a byte either way. The whole may take longer: the agent over a narrow line.
    std::chrono::milliseconds patience = std::chrono::seconds(25);
    std::chrono::milliseconds deadline = std::chrono::minutes(10);
};

// The command for the login's shell, whichever that is: sh, bash, zsh, fish, csh.
std::string bootstrap_command(const std::string& nonce, const AgentImages& images, bool become);

struct Started {
    wire::Hello hello;
    std::string received;  // bytes read behind the hello
    bool sent = false;     // the agent was not there and was sent
    bool used_sudo = false;
    bool used_password = false;
};

// How far it came, for the reason of a failure.
struct BootstrapFailure {
    std::string code = {};    // ended, stalled, no-sudo, sudo-password-wanted, sudo-password-wrong,
                              // requiretty, sudo-refused, nowhere, damaged, arch, protocol
    std::string detail = {};  // a line the host said
    std::string stderr_text = {};
    std::string noise = {};             // what was printed before the first line of ours
    std::optional<int> exit_code = {};  // of the SSH client, when it ended
};

// Speaks with the shell at the other end of the descriptors. Throws BootstrapFailure or Cancelled.
Started bootstrap(int in, int out, int err, const std::string& nonce, const BootstrapInput& input,
                  const std::stop_token& stop);

}  // namespace slipway::remote
