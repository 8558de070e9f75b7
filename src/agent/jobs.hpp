// Work that outlives the connection.
//
// A job is a folder under /var/lib/slipway/jobs: what to run, its output, its exit status. It is
// run by this program in its other role (`slipway-agent job FOLDER`), as a transient systemd unit
// where there is systemd and as a session of its own where there is not. The folder appears whole
// or not at all, and the runner takes a lock and leaves its mark before it starts anything: asking
// twice for a job of one name runs it once.
#pragma once

#include "agent/request.hpp"

namespace slipway::agent {

// Whether it was started just now; false: a job of this name was there already.
bool start_job(const wire::StartJob& wanted, Request& request);

// Sends the output from the given offsets on, until the job has ended.
wire::ExitStatus follow_job(const wire::FollowJob& wanted, Request& request);

// Ends it if it runs and removes its folder. Absent is fine.
void forget_job(const std::string& name, Request& request);

std::vector<std::string> list_jobs();

// The other role: runs the job of this folder to its end. The process's exit code.
int run_job(const std::string& folder);

}  // namespace slipway::agent
