// Whatever a host sends in place of an agent's answers: calls end, with an answer or an error.
#include "base/error.hpp"
#include "base/files.hpp"
#include "remote/agent/channel.hpp"

#include <cstddef>
#include <cstdint>

#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace slipway;
    ::signal(SIGPIPE, SIG_IGN);  // as the program does
    int pair[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) return 0;
    const Fd ours(pair[0]);
    Fd theirs(pair[1]);
    std::thread host([&] {
        const std::uint8_t* at = data;
        for (std::size_t left = size; left > 0;) {
            const ssize_t n = ::send(theirs.get(), at, left, MSG_NOSIGNAL);
            if (n <= 0) break;
            at += n;
            left -= static_cast<std::size_t>(n);
        }
        theirs.reset();
    });
    {
        remote::Channel channel("fuzz", ours.get(), ours.get(), -1, "");
        try {
            channel.call(wire::Verb::exec, "x", {.input = "input", .has_input = true}, {});
        } catch (const Error&) {  // NOLINT(bugprone-empty-catch)
            // Lost, as it should be.
        }
    }
    host.join();
    return 0;
}
