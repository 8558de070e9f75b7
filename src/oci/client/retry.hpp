// Trying again what failed for a reason that passes: bounded, with a growing wait, or as long as
// the server asked for.
//
//     Retry retry({}, clock, stop);
//     while (true) {
//         try { return once(); } catch (const Error& error) { retry.wait_or_rethrow(error); }
//     }
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"

#include <cstdint>
#include <stop_token>

namespace slipway::oci {

// Bytes a second of waiting; who gives less keeps us, and is left.
inline constexpr std::uint64_t kDripRate = 1024;

struct RetryRules {
    int tries = 6;  // in a row, without anything gained
    Millis first_wait{200};
    Millis longest_wait{10'000};
    Millis longest_asked{120'000};  // of a Retry-After that is obeyed; beyond it we give up
};

// The registry is too busy and may have said for how long.
class BusyError : public ApiError {
  public:
    BusyError(std::string id, std::string message, ErrorDetails details, Millis asked)
        : ApiError(std::move(id), std::move(message), std::move(details)), asked_(asked) {}
    Millis asked() const { return asked_; }  // 0: it did not say

  private:
    Millis asked_;
};

class Retry {
  public:
    Retry(RetryRules rules, Clock& clock, std::stop_token stop)
        : rules_(rules), clock_(clock), stop_(std::move(stop)) {}

    // In a handler only: rethrows what is being handled when it would not pass or was tried often
    // enough. Throws Cancelled when the wait is stopped.
    void wait_or_rethrow(const Error& error);
    // Something came through: the count begins anew, for as long as there is an end in sight.
    void gained();
    int failures() const { return failures_; }

  private:
    RetryRules rules_;
    Clock& clock_;
    std::stop_token stop_;
    int failures_ = 0;
    int in_all_ = 0;
};

}  // namespace slipway::oci
