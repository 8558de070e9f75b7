// Who asked for what: JSON lines that are only ever added to, each with a hash over itself and the
// hash before it, so that a line changed, taken out or put in later shows.
//
//     FOLDER/audit.log        0600, on disk before the request is answered
//     FOLDER/audit.log.last   number and hash of the last line: what was cut off the end shows too
#pragma once

#include "base/files.hpp"
#include "base/json.hpp"
#include "base/mutex.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace slipway::server {

struct AuditLine {
    std::string who = {};
    std::string role = {};
    std::string from = {};  // address
    std::string method = {};
    std::string path = {};  // without the query
    int status = 0;
    std::string what = {};  // in words, never a secret
};

class Audit {
  public:
    // A last line that was cut off by a crash is taken away: its request was never answered.
    explicit Audit(std::filesystem::path file);

    void write(const AuditLine& line, std::int64_t now_ms);

    // Newest first, those before number `before` (0: all), at most `limit`.
    std::vector<json::object> read(std::int64_t before, std::size_t limit) const;
    // 0 when every line follows from the one before; else the number of the first that does not.
    std::int64_t first_broken() const;

  private:
    void keep_last() SLIPWAY_REQUIRES(mutex_);

    const std::filesystem::path file_, last_file_;
    mutable Mutex mutex_;
    Fd out_ SLIPWAY_GUARDED_BY(mutex_);
    std::int64_t seq_ SLIPWAY_GUARDED_BY(mutex_) = 0;
    std::string last_hash_ SLIPWAY_GUARDED_BY(mutex_);
};

}  // namespace slipway::server
