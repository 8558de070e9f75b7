// What a simulated machine says of itself: the fixed part of its facts, and what follows from its
// model as it is now.
#pragma once

#include "remote/facts.hpp"
#include "remote/model.hpp"
#include "remote/profile.hpp"

#include <functional>
#include <string>

namespace slipway::remote {

struct SimulatedState {
    const Model& model;
    const HostProfile& profile;
    const Facts& fixed;
    std::function<std::string(const std::string& name)> resolve;
};

Facts simulated_facts(const SimulatedState& state, const FactsQuery& query);

}  // namespace slipway::remote
