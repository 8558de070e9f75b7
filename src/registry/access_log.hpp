// One line for each answered request:
//
//     2026-03-01T12:00:00.123Z 10.0.0.7:51234 GET /v2/pause/manifests/3.10 200 1024 3ms
//
// bytes sent, then bytes received when there were any, "cut" when the answer did not go out whole,
// and what went wrong here. Written at once; a full disk loses lines, never requests.
#pragma once

#include "base/files.hpp"
#include "net/http_server.hpp"

#include <filesystem>
#include <string>

namespace slipway::registry {

class AccessLog {
  public:
    // "-" is standard output. Throws UserError FILE-UNREADABLE.
    explicit AccessLog(const std::filesystem::path& file);
    void write(const net::Served& record);

  private:
    Fd file_;
};

std::string access_line(const net::Served& record, std::int64_t now_ms);

}  // namespace slipway::registry
