// Standard output that remembers why it could not be written. std::cout says only that it could
// not, and by then errno may be that of something else.
//
//     StandardOutput buffer(STDOUT_FILENO);
//     std::ostream out(&buffer);
//     out << text << std::flush;
//     if (buffer.failure() == EPIPE) …    // the reader had enough
#pragma once

#include <array>
#include <streambuf>

namespace slipway::cli {

class StandardOutput final : public std::streambuf {
  public:
    explicit StandardOutput(int fd);

    // errno of the first write that failed, or 0. Nothing is written after it.
    int failure() const { return failure_; }

  protected:
    int_type overflow(int_type next) override;
    int sync() override;

  private:
    bool write_all();

    const int fd_;
    int failure_ = 0;
    std::array<char, 16384> buffer_{};
};

}  // namespace slipway::cli
