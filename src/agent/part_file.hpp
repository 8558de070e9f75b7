// What has come of a file so far, kept beside it as NAME.slipway-part: an attempt that was cut off
// is continued by the next one. Becomes the file itself only when it is whole.
#pragma once

#include "agent/patience.hpp"
#include "base/checksum.hpp"
#include "base/digest.hpp"
#include "base/files.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace slipway::agent {

inline constexpr std::string_view kPartEnding = ".slipway-part";

// How it is known to be right.
enum class PartProof { digest, checksum };  // SHA-256; base/checksum.hpp

class PartFile {
  public:
    // Opens or makes it. Throws Failed("busy") while another request fetches the same file.
    explicit PartFile(const std::string& path, PartProof proof = PartProof::digest);

    std::uint64_t size() const { return size_; }

    // Reads what is there into the proof.
    void hash_content(const Patience& patience);
    void restart();  // forgets what is there
    // Throws Failed("disk-full") among others.
    void append(std::string_view bytes);
    // Of all that was read and appended. After it only discard(), restart() or replace() follow.
    std::string proof() { return sha256_ ? sha256_->hex() : checksum_->hex(); }
    void discard();

    // Throws Failed("disk-full") when `bytes` more will not fit.
    void expect(std::uint64_t bytes) const;

    // Makes it the file `path`, durably and at once.
    void replace(std::uint32_t mode);

  private:
    void begin_proof();
    void prove(std::string_view bytes);

    std::string path_, part_;
    PartProof wanted_;
    Fd fd_;
    std::uint64_t size_ = 0;
    std::unique_ptr<Sha256> sha256_;  // one of the two
    std::unique_ptr<Checksum> checksum_;
};

}  // namespace slipway::agent
