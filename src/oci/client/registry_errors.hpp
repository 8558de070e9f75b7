// From what a registry answers to our errors.
#pragma once

#include "net/http_client.hpp"

#include <string>

namespace slipway::oci {

// What was asked of whom, for messages: {"registry.example.com", "manifest v1 of team/app"}.
struct Asked {
    std::string host = {};
    std::string what = {};
};

// For a status nobody expected: REGISTRY-LOGIN, -DENIED, -UNKNOWN, -BUSY, -FAILED, -REFUSED or
// -ANSWER. Reads what the registry says about it.
[[noreturn]] void refuse_answer(net::ClientResponse& answer, const Asked& asked);

// REGISTRY-ANSWER: it is no registry, or a broken one.
[[noreturn]] void bad_answer(const Asked& asked, const std::string& why);

}  // namespace slipway::oci
