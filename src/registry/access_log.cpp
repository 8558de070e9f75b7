#include "registry/access_log.hpp"

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include <fcntl.h>

namespace slipway::registry {

AccessLog::AccessLog(const std::filesystem::path& file)
    : file_(file == "-" ? ::dup(STDOUT_FILENO)
                        : ::open(file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0640)) {
    if (file_) return;
    throw UserError("FILE-UNREADABLE", fmt::format("cannot write {}", printable(file.string())),
                    {.cause = std::strerror(errno), .remedy = "choose another --access-log"});
}

std::string access_line(const net::Served& record, std::int64_t now_ms) {
    std::string out = fmt::format("{} {} {} {} {} {} {}ms", format_utc(now_ms), record.peer,
                                  printable(record.method), printable(record.raw_target),
                                  record.status, record.bytes_sent, record.took.count());
    if (record.bytes_received > 0) out += fmt::format(" received={}", record.bytes_received);
    if (!record.complete) out += " cut";
    if (!record.error.empty()) out += fmt::format(" error=\"{}\"", printable(record.error));
    return out + "\n";
}

void AccessLog::write(const net::Served& record) {
    const std::string line = access_line(record, system_clock().wall_ms());
    // One write a line: lines of many threads do not mix.
    [[maybe_unused]] const ssize_t n = ::write(file_.get(), line.data(), line.size());
}

}  // namespace slipway::registry
