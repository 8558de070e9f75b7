// This very program as a child process: whatever looks at machines happens there, so that its
// crash or hang is a failed request and nothing else.
//
//     ChildResult r = children.run({.words = {"plan", "-c", file}}, stop);
//     if (r.error) throw problem_of_child(*r.error);
//
// Arguments are an argument vector. Secrets go through standard input.
#pragma once

#include "base/clock.hpp"
#include "base/json.hpp"
#include "base/secret.hpp"

#include <filesystem>
#include <functional>
#include <optional>
#include <semaphore>
#include <stop_token>
#include <string>
#include <vector>

namespace slipway::server {

struct ChildCall {
    std::vector<std::string> words = {};  // the command; --state and -o json are added
    Secret input = {};                    // standard input
    Millis deadline = std::chrono::minutes(10);
    std::function<void(const std::string& line)> on_line = {};  // of stderr
    bool json = true;                                           // add -o json
};

struct ChildResult {
    int exit_code = 0;
    std::string out = {};
    std::vector<std::string> lines = {};     // of stderr, without the error; the last of them
    std::optional<json::object> error = {};  // as cli::error_json has it

    // What it printed; throws the problem it ended with, or one that says how it ended.
    json::object object() const;
    void require_success() const;
};

class Children {
  public:
    Children(std::string program, std::filesystem::path state)
        : program_(std::move(program)), state_(std::move(state)) {}

    // Throws Cancelled when `stop` was asked for, Problem 504 at the deadline and 503 when too
    // many run already.
    ChildResult run(const ChildCall& call, const std::stop_token& stop = {}) const;
    // Ends those that run, with Problem 503 for who waits, and starts nothing more.
    void stop() { stopping_.request_stop(); }

  private:
    const std::string program_;
    const std::filesystem::path state_;
    std::stop_source stopping_;
    // Many who ask at once must not take all of the computer.
    static constexpr std::ptrdiff_t kAtOnce = 16;
    mutable std::counting_semaphore<kAtOnce> free_{kAtOnce};
};

}  // namespace slipway::server
