// The one family of errors the control plane throws.
//
// An error carries a stable id, the reason, the likely cause and the remedy; whoever rethrows adds
// one line of context. It is caught once per step attempt, once per request and once around main.
//
//     throw HostError("HOST-NO-SUDO", "sudo refused the command on w2",
//                     {.cause = "ops may not run sudo",
//                      .remedy = "add ops to the group sudo"});
//
// Cancelled is outside the family on purpose: a plain `catch (const Error&)` must not swallow
// Ctrl-C.
#pragma once

#include <exception>
#include <string>
#include <string_view>
#include <vector>

namespace slipway {

// What the engine may do about an error (docs/architecture.md, "Errors").
enum class Recovery {
    fatal,       // stop this branch
    transient,   // try again with backoff
    needs_user,  // wait: a person has to change something first
};

std::string_view to_string(Recovery recovery);

struct ErrorDetails {
    std::string cause = {};
    std::string remedy = {};
    Recovery recovery = Recovery::fatal;
};

class Error : public std::exception {
  public:
    Error(std::string id, std::string message, ErrorDetails details = {});

    const std::string& id() const { return id_; }
    const std::string& message() const { return message_; }
    const std::string& cause() const { return details_.cause; }
    const std::string& remedy() const { return details_.remedy; }
    Recovery recovery() const { return details_.recovery; }
    const std::vector<std::string>& context() const { return context_; }

    // Adds what the caller was doing, outermost last: e.add_context("applying the spec of demo").
    void add_context(std::string line) { context_.push_back(std::move(line)); }

    // id and message on one line: what a log line or an event needs.
    const char* what() const noexcept override { return what_.c_str(); }

  private:
    std::string id_;
    std::string message_;
    ErrorDetails details_;
    std::vector<std::string> context_;
    std::string what_;
};

// The user's input: spec, flags, files. Nothing has been changed yet.
class UserError : public Error {
    using Error::Error;
};

// A host cannot be reached or is not as it must be.
class HostError : public Error {
    using Error::Error;
};

// A command or request on the other side ran and failed.
class RemoteError : public Error {
    using Error::Error;
};

// A Kubernetes or registry API answered with a failure.
class ApiError : public Error {
    using Error::Error;
};

// The journal or the state folder is damaged, locked, full or newer than this program.
class StateError : public Error {
    using Error::Error;
};

// The run lock is held by another process.
class LockedError : public StateError {
    using StateError::StateError;
};

// Someone asked to stop. Not an Error.
class Cancelled : public std::exception {
  public:
    const char* what() const noexcept override { return "cancelled"; }
};

}  // namespace slipway
