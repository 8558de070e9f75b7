#include "agent/part_file.hpp"

#include <cerrno>
#include <vector>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace slipway::agent {

namespace {

constexpr int kFlags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY;

// A file of ours and only ours. In a folder others may write to, one they left for us is not.
bool is_our_own(const struct stat& info) {
    return S_ISREG(info.st_mode) && info.st_uid == ::geteuid() && info.st_nlink <= 1 &&
           (info.st_mode & 077) == 0;
}

// The open part file, locked; an Fd without a file when the name changed hands meanwhile.
Fd open_locked(const std::string& part) {
    Fd fd(::open(part.c_str(), kFlags, 0600));
    if (!fd && errno == ELOOP) {
        if (::unlink(part.c_str()) != 0) fail_with_errno("remove", part);
        return {};
    }
    if (!fd) fail_with_errno("write", part);
    if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0)
        throw Failed("busy", "another request fetches this file: " + part);
    struct stat opened{}, named{};
    if (::fstat(fd.get(), &opened) != 0) fail_with_errno("look at", part);
    const bool same = ::lstat(part.c_str(), &named) == 0 && named.st_ino == opened.st_ino &&
                      named.st_dev == opened.st_dev;
    if (!same) return {};  // who had the lock before us has finished it
    if (is_our_own(opened)) return fd;
    if (::unlink(part.c_str()) != 0) fail_with_errno("remove", part);
    return {};
}

void sync_folder_of(const std::string& path) {
    const std::string folder = path.substr(0, std::max<std::size_t>(path.rfind('/'), 1));
    const Fd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!fd || ::fsync(fd.get()) != 0) fail_with_errno("write", folder);
}

}  // namespace

PartFile::PartFile(const std::string& path, PartProof proof)
    : path_(path), part_(path + std::string(kPartEnding)), wanted_(proof) {
    begin_proof();
    constexpr int kTries = 10;
    for (int i = 0; i < kTries && !fd_; ++i) fd_ = open_locked(part_);
    if (!fd_) throw Failed("busy", "others keep changing " + part_);
    struct stat info{};
    if (::fstat(fd_.get(), &info) != 0) fail_with_errno("look at", part_);
    size_ = static_cast<std::uint64_t>(info.st_size);
}

void PartFile::begin_proof() {
    if (wanted_ == PartProof::digest)
        sha256_ = std::make_unique<Sha256>();
    else
        checksum_ = std::make_unique<Checksum>();
}

void PartFile::prove(std::string_view bytes) {
    if (sha256_)
        sha256_->update(bytes);
    else
        checksum_->update(bytes);
}

void PartFile::hash_content(const Patience& patience) {
    std::vector<char> buffer(256u << 10);
    std::uint64_t at = 0;
    while (at < size_) {
        patience.check();
        const ssize_t n = ::pread(fd_.get(), buffer.data(), buffer.size(), static_cast<off_t>(at));
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) fail_with_errno("read", part_);
        prove({buffer.data(), static_cast<std::size_t>(n)});
        at += static_cast<std::uint64_t>(n);
    }
}

void PartFile::restart() {
    if (::ftruncate(fd_.get(), 0) != 0) fail_with_errno("write", part_);
    size_ = 0;
    begin_proof();
}

void PartFile::append(std::string_view bytes) {
    prove(bytes);
    while (!bytes.empty()) {
        const ssize_t n =
            ::pwrite(fd_.get(), bytes.data(), bytes.size(), static_cast<off_t>(size_));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) fail_with_errno("write", part_);
        size_ += static_cast<std::uint64_t>(n);
        bytes.remove_prefix(static_cast<std::size_t>(n));
    }
}

void PartFile::discard() { ::unlink(part_.c_str()); }

void PartFile::expect(std::uint64_t bytes) const {
    struct statvfs space{};
    if (::fstatvfs(fd_.get(), &space) != 0) return;
    const std::uint64_t free = std::uint64_t{space.f_bfree} * space.f_frsize;
    if (bytes <= free) return;
    throw Failed("disk-full",
                 "no room for " + path_ + ": " + std::to_string(bytes >> 20) +
                     " MiB are to come, " + std::to_string(free >> 20) + " MiB are free",
                 ENOSPC);
}

void PartFile::replace(std::uint32_t mode) {
    if (::fchmod(fd_.get(), mode) != 0 || ::fsync(fd_.get()) != 0) fail_with_errno("write", part_);
    if (::rename(part_.c_str(), path_.c_str()) != 0) fail_with_errno("write", path_);
    sync_folder_of(path_);
}

}  // namespace slipway::agent
