#include "cluster/steps/kubelet_change.hpp"

#include "base/error.hpp"
#include "base/mutex.hpp"
#include "cluster/steps/change_mark.hpp"

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

constexpr const char* kUnit = "kubelet.service";
// A kubelet that cannot use its settings ends within this time.
constexpr Millis kStable = std::chrono::seconds(4);

std::vector<std::string> kubelet_files() {
    return {"/etc/systemd/system/kubelet.service", "/var/lib/kubelet/kubeadm-flags.env",
            "/var/lib/kubelet/config.yaml"};
}

// The node that goes first, for all nodes of one run.
class Trial {
  public:
    enum class Answer { first, wait, follow };

    Answer ask(const std::string& host) {
        const Lock lock(mutex_);
        if (!lost_.empty()) {
            throw RemoteError(
                "NODE-CHANGE", fmt::format("{} was left as it is", host),
                {.cause =
                     fmt::format("the kubelet of {} does not run with the same settings", lost_),
                 .remedy = "correct arguments or patches in the spec, and apply it again"});
        }
        if (passed_) return Answer::follow;
        if (at_work_) return Answer::wait;
        at_work_ = true;
        return Answer::first;
    }
    void passed() {
        const Lock lock(mutex_);
        passed_ = true;
    }
    void failed(const std::string& host) {
        const Lock lock(mutex_);
        lost_ = host;
    }
    void given_up() {  // for another reason: the next one is first
        const Lock lock(mutex_);
        at_work_ = false;
    }

  private:
    Mutex mutex_;
    bool at_work_ SLIPWAY_GUARDED_BY(mutex_) = false;
    bool passed_ SLIPWAY_GUARDED_BY(mutex_) = false;
    std::string lost_ SLIPWAY_GUARDED_BY(mutex_) = {};
};

void put_back(engine::Context& c, const FilesOnHost& files) {
    put_files_back(c, files);
    c.host().run({.argv = {"systemctl", "daemon-reload"}}, c.call());
    c.host().restart_unit(kUnit, c.call());
}

bool goes_on_running(engine::Context& c) {
    for (Millis waited{0}; waited < kStable; waited += Millis(500)) {
        if (!c.clock().sleep_for(Millis(500), c.stop())) throw Cancelled();
        if (!c.host().unit(kUnit, c.call()).active) return false;
    }
    return true;
}

void change(engine::Context& c, Trial& trial, const std::string& host,
            const std::function<void(engine::Context&)>& act) {
    const FilesOnHost before = files_on_host(c, kubelet_files());
    act(c);
    if (goes_on_running(c)) return;
    trial.failed(host);
    put_back(c, before);
    throw RemoteError(
        "NODE-CHANGE",
        fmt::format("the kubelet of {} does not run with its new settings, and has the old again",
                    host),
        {.cause = "it ended soon after it was started",
         .remedy = fmt::format("see journalctl -u kubelet on {}, correct arguments or patches in "
                               "the spec, and apply it again",
                               host)});
}

Trial::Answer await_answer(engine::Context& c, Trial& trial, const std::string& host) {
    Trial::Answer answer = trial.ask(host);
    for (; answer == Trial::Answer::wait; answer = trial.ask(host)) {
        if (!c.clock().sleep_for(Millis(200), c.stop())) throw Cancelled();
    }
    return answer;
}

}  // namespace

engine::Step kubelet_change(const StepInput& in, engine::Step step) {
    struct Shared {
        mutable Trial trial;
    };
    const auto shared =
        in.memo.get<Shared>("trial of kubelets", [] { return std::make_shared<Shared>(); });
    step.act = [shared, host = in.host->name, act = std::move(step.act)](engine::Context& c) {
        if (!c.host().unit(kUnit, c.call()).active) return act(c);
        Trial& trial = shared->trial;
        const bool first = await_answer(c, trial, host) == Trial::Answer::first;
        try {
            change(c, trial, host, act);
        } catch (...) {
            if (first) trial.given_up();
            throw;
        }
        if (first) trial.passed();
    };
    return step;
}

}  // namespace slipway::cluster
