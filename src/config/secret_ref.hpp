// From a reference to the secret itself, at the moment it is needed and no earlier.
//
//     Secret password = resolve(host.password, SecretUse::password, "login password of w1", ask);
//
// Throws UserError with the reference (never the secret) when it cannot be had.
#pragma once

#include "base/secret.hpp"
#include "config/spec.hpp"

#include <functional>
#include <string_view>

namespace slipway::config {

enum class SecretUse {
    password,  // the line break an editor leaves at the end is not part of it
    key,       // the bytes as they are
};

// Asks the question on the terminal without echo. Empty where there is no terminal.
using Prompt = std::function<Secret(std::string_view question)>;

// `what` names the secret in questions and errors.
Secret resolve(const SecretRef& reference, SecretUse use, std::string_view what,
               const Prompt& prompt = {});

}  // namespace slipway::config
