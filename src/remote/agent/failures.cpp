#include "remote/agent/failures.hpp"

#include "base/error.hpp"
#include "base/text.hpp"

#include <array>

#include <fmt/format.h>

namespace slipway::remote {

namespace {

struct Meaning {
    std::string_view code;
    const char* id;
    const char* remedy;
    Recovery recovery;
};

constexpr Recovery kFatal = Recovery::fatal;
constexpr Recovery kTransient = Recovery::transient;

constexpr std::array<Meaning, 14> kMeanings = {{
    {"disk-full", "HOST-DISK-FULL", "free some space on the host, then resume",
     Recovery::needs_user},
    {"read-only", "HOST-READ-ONLY", "remount it writable; look into dmesg for disk errors",
     Recovery::needs_user},
    {"denied", "HOST-DENIED", "log in as root, or allow the user sudo (become)", kFatal},
    {"not-found", "HOST-FILE", "check the path on the host", kFatal},
    {"too-large", "HOST-FILE", "move the file away, or make it smaller", kFatal},
    {"digest-mismatch", "HOST-DIGEST",
     "what arrived is not what was meant; nothing was put in place", kTransient},
    {"no-tool", "HOST-NO-TOOL", "install the program on the host", kFatal},
    {"command-failed", "COMMAND-FAILED",
     "see what the command says, repair it on the host, then retry", kFatal},
    {"http-status", "HOST-FETCH", "look at the server's log; check the address and the login",
     kFatal},
    {"connect", "HOST-FETCH", "check that the host can reach the server: address, port, firewall",
     kTransient},
    {"tls", "HOST-FETCH", "check the server's certificate and the CA that is trusted", kFatal},
    {"timeout", "HOST-FETCH", "check the network between the host and the server", kTransient},
    {"bad-request", "HOST-REFUSED-INPUT", "correct the value in the spec", kFatal},
    {"system", "HOST-FILE", "look into the host's journal", kFatal},
}};

}  // namespace

void throw_failure(const std::string& host, const std::string& doing, const wire::Failure& failure,
                   const std::stop_token& stop) {
    const std::string said = printable(failure.message);
    if (failure.code == "cancelled" && stop.stop_requested()) throw Cancelled();
    if (failure.code == "cancelled") {
        throw HostError("HOST-LINK-LOST", fmt::format("the agent on {} ended", host),
                        {.cause = "the host shuts down, or another run took its place",
                         .remedy = "see that the host is on and reachable; the run goes on when it "
                                   "answers again",
                         .recovery = Recovery::transient});
    }
    if (failure.code == "busy") {
        throw LockedError("HOST-BUSY", fmt::format("another run acts on {}", host),
                          {.cause = said,
                           .remedy = "wait until it has ended, or cancel it where it was started",
                           .recovery = Recovery::needs_user});
    }
    for (const Meaning& meaning : kMeanings) {
        if (failure.code != meaning.code) continue;
        throw RemoteError(meaning.id, fmt::format("{} failed on {}", doing, host),
                          {.cause = said, .remedy = meaning.remedy, .recovery = meaning.recovery});
    }
    throw RemoteError("HOST-AGENT", fmt::format("{} failed on {}", doing, host),
                      {.cause = said, .remedy = "report it: the agent failed in a way of its own"});
}

void throw_timeout(const std::string& host, const std::string& command, Millis deadline) {
    throw HostError(
        "HOST-COMMAND-TIMEOUT",
        fmt::format("{} took longer than {} on {}", command, format_duration(deadline), host),
        {.cause = "its deadline passed and it was ended with everything it had started",
         .remedy = "see on the host what it waits for, or give it more time"});
}

}  // namespace slipway::remote
