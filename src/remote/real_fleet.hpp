// The hosts of a spec as real machines: over SSH, or this computer itself.
#pragma once

#include "remote/agent/agent_host.hpp"
#include "remote/ssh/dialer.hpp"

#include <map>
#include <memory>

namespace slipway::remote {

// Who acts on the hosts; nobody else may at the same time.
struct ClaimAs {
    std::string owner;  // "" = only looks
    std::string label;
};

struct RealFleetOptions {
    std::string known_hosts = {};  // of the cluster; "" = only the user's own
    std::string ssh_config = {};
    bool accept_new_keys = false;
    std::size_t parallel_dials = 8;
    ClaimAs claim = {};
};

class RealFleet final : public Fleet {
  public:
    RealFleet(const config::Spec& spec, std::map<std::string, Credentials> credentials,
              RealFleetOptions options);
    ~RealFleet() override;

    Host& host(const std::string& name) override { return agent_host(name); }
    AgentHost& agent_host(const std::string& name);

    Dialer& dialer() { return *dialer_; }
    // Of all hosts that are reached over SSH, bastions before the hosts behind them.
    const std::vector<std::shared_ptr<const Login>>& logins() const { return logins_; }

    void results_recorded() override;
    void leave(const std::string& name) override { agent_host(name).clean({}); }

  private:
    std::shared_ptr<const Login> login_of(const config::Spec& spec, const config::Host& host,
                                          const std::map<std::string, Credentials>& credentials);

    std::map<std::string, std::shared_ptr<const Login>> by_name_;
    std::vector<std::shared_ptr<const Login>> logins_;
    std::vector<Fd> files_;  // in no folder: keys, the client's configuration
    std::unique_ptr<Dialer> dialer_;
    std::map<std::string, std::unique_ptr<AgentHost>> hosts_;
};

}  // namespace slipway::remote
