// Files on this computer: bounded reads, atomic writes, private folders.
//
// atomic_write follows the order that survives a power cut: write a new file, fsync it, rename it
// over the old, fsync the folder. Never overwrite the only good copy.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include <sys/types.h>
#include <unistd.h>

namespace slipway {

// A file descriptor that closes itself.
class Fd {
  public:
    Fd() = default;
    explicit Fd(int fd) : fd_(fd) {}
    ~Fd() { reset(); }
    Fd(Fd&& other) noexcept : fd_(other.release()) {}
    Fd& operator=(Fd&& other) noexcept {
        if (this != &other) {
            reset();
            fd_ = other.release();
        }
        return *this;
    }
    Fd(const Fd&) = delete;
    Fd& operator=(const Fd&) = delete;

    int get() const { return fd_; }
    explicit operator bool() const { return fd_ >= 0; }
    int release() {
        const int fd = fd_;
        fd_ = -1;
        return fd;
    }
    void reset() {
        if (fd_ >= 0) ::close(fd_);
        fd_ = -1;
    }

  private:
    int fd_ = -1;
};

inline constexpr std::size_t kDefaultReadLimit = 16u << 20;

// The whole file; nullopt when there is none. Throws UserError FILE-UNREADABLE / FILE-TOO-LARGE.
std::optional<std::string> read_file_if_any(const std::filesystem::path& path,
                                            std::size_t limit = kDefaultReadLimit);
// As above, but a missing file is FILE-UNREADABLE too.
std::string read_file(const std::filesystem::path& path, std::size_t limit = kDefaultReadLimit);
// Everything up to the end of file of `fd` ("stdin", say).
std::string read_all(int fd, std::string_view name, std::size_t limit = kDefaultReadLimit);

// Durable replacement of `path`; throws StateError STATE-WRITE with the path and the reason.
void atomic_write(const std::filesystem::path& path, std::string_view content, mode_t mode = 0600);

// Creates missing folders with 0700; an existing folder keeps its mode.
void make_private_folders(const std::filesystem::path& path);

// fsync of a folder, so that names made in it survive a power cut.
void sync_folder(const std::filesystem::path& path);

}  // namespace slipway
