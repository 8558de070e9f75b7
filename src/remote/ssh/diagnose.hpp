// From what the SSH client and the login said to an error a person can act on.
#pragma once

#include "base/error.hpp"
#include "remote/ssh/bootstrap.hpp"
#include "remote/ssh/login.hpp"

namespace slipway::remote {

HostError diagnose(const Login& login, const BootstrapFailure& failure);

// A login or sudo said no: asking again would only cost the account another failed attempt.
bool is_refusal(const Error& error);

}  // namespace slipway::remote
