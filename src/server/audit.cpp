#include "server/audit.hpp"

#include "base/clock.hpp"
#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

#include <cerrno>
#include <cstring>
#include <deque>
#include <fstream>

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace slipway::server {

namespace {

std::string hash_of(const std::string& before, const json::object& line) {
    return sha256_hex(before + json::serialize(line));
}

std::optional<json::object> line_of(const std::string& text) {
    boost::system::error_code failure;
    json::value value = json::parse(text, failure);
    if (failure || !value.is_object()) return std::nullopt;
    return std::move(value.get_object());
}

struct Last {
    std::int64_t seq = 0;
    std::string hash = {};
};

std::optional<Last> last_of(const std::filesystem::path& file) {
    const auto text = read_file_if_any(file);
    if (!text) return std::nullopt;
    const auto line = line_of(*text);
    if (!line)
        throw StateError("STATE-DAMAGED", fmt::format("{} cannot be understood", file.string()),
                         {.cause = "it was changed, or written by another program"});
    return Last{.seq = int_at(*line, "seq"), .hash = string_at(*line, "hash")};
}

[[noreturn]] void cannot_write(const std::filesystem::path& file) {
    throw StateError("STATE-WRITE", fmt::format("cannot write {}", file.string()),
                     {.cause = std::strerror(errno),
                      .remedy = "make room on the disk; nothing is done that cannot be recorded"});
}

}  // namespace

Audit::Audit(std::filesystem::path file)
    : file_(std::move(file)), last_file_(file_.string() + ".last") {
    const Lock lock(mutex_);
    out_ = Fd(::open(file_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
    if (!out_) cannot_write(file_);
    const std::optional<Last> last = last_of(last_file_);
    bool has_last = !last;  // a log that is older than such files
    std::ifstream in(file_);
    std::string text;
    off_t whole = 0;
    while (std::getline(in, text) && !in.eof()) {  // eof: no line break at its end
        whole += static_cast<off_t>(text.size()) + 1;
        if (const auto line = line_of(text)) {
            seq_ = int_at(*line, "seq");
            last_hash_ = string_at(*line, "hash");
            has_last = has_last || (seq_ == last->seq && last_hash_ == last->hash);
        }
    }
    if (::ftruncate(out_.get(), whole) != 0) cannot_write(file_);
    if (has_last) return;
    // Lines are missing. What is written now follows the last there was, so that the gap stays.
    seq_ = last->seq;
    last_hash_ = last->hash;
}

void Audit::keep_last() {
    atomic_write(last_file_, json::serialize(json::object{{"seq", seq_}, {"hash", last_hash_}}),
                 0600);
}

void Audit::write(const AuditLine& line, std::int64_t now_ms) {
    const Lock lock(mutex_);
    // Printable: bytes that are no UTF-8 could be written, and never be read again.
    json::object object = {{"seq", seq_ + 1},
                           {"time", format_utc(now_ms)},
                           {"who", printable(line.who)},
                           {"role", line.role},
                           {"from", line.from},
                           {"method", printable(line.method)},
                           {"path", printable(line.path)},
                           {"status", line.status}};
    if (!line.what.empty()) object["what"] = printable(line.what);
    const std::string hash = hash_of(last_hash_, object);
    object["hash"] = hash;
    const std::string text = json::serialize(object) + "\n";
    struct stat before{};
    if (::fstat(out_.get(), &before) != 0) cannot_write(file_);
    const ssize_t n = ::write(out_.get(), text.data(), text.size());
    if (n != static_cast<ssize_t>(text.size()) || ::fdatasync(out_.get()) != 0) {
        const int error = errno;
        // Half a line must not stand before the next one.
        [[maybe_unused]] const int cut = ::ftruncate(out_.get(), before.st_size);
        errno = n < 0 ? error : ENOSPC;
        cannot_write(file_);
    }
    ++seq_;
    last_hash_ = hash;
    keep_last();
}

std::vector<json::object> Audit::read(std::int64_t before, std::size_t limit) const {
    const Lock lock(mutex_);
    std::deque<std::string> last;
    std::ifstream in(file_);
    std::string text;
    std::int64_t number = 0;
    while (std::getline(in, text)) {
        if (before > 0 && ++number >= before) break;
        last.push_back(text);
        if (last.size() > limit) last.pop_front();
    }
    std::vector<json::object> out;
    for (auto at = last.rbegin(); at != last.rend(); ++at) {
        if (auto line = line_of(*at)) out.push_back(*std::move(line));
    }
    return out;
}

std::int64_t Audit::first_broken() const {
    const Lock lock(mutex_);
    std::ifstream in(file_);
    std::string text, before;
    std::int64_t number = 0;
    while (std::getline(in, text)) {
        ++number;
        std::optional<json::object> line = line_of(text);
        if (!line || int_at(*line, "seq") != number) return number;
        const std::string hash = string_at(*line, "hash");
        line->erase("hash");
        if (hash_of(before, *line) != hash) return number;
        before = hash;
    }
    if (number > 0 && number == seq_ && before != last_hash_) return number;
    // Lines taken away at the end: it is known how many there were.
    return number == seq_ ? 0 : number + 1;
}

}  // namespace slipway::server
