// The calls of a simulated host that go over the network: listen, probe, claim.
#include "base/error.hpp"
#include "base/text.hpp"
#include "remote/simulated_host_calls.hpp"

#include <fmt/format.h>

namespace slipway::remote {

namespace {

class SimulatedListener final : public Listener {
  public:
    SimulatedListener(std::shared_ptr<SimulatedNetwork> network, std::string host,
                      const std::vector<Port>& ports, std::string nonce)
        : network_(std::move(network)),
          host_(std::move(host)),
          nonce_(std::move(nonce)),
          refused_(network_->listen(host_, ports, nonce_)) {}
    ~SimulatedListener() override { network_->stop_listening(host_, nonce_); }
    SimulatedListener(const SimulatedListener&) = delete;
    SimulatedListener& operator=(const SimulatedListener&) = delete;

    const std::map<std::uint32_t, std::string>& refused() const override { return refused_; }

  private:
    // Shared: a listener may outlive the fleet it was made by.
    const std::shared_ptr<SimulatedNetwork> network_;
    const std::string host_;
    const std::string nonce_;
    const std::map<std::uint32_t, std::string> refused_;
};

}  // namespace

std::unique_ptr<Listener> SimulatedHost::listen(const std::vector<Port>& ports,
                                                const std::string& nonce, const CallOptions& call) {
    return ask(Call::network, "listen", call, [&](const Model&) -> std::unique_ptr<Listener> {
        return std::make_unique<SimulatedListener>(network_, name_, ports, nonce);
    });
}

std::vector<ProbeAnswer> SimulatedHost::probe(const std::vector<Port>& targets,
                                              const std::string& nonce, Millis timeout,
                                              const CallOptions& call) {
    const auto answers = ask(Call::network, "probe", call,
                             [&](const Model&) { return network_->probe(name_, targets, nonce); });
    // All targets are tried beside each other, so one that does not answer takes as long as many.
    const bool waited = std::ranges::any_of(
        answers, [](const ProbeAnswer& answer) { return answer.reason == "timed out"; });
    if (waited) wait(scaled(timeout), call.stop);
    return answers;
}

void SimulatedHost::claim(const std::string& owner, const std::string& label,
                          const CallOptions& call) {
    ask(Call::network, "claim", call, [&](const Model&) SLIPWAY_REQUIRES(mutex_) {
        const std::string& other = profile_.claimed_by.empty() ? claimed_by_ : profile_.claimed_by;
        if (!other.empty() && other != owner) {
            throw LockedError(
                "HOST-BUSY", fmt::format("{} is being worked on by {}", name_, printable(other)),
                {.cause = "another computer's run acts on the host",
                 .remedy = fmt::format("wait until it has ended, then repeat this on {}",
                                       printable(label))});
        }
        claimed_by_ = owner;
        return true;
    });
}

}  // namespace slipway::remote
