// A large file of this computer that goes to hosts: read in pieces, from any place in it.
#pragma once

#include "base/digest.hpp"
#include "base/files.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

namespace slipway::remote {

class LocalFile {
  public:
    // Throws UserError FILE-UNREADABLE when it is no file that can be read.
    explicit LocalFile(std::filesystem::path path);

    std::uint64_t size() const { return size_; }  // as it was when it was opened

    // Fills all of `buffer`; throws UserError FILE-UNREADABLE when the file ends before.
    void read(std::uint64_t at, std::span<char> buffer) const;

    // The first `bytes`, one piece after the other. Throws Cancelled.
    void each_piece(std::uint64_t bytes, const std::stop_token& stop,
                    const std::function<void(std::string_view)>& take) const;
    std::string digest(const std::stop_token& stop) const;  // of all of it

  private:
    std::filesystem::path path_;
    Fd fd_;
    std::uint64_t size_ = 0;
};

}  // namespace slipway::remote
