// Makes connections: an SSH client (or a plain shell for this computer) with the agent at its end.
#pragma once

#include "base/mutex.hpp"
#include "base/subprocess.hpp"
#include "remote/agent/agent_host.hpp"
#include "remote/ssh/askpass.hpp"
#include "remote/ssh/bootstrap.hpp"
#include "remote/ssh/first_logins.hpp"
#include "remote/ssh/login.hpp"

#include <map>
#include <memory>
#include <set>
#include <string>

namespace slipway::remote {

// At most so many connections are being made at once; made ones do not count. Nor do those that
// take long: they wait for a host that does not answer, and hold up nobody else.
class DialSlots {
  public:
    explicit DialSlots(std::size_t count, Millis counts_for = std::chrono::seconds(3))
        : count_(count), counts_for_(counts_for) {}

    class Slot {
      public:
        Slot(DialSlots& slots, const std::stop_token& stop);  // waits; throws Cancelled
        ~Slot();
        Slot(const Slot&) = delete;
        Slot& operator=(const Slot&) = delete;

      private:
        DialSlots& slots_;
        std::multiset<SteadyTime>::iterator entry_;
    };

  private:
    std::multiset<SteadyTime>::iterator first_that_counts() const SLIPWAY_REQUIRES(mutex_);

    const std::size_t count_;
    const Millis counts_for_;
    Mutex mutex_;
    Condition changed_;
    std::multiset<SteadyTime> begun_ SLIPWAY_GUARDED_BY(mutex_);  // connections being made
};

struct DialTarget {
    std::shared_ptr<const Login> login;  // shared with the logins behind it
    bool become = true;
};

class Dialer {
  public:
    Dialer(SshOptions options, const AgentImages& images,
           std::map<std::string, Credentials> credentials, std::size_t parallel);

    // Throws HostError (see diagnose.hpp), StateError, Cancelled.
    std::shared_ptr<Link> dial(const DialTarget& target, const std::stop_token& stop);

    // Starts the SSH client for something else than an agent: to learn a host's key.
    struct Outcome {
        int code = 0;
        std::string err;
    };
    Outcome run_client(const Login& login, const SshOptions& options, const std::stop_token& stop);

    const SshOptions& options() const { return options_; }

  private:
    Secret answer(const Login& login, const std::string& host, const std::string& prompt) const;
    const Credentials& credentials(const std::string& host) const;
    void settle_passwords(const Login* login, const std::stop_token& stop);
    FirstLogins::Verdict try_login(const Login& login, const std::stop_token& stop);
    Outcome start_client(const Login& login, const SshOptions& options,
                         const std::stop_token& stop);

    const SshOptions options_;
    const AgentImages& images_;
    const std::map<std::string, Credentials> credentials_;
    AskpassServer askpass_;
    DialSlots slots_;
    FirstLogins first_logins_;
};

}  // namespace slipway::remote
