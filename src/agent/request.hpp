// One request as the function that serves it sees it.
#pragma once

#include "wire/messages.hpp"

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace slipway::agent {

// How a verb fails; becomes a wire::Failure. The codes the client tells apart:
//   cancelled, bad-request, not-found, denied, disk-full, read-only, command-failed,
//   digest-mismatch, too-large, busy, no-tool, http-status, connect, tls, timeout, system
class Failed : public std::runtime_error {
  public:
    Failed(std::string failure_code, const std::string& message, int error = 0)
        : std::runtime_error(message), code(std::move(failure_code)), system_error(error) {}

    const std::string code;
    const int system_error;
};

// Throws Failed for `errno`: "cannot ACTION SUBJECT: reason".
[[noreturn]] void fail_with_errno(const std::string& action, const std::string& subject);

class Request {
  public:
    virtual ~Request() = default;

    // The client gave up, or the connection is gone.
    virtual bool cancelled() const = 0;
    virtual int cancel_fd() const = 0;  // becomes readable then: for poll()

    // Blocks while the client does not read; throws Failed("cancelled").
    virtual void send(wire::Stream stream, std::string_view bytes) = 0;
    // Next bytes of the stream `in`; nullopt at its end. Throws Failed("cancelled").
    virtual std::optional<std::string> receive() = 0;
    // No more input is wanted: receive() says that it has ended, also to whoever waits in it.
    virtual void end_receiving() {}
};

}  // namespace slipway::agent
