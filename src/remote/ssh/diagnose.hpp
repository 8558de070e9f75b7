// From what the SSH client and the login said to an error a person can act on.
#pragma once

#include "base/error.hpp"
#include "remote/ssh/bootstrap.hpp"
#include "remote/ssh/login.hpp"

namespace slipway::remote {

HostError diagnose(const Login& login, const BootstrapFailure& failure);

// The client says so: a bastion did not let it through, and the host itself has not said a word.
// Whatever else it says is then about the way there, whose clients write to the same place.
bool ended_on_the_way(const Login& login, std::string_view stderr_text);

// A login or sudo said no: asking again would only cost the account another failed attempt.
bool is_refusal(const Error& error);

}  // namespace slipway::remote
