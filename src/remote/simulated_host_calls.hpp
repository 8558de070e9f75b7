// How every call on a simulated host is made: what comes before, the lock, and what is kept. Only
// for the files that implement SimulatedHost.
#pragma once

#include "remote/simulated_host.hpp"

#include <utility>

namespace slipway::remote {

template <class F>
auto SimulatedHost::ask(Call kind, std::string_view subject, const CallOptions& call,
                        F&& question) {
    const Entered entered = enter(kind, subject, call);
    const Lock lock(mutex_);
    bring_up_to_date();
    if (entered.ending != Ending::normal) {
        keep(entered.ending, entered.power_off);
        lose(entered.ending);
    }
    return question(model_);
}

template <class F>
auto SimulatedHost::change(Call kind, std::string_view subject, const CallOptions& call, F&& work) {
    return act(enter(kind, subject, call), std::forward<F>(work));
}

template <class F>
auto SimulatedHost::act(const Entered& entered, F&& work) {
    before_change();
    {
        const Lock lock(mutex_);
        bring_up_to_date();
        try {
            work(model_);
        } catch (...) {
            model_.roll_back();
            throw;
        }
        keep(entered.ending, entered.power_off);
    }
    after_change();
    if (entered.ending != Ending::normal) lose(entered.ending);
}

}  // namespace slipway::remote
