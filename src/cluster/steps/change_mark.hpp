// The mark of a change that is under way: how a living member was before it, kept on its host until
// it is known to run.
#pragma once

#include "engine/step.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace slipway::cluster {

// By path; nothing where there is no file.
using FilesOnHost = std::map<std::string, std::optional<remote::FileState>>;
FilesOnHost files_on_host(engine::Context& c, const std::vector<std::string>& paths);
// Those that were not there are removed.
void put_files_back(engine::Context& c, const FilesOnHost& files);

struct Before {
    FilesOnHost files = {};
    std::map<std::string, std::string> made = {};  // what ran from each of them
};

class ChangeMark {
  public:
    explicit ChangeMark(const std::string& name) : path_("/var/lib/slipway/changing-" + name) {}

    bool is_there(engine::Context& c) const;
    std::optional<Before> read(engine::Context& c) const;
    void leave(engine::Context& c, const Before& before) const;
    void remove(engine::Context& c) const;

  private:
    std::string path_;
};

}  // namespace slipway::cluster
