// How a simulated machine begins: a fresh Debian 12 (or a machine of the Red Hat family, when the
// profile says so), with what the profile adds or takes away.
#pragma once

#include "remote/model.hpp"
#include "remote/profile.hpp"

#include <memory>

namespace slipway::remote {

std::shared_ptr<const Values> fresh_machine(const HostProfile& profile);

// The facts that no step changes; the rest is read from the model when facts are asked for.
Facts fixed_facts(const HostProfile& profile, const std::string& host, const std::string& address,
                  const std::string& arch);

}  // namespace slipway::remote
