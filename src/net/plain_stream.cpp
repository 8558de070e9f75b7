#include "net/failure.hpp"
#include "net/stream.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <poll.h>
#include <sys/sendfile.h>
#include <sys/socket.h>

namespace slipway::net {

namespace {

// A call of sendfile moves at most this much, so that the pace is looked at now and then.
constexpr std::uint64_t kSendfilePiece = 4u << 20;

[[noreturn]] void lost(int reason) {
    throw Failure(Failure::Kind::lost,
                  std::string("the connection was lost: ") + std::strerror(reason));
}

bool would_block(int error) { return error == EAGAIN || error == EWOULDBLOCK; }

class PlainStream : public Stream {
  public:
    explicit PlainStream(int socket) : socket_(socket) {}

    std::size_t read(std::span<char> into, Pace& pace) override {
        while (true) {
            const ssize_t got = ::recv(socket_, into.data(), into.size(), 0);
            if (got >= 0) {
                pace.moved(static_cast<std::size_t>(got));
                return static_cast<std::size_t>(got);
            }
            retry_or_throw(POLLIN, pace);
        }
    }

    void write(std::string_view bytes, Pace& pace) override {
        while (!bytes.empty()) {
            const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (sent < 0) {
                retry_or_throw(POLLOUT, pace);
                continue;
            }
            pace.moved(static_cast<std::size_t>(sent));
            bytes.remove_prefix(static_cast<std::size_t>(sent));
        }
    }

    void send_file(const FileRange& range, Pace& pace) override {
        auto at = static_cast<off_t>(range.offset);
        std::uint64_t left = range.length;
        while (left > 0) {
            const ssize_t sent = ::sendfile(socket_, range.file->get(), &at,
                                            std::min<std::uint64_t>(left, kSendfilePiece));
            if (sent < 0) {
                retry_or_throw(POLLOUT, pace);
                continue;
            }
            if (sent == 0)
                throw Failure(Failure::Kind::lost, "a file became shorter while it was sent");
            pace.moved(static_cast<std::uint64_t>(sent));
            left -= static_cast<std::uint64_t>(sent);
        }
    }

    void end_writing() override { ::shutdown(socket_, SHUT_WR); }

  private:
    void retry_or_throw(short events, Pace& pace) const {
        const int error = errno;
        if (error == EINTR) return;
        if (!would_block(error)) lost(error);
        pace.wait(socket_, events);
    }

    int socket_;
};

}  // namespace

std::unique_ptr<Stream> plain_stream(int socket) { return std::make_unique<PlainStream>(socket); }

}  // namespace slipway::net
