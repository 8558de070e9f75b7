// Programs as child processes of the agent: an argument vector, an environment made from nothing,
// a process group of their own, so that a deadline or a cancel ends all of it.
#pragma once

#include "agent/request.hpp"

#include <string>
#include <vector>

#include <sys/types.h>

namespace slipway::agent {

// Where the three standard streams of a child go; descriptors stay the caller's.
struct Streams {
    int in = -1;  // -1: /dev/null
    int out = -1;
    int err = -1;
};

enum class Death { with_agent, on_its_own };  // what happens to the child when its parent dies

// Starts it; throws Failed ("not-found" when there is no such program).
pid_t start_process(const wire::Exec& exec, const Streams& streams, Death death);

// 128 + signal for a process a signal ended.
int exit_code_of(int wait_status);

// SIGTERM to the group, SIGKILL after a grace period; returns when the leader is reaped.
int end_process(pid_t pid);

// The verb `exec`: streams output live, stops at the deadline or when cancelled.
wire::ExitStatus execute(const wire::Exec& exec, Request& request);

// A tool of the system, for the verbs that need one. Output is kept up to 1 MiB.
struct ToolResult {
    int code = 0;
    std::string out, err;
};
ToolResult run_tool(std::vector<std::string> argv, Request& request,
                    std::map<std::string, std::string> env = {});
// As above; throws Failed("command-failed") with the last lines of its stderr unless it exits 0.
std::string need_tool(std::vector<std::string> argv, Request& request,
                      std::map<std::string, std::string> env = {});

}  // namespace slipway::agent
