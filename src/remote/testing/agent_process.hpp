// The real agent as a child of a test, in a folder of its own: no SSH, no root, nothing left
// behind.
#pragma once

#include "base/subprocess.hpp"
#include "remote/agent/agent_host.hpp"

#include <filesystem>
#include <string>

namespace slipway::remote::testing {

enum class Machine { amd64, arm64 };  // arm64 runs in emulation

class AgentFolder {
  public:
    explicit AgentFolder(Machine machine = Machine::amd64);
    ~AgentFolder();
    AgentFolder(const AgentFolder&) = delete;
    AgentFolder& operator=(const AgentFolder&) = delete;

    const std::filesystem::path& path() const { return path_; }
    std::filesystem::path state() const { return path_ / "agent" / "state"; }

    // Starts an agent whenever the host needs a connection.
    Dial dial();
    // The number of connections made, and the end of the last one.
    int dialled() const { return dialled_; }
    void kill_agent();

  private:
    const Machine machine_;
    std::filesystem::path path_;
    int dialled_ = 0;
    pid_t pid_ = -1;
};

}  // namespace slipway::remote::testing
