// From an agent's failure to an error of the family.
#pragma once

#include "base/clock.hpp"
#include "wire/messages.hpp"

#include <stop_token>
#include <string>

namespace slipway::remote {

// `doing` says what the host was asked: "writing /etc/hosts".
[[noreturn]] void throw_failure(const std::string& host, const std::string& doing,
                                const wire::Failure& failure, const std::stop_token& stop);

[[noreturn]] void throw_timeout(const std::string& host, const std::string& command,
                                Millis deadline);

}  // namespace slipway::remote
