// A program run on this computer to its end, its output handed over line by line as it comes.
//
//     LocalResult r = run_local({.argv = {"/usr/local/bin/notify", "ready"},
//                                .deadline = std::chrono::minutes(10),
//                                .on_line = [](auto stream, auto line) { … }},
//                               stop);
//
// No shell: the arguments are an argument vector. It gets no input. At the deadline, and when
// `stop` is asked for, it is ended with everything it started. What it leaves running by itself is
// not waited for.
#pragma once

#include "base/clock.hpp"

#include <functional>
#include <map>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace slipway {

struct LocalCommand {
    std::vector<std::string> argv = {};
    // Added to (or, with an empty value, taken out of) this process's environment.
    std::map<std::string, std::string> env = {};
    Millis deadline = std::chrono::minutes(5);
    // On the calling thread; `stream` is "stdout" or "stderr".
    std::function<void(std::string_view stream, std::string_view line)> on_line = {};
};

struct LocalResult {
    int exit_code = 0;  // 128 + signal when one ended it
    bool timed_out = false;
};

// Throws StateError PROGRAM-MISSING or PROGRAM-START, and Cancelled when `stop` was asked for.
LocalResult run_local(const LocalCommand& command, std::stop_token stop);

}  // namespace slipway
