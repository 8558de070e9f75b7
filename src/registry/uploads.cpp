#include "registry/uploads.hpp"

#include "base/digest.hpp"
#include "base/error.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace slipway::registry {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kIdSize = 32;

bool is_id(const std::string& id) {
    return id.size() == kIdSize && id.find_first_not_of("0123456789abcdef") == std::string::npos;
}

// Beside the bytes: the repository and the algorithm, for whoever comes after a restart.
fs::path about(const fs::path& file) { return file.string() + ".about"; }

[[noreturn]] void fail(const fs::path& file, int error) {
    cannot_write(fmt::format("cannot write {}", file.string()), error);
}

}  // namespace

Upload::Upload(const fs::path& folder, std::string id, std::string repository,
               oci::Algorithm algorithm)
    : id_(std::move(id)),
      repository_(std::move(repository)),
      file_(folder / id_),
      fd_(::open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)),
      algorithm_(algorithm),
      hasher_(std::make_unique<oci::Hasher>(algorithm)) {
    if (!fd_) fail(file_, errno);
    hash_what_is_there();
}

void Upload::open() {
    fd_ = Fd(::open(file_.c_str(), O_RDWR | O_CLOEXEC));
    if (!fd_) fail(file_, errno);
}

// What a former process wrote is hashed again.
void Upload::hash_what_is_there() {
    std::array<char, 1u << 16> buffer;
    while (true) {
        const ssize_t n =
            ::pread(fd_.get(), buffer.data(), buffer.size(), static_cast<off_t>(size_));
        if (n < 0) fail(file_, errno);
        if (n == 0) return;
        hasher_->update({buffer.data(), static_cast<std::size_t>(n)});
        size_ += static_cast<std::uint64_t>(n);
    }
}

void Upload::append(std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t n =
            ::pwrite(fd_.get(), bytes.data(), bytes.size(), static_cast<off_t>(size_));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) fail(file_, errno);
        // Only what is in the file: after a full disk the rest comes again.
        hasher_->update(bytes.substr(0, static_cast<std::size_t>(n)));
        size_ += static_cast<std::uint64_t>(n);
        bytes.remove_prefix(static_cast<std::size_t>(n));
    }
}

bool Upload::finish(const oci::Digest& wanted) {
    // A client that names another algorithm only at the end: hashed anew.
    if (wanted.algorithm != algorithm_) {
        algorithm_ = wanted.algorithm;
        hasher_ = std::make_unique<oci::Hasher>(algorithm_);
        size_ = 0;
        hash_what_is_there();
    }
    if (hasher_->finish() != wanted) return false;
    if (::fsync(fd_.get()) != 0) fail(file_, errno);
    return true;
}

Uploads::Uploads(Store& store, std::size_t most) : store_(store), most_(most) {}

Uploads::Hold::~Hold() {
    if (upload_) all_->give_back(upload_->id(), ended_);
}

void Uploads::Hold::end() { ended_ = true; }

void Uploads::remove_files(const fs::path& file) {
    ::unlink(about(file).c_str());
    ::unlink(file.c_str());  // when the store did not take it
}

bool Uploads::give_up_an_empty_one() {
    auto oldest = entries_.end();
    for (auto at = entries_.begin(); at != entries_.end(); ++at) {
        const Known& one = at->second;
        if (one.held || one.upload->size() > 0) continue;
        if (oldest == entries_.end() || one.last_held < oldest->second.last_held) oldest = at;
    }
    if (oldest == entries_.end()) return false;
    remove_files(oldest->second.upload->file());
    entries_.erase(oldest);
    return true;
}

std::optional<Uploads::Hold> Uploads::begin(const std::string& repository,
                                            oci::Algorithm algorithm) {
    const fs::path folder = store_.folder() / "uploads";
    const std::string id = random_hex(kIdSize / 2);
    {
        const Lock lock(mutex_);
        if (entries_.size() >= most_ && !give_up_an_empty_one()) return std::nullopt;
        entries_[id] = {.upload = nullptr, .held = true, .held_for = For::writing};
    }
    try {
        store_.notes().write(about(folder / id),
                             fmt::format("{}\n{}", repository, oci::to_string(algorithm)));
        auto upload = std::make_shared<Upload>(folder, id, repository, algorithm);
        const Lock lock(mutex_);
        entries_[id].upload = upload;
        return Hold(*this, std::move(upload));
    } catch (...) {
        const Lock lock(mutex_);
        entries_.erase(id);
        remove_files(folder / id);
        throw;
    }
}

