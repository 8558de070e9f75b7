#include "cli/standard_output.hpp"

#include <cerrno>

#include <unistd.h>

namespace slipway::cli {

StandardOutput::StandardOutput(int fd) : fd_(fd) {
    setp(buffer_.data(), buffer_.data() + buffer_.size());
}

bool StandardOutput::write_all() {
    const char* from = pbase();
    while (failure_ == 0 && from < pptr()) {
        const ssize_t written = ::write(fd_, from, static_cast<std::size_t>(pptr() - from));
        if (written >= 0) {
            from += written;
        } else if (errno != EINTR) {
            failure_ = errno;
        }
    }
    setp(buffer_.data(), buffer_.data() + buffer_.size());
    return failure_ == 0;
}

StandardOutput::int_type StandardOutput::overflow(int_type next) {
    if (!write_all()) return traits_type::eof();
    if (!traits_type::eq_int_type(next, traits_type::eof())) sputc(traits_type::to_char_type(next));
    return traits_type::not_eof(next);
}

int StandardOutput::sync() { return write_all() ? 0 : -1; }

}  // namespace slipway::cli
