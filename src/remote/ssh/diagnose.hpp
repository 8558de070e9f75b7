// From what the SSH client and the login said to an error a person can act on.
#pragma once

#include "base/error.hpp"
#include "remote/ssh/bootstrap.hpp"
#include "remote/ssh/login.hpp"

namespace slipway::remote {

HostError diagnose(const Login& login, const BootstrapFailure& failure);

// True for errors that trying again cannot change: another attempt would only cost the user's
// account a failed login.
bool is_refusal(const Error& error);

}  // namespace slipway::remote
