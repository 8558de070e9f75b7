// What has come of a file so far, kept beside it as NAME.slipway-part: an attempt that was cut off
// is continued by the next one. Becomes the file itself only when it is whole.
#pragma once

#include "agent/patience.hpp"
#include "base/digest.hpp"
#include "base/files.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace slipway::agent {

inline constexpr std::string_view kPartEnding = ".slipway-part";

class PartFile {
  public:
    // Opens or makes it. Throws Failed("busy") while another request fetches the same file.
    explicit PartFile(const std::string& path);

    std::uint64_t size() const { return size_; }

    // Reads what is there into the digest.
    void hash_content(const Patience& patience);
    void restart();  // forgets what is there
    // Throws Failed("disk-full") among others.
    void append(std::string_view bytes);
    // Of all that was read and appended. After it only discard(), restart() or replace() follow.
    std::string digest() { return sha256_->hex(); }
    void discard();

    // Throws Failed("disk-full") when `bytes` more will not fit.
    void expect(std::uint64_t bytes) const;

    // Makes it the file `path`, durably and at once.
    void replace(std::uint32_t mode);

  private:
    std::string path_, part_;
    Fd fd_;
    std::uint64_t size_ = 0;
    std::unique_ptr<Sha256> sha256_;
};

}  // namespace slipway::agent
