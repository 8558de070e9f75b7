// A stream over bytes in memory: read in pieces of a given size, writes are kept.
#pragma once

#include "net/stream.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

namespace slipway::net::testing {

class MemoryStream : public Stream {
  public:
    MemoryStream(std::string_view bytes, std::size_t piece) : bytes_(bytes), piece_(piece) {}

    std::size_t read(std::span<char> into, Pace&) override {
        const std::size_t now = std::min({into.size(), piece_, bytes_.size()});
        std::memcpy(into.data(), bytes_.data(), now);
        bytes_.remove_prefix(now);
        return now;
    }
    void write(std::string_view bytes, Pace&) override { written += bytes; }
    void send_file(const FileRange&, Pace&) override {}
    void end_writing() override {}

    std::string written;

  private:
    std::string_view bytes_;
    std::size_t piece_;
};

}  // namespace slipway::net::testing
