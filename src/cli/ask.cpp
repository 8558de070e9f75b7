#include "cli/ask.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

#include <poll.h>
#include <unistd.h>

namespace slipway::cli {

void require_answerable(const Call& call) {
    if (call.arguments.has("--yes") || (call.output.in_is_terminal && call.output.err_is_terminal))
        return;
    throw UsageError("USAGE-NEEDS-YES", "this command asks before it changes anything",
                     {.cause = "there is no terminal to ask on", .remedy = "give --yes"});
}

std::string ask(Output& output, const std::string& question, const std::stop_token& stop) {
    output.err() << output.err_style.paint(question, Colour::bold) << ' ' << std::flush;
    std::string line;
    while (true) {
        // Signals are another thread's business by now, so they do not end a blocking read.
        pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
        const int ready = ::poll(&input, 1, 100);
        char c = 0;
        const ssize_t n = ready > 0 ? ::read(STDIN_FILENO, &c, 1) : -1;
        if (stop.stop_requested() || n == 0) {
            output.err() << std::endl;
            throw Cancelled();
        }
        if (n < 0) continue;
        if (c == '\n') return std::string(trim(line));
        line += c;
    }
}

bool confirm(Output& output, const std::string& question, const std::stop_token& stop) {
    const std::string answer = ask(output, question + " [y/N]", stop);
    return answer == "y" || answer == "Y" || answer == "yes";
}

}  // namespace slipway::cli
