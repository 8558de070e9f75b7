#include "agent/clean.hpp"

#include "agent/files.hpp"
#include "agent/jobs.hpp"
#include "agent/machine.hpp"

#include <filesystem>

#include <unistd.h>

namespace slipway::agent {

namespace {

// …/agent/DIGEST/slipway-agent -> …/agent; empty when this program lies elsewhere (a build folder).
std::string own_folder() {
    std::error_code error;
    const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
    const auto folder = self.parent_path().parent_path();
    const std::string name = folder.filename().string();
    return !error && (name == "agent" || name == ".slipway-agent") ? folder.string() : "";
}

}  // namespace

std::vector<std::string> clean_up(Request& request) {
    for (const std::string& job : list_jobs()) forget_job(job, request);
    const std::string state = state_folder();
    std::vector<std::string> gone;
    for (const std::string& path :
         {own_folder(), state + "/agent", state + "/jobs", state + "/kept", run_folder()}) {
        if (path.empty() || ::access(path.c_str(), F_OK) != 0) continue;
        remove_tree(path);
        gone.push_back(path);
    }
    if (::rmdir(state.c_str()) == 0) gone.push_back(state);
    return gone;
}

}  // namespace slipway::agent
