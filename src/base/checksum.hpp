// Whether bytes arrived as they were sent. Ten times cheaper than a digest, and no proof against
// anybody who wants to deceive: content that is to be trusted has a digest beside it.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace slipway {

class Checksum {  // XXH3, 128 bits
  public:
    static constexpr std::size_t kHexSize = 32;

    Checksum();
    ~Checksum();
    Checksum(const Checksum&) = delete;
    Checksum& operator=(const Checksum&) = delete;

    Checksum& update(std::string_view bytes);
    std::string hex() const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

std::string checksum_hex(std::string_view bytes);

}  // namespace slipway
