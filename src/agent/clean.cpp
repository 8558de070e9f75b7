#include "agent/clean.hpp"

#include "agent/accounts.hpp"
#include "agent/files.hpp"
#include "agent/jobs.hpp"
#include "agent/machine.hpp"

#include <cstdlib>
#include <filesystem>

#include <sys/stat.h>
#include <unistd.h>

namespace slipway::agent {

namespace {

// …/agent/DIGEST/slipway-agent -> …/agent; empty when this program lies elsewhere (a build folder).
std::string own_folder() {
    std::error_code error;
    const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
    const auto folder = self.parent_path().parent_path();
    const std::string name = folder.filename().string();
    const bool ours = name == "agent" || name.starts_with(".slipway-agent");
    return !error && ours ? folder.string() : "";
}

// Where the login that became root may have left agents, too: each folder that could not be run
// from was tried before the next.
std::vector<std::string> folders_of_login() {
    const char* text = ::getenv("SUDO_UID");
    if (text == nullptr) return {};
    const auto uid = static_cast<uid_t>(std::strtoul(text, nullptr, 10));
    const std::string number = std::to_string(uid);
    std::vector<std::string> out;
    std::vector<std::string> places = {"/var/tmp/.slipway-agent-" + number,
                                       "/tmp/.slipway-agent-" + number};
    if (const auto login = find_account(owner_name(uid)))
        places.push_back(login->home + "/.slipway-agent");
    for (const std::string& place : places) {
        struct stat about{};
        const bool folder = ::lstat(place.c_str(), &about) == 0 && S_ISDIR(about.st_mode);
        if (folder && about.st_uid == uid) out.push_back(place);
    }
    return out;
}

}  // namespace

std::vector<std::string> clean_up(Request& request) {
    for (const std::string& job : list_jobs()) forget_job(job, request);
    const std::string state = state_folder();
    std::vector<std::string> gone;
    std::vector<std::string> paths = folders_of_login();
    for (std::string path :
         {own_folder(), state + "/agent", state + "/jobs", state + "/kept", run_folder()})
        paths.push_back(std::move(path));
    for (const std::string& path : paths) {
        if (path.empty() || ::access(path.c_str(), F_OK) != 0) continue;
        remove_tree(path);
        gone.push_back(path);
    }
    // Folders of notes that an undo emptied and was cut off before it took them away.
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(state, error)) {
        if (entry.is_directory(error) && ::rmdir(entry.path().c_str()) == 0)
            gone.push_back(entry.path().string());
    }
    if (::rmdir(state.c_str()) == 0) gone.push_back(state);
    return gone;
}

}  // namespace slipway::agent
