// A journal with something in every table, and its whole content as text, for tests that compare.
#pragma once

#include "store/journal.hpp"

#include <filesystem>
#include <functional>
#include <string>

namespace slipway::store::testing {

// Everything a journal answers, one line a row; equal texts mean equal journals.
std::string dump(Journal& journal);

// One run of `steps` steps with events, facts, commands and a delegated step; calls `after_commit`
// whenever a write was acknowledged.
void write_sample(Journal& journal, int steps, const std::function<void()>& after_commit = [] {});

// A folder of its own that goes with the object.
class TemporaryFolder {
  public:
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    const std::filesystem::path& path() const { return path_; }
    std::filesystem::path journal() const { return path_ / "journal.db"; }

  private:
    std::filesystem::path path_;
};

// The bytes of an empty journal, as create_or_open makes it.
std::string empty_journal();
// The bytes of a journal with write_sample(steps), closed.
std::string sample_journal(int steps);

}  // namespace slipway::store::testing
