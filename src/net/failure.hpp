// What goes wrong below HTTP, and in HTTP itself. The server turns them into an answer or a closed
// connection (a handler that reads a body lets them pass), the client into the family of
// base/error.hpp.
#pragma once

#include <stdexcept>
#include <string>

namespace slipway::net {

// The connection can no longer be used.
class Failure : public std::runtime_error {
  public:
    enum class Kind { timeout, lost, tls };

    Failure(Kind failed, const std::string& text) : std::runtime_error(text), kind(failed) {}
    Kind kind;
};

// The other side's bytes are no HTTP, or break a limit. `status` is what a server answers.
class HttpError : public std::runtime_error {
  public:
    HttpError(int code, const std::string& text) : std::runtime_error(text), status(code) {}
    int status;
};

}  // namespace slipway::net