std::shared_ptr<Upload> Uploads::find_on_disk(const std::string& repository,
                                              const std::string& id) {
    const fs::path folder = store_.folder() / "uploads";
    const auto text = read_file_if_any(about(folder / id), 1000);
    if (!text) return nullptr;
    const std::size_t end = text->find('\n');
    if (end == std::string::npos || text->substr(0, end) != repository) return nullptr;
    const auto algorithm = text->substr(end + 1) == oci::to_string(oci::Algorithm::sha512)
                               ? oci::Algorithm::sha512
                               : oci::Algorithm::sha256;
    return std::make_shared<Upload>(folder, id, repository, algorithm);
}

std::variant<Uploads::Hold, Uploads::Missing> Uploads::take(const std::string& repository,
                                                            const std::string& id, For purpose) {
    if (!is_id(id)) return Missing::unknown;
    std::shared_ptr<Upload> upload;
    {
        const Lock lock(mutex_);
        // Looked up anew after each wait: whoever held it may have ended it.
        while (true) {
            Known& entry = entries_[id];
            if (entry.upload && entry.upload->repository() != repository) return Missing::unknown;
            if (!entry.held) break;
            if (entry.held_for == For::writing) return Missing::busy;
            given_back_.wait(mutex_);
        }
        Known& entry = entries_[id];
        entry.held = true;
        entry.held_for = purpose;
        upload = entry.upload;
    }
    if (!upload) return reopen(repository, id);
    Hold hold(*this, std::move(upload));
    hold->open();
    return hold;
}

// Hashes what a former process wrote; others need not wait for that.
std::variant<Uploads::Hold, Uploads::Missing> Uploads::reopen(const std::string& repository,
                                                              const std::string& id) {
    std::shared_ptr<Upload> upload;
    try {
        upload = find_on_disk(repository, id);
    } catch (...) {
        const Lock lock(mutex_);
        entries_.erase(id);
        given_back_.notify_all();
        throw;
    }
    const Lock lock(mutex_);
    if (!upload) {
        entries_.erase(id);
        given_back_.notify_all();
        return Missing::unknown;
    }
    entries_[id].upload = upload;
    return Hold(*this, std::move(upload));
}

void Uploads::give_back(const std::string& id, bool ended) {
    const Lock lock(mutex_);
    const auto entry = entries_.find(id);
    if (entry == entries_.end()) return;
    entry->second.held = false;
    given_back_.notify_all();
    entry->second.last_held = ++holds_;
    entry->second.upload->close();
    if (!ended) return;
    const fs::path file = entry->second.upload->file();
    entries_.erase(entry);
    remove_files(file);
}

std::size_t Uploads::count() const {
    const Lock lock(mutex_);
    return entries_.size();
}

std::size_t Uploads::expire(std::chrono::seconds age) {
    std::size_t removed = 0;
    std::error_code none;
    const std::time_t now = std::time(nullptr);
    const Lock lock(mutex_);
    for (const auto& file : fs::directory_iterator(store_.folder() / "uploads", none)) {
        const std::string id = file.path().filename().string().substr(0, kIdSize);
        struct stat about_it{};
        if (::stat(file.path().c_str(), &about_it) != 0 || now - about_it.st_mtime < age.count())
            continue;
        const auto entry = entries_.find(id);
        if (entry != entries_.end() && entry->second.held) continue;
        // The note beside it is as old as its begin: the bytes decide.
        const fs::path bytes = store_.folder() / "uploads" / id;
        if (::stat(bytes.c_str(), &about_it) == 0 && now - about_it.st_mtime < age.count())
            continue;
        if (entry != entries_.end()) entries_.erase(entry);
        ::unlink(about(bytes).c_str());
        if (::unlink(bytes.c_str()) == 0) ++removed;
    }
    return removed;
}

}  // namespace slipway::registry
