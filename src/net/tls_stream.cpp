#include "net/tls_stream.hpp"

#include "base/tls_peer.hpp"
#include "net/failure.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <vector>

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <poll.h>
#include <sys/socket.h>

namespace slipway::net {

namespace {

constexpr std::size_t kFilePiece = 64u << 10;  // four records
constexpr std::uint64_t kKernelPiece = 4u << 20;

using Session = std::unique_ptr<SSL, decltype(&SSL_free)>;

[[noreturn]] void lost(const std::string& why) {
    throw Failure(Failure::Kind::lost, "the connection was lost: " + why);
}

std::string subject_of(X509* certificate) {
    std::array<char, 512> text{};
    X509_NAME_oneline(X509_get_subject_name(certificate), text.data(), text.size());
    return text.data();
}

class TlsStream : public Stream {
  public:
    TlsStream(int socket, SSL* session, Pace& pace)
        : socket_(socket), session_(session, &SSL_free) {
        if (SSL_set_fd(session, socket_) != 1)
            throw Failure(Failure::Kind::tls, "cannot start TLS: " + openssl_reason());
        if (run(pace, [&] { return SSL_do_handshake(session); }) <= 0)
            throw Failure(Failure::Kind::tls, "the other side ended the handshake");
        kernel_sends_ = BIO_get_ktls_send(SSL_get_wbio(session)) != 0;
    }

    std::size_t read(std::span<char> into, Pace& pace) override {
        std::size_t got = 0;
        if (run(pace,
                [&] { return SSL_read_ex(session_.get(), into.data(), into.size(), &got); }) <= 0)
            return 0;
        pace.moved(got);
        return got;
    }

    void write(std::string_view bytes, Pace& pace) override {
        while (!bytes.empty()) {
            std::size_t sent = 0;
            if (run(pace, [&] {
                    return SSL_write_ex(session_.get(), bytes.data(), bytes.size(), &sent);
                }) <= 0)
                lost("it was closed");
            pace.moved(sent);
            bytes.remove_prefix(sent);
        }
    }

    void send_file(const FileRange& range, Pace& pace) override {
        if (kernel_sends_) {
            send_file_in_kernel(range, pace);
        } else {
            send_file_copied(range, pace);
        }
    }

    void end_writing() override {
        ERR_clear_error();
        SSL_shutdown(
            session_.get());  // says so, if the socket takes it; the end of TCP says it too
        ERR_clear_error();
        ::shutdown(socket_, SHUT_WR);
    }

    bool end_was_said() const override { return end_was_said_; }

    std::optional<TlsInfo> tls() const override {
        TlsInfo info{.version = SSL_get_version(session_.get()),
                     .cipher = SSL_get_cipher_name(session_.get()),
                     .kernel_sends = kernel_sends_};
        if (X509* peer = SSL_get0_peer_certificate(session_.get())) {
            if (SSL_get_verify_result(session_.get()) == X509_V_OK)
                info.peer_subject = subject_of(peer);
        }
        return info;
    }

  private:
    // Repeats `operation` until it got something done: > 0; 0 when the other side has ended.
    template <class Operation>
    long run(Pace& pace, Operation operation) {
        while (true) {
            ERR_clear_error();
            errno = 0;
            const long result = operation();
            if (result > 0) return result;
            const int reason = errno;
            switch (SSL_get_error(session_.get(), static_cast<int>(result))) {
                case SSL_ERROR_WANT_READ: pace.wait(socket_, POLLIN); break;
                case SSL_ERROR_WANT_WRITE: pace.wait(socket_, POLLOUT); break;
                case SSL_ERROR_ZERO_RETURN: return 0;
                case SSL_ERROR_SYSCALL: lost(reason == 0 ? "it was closed" : std::strerror(reason));
                default:
                    if (ended_without_notice()) {
                        end_was_said_ = false;
                        return 0;
                    }
                    fail();
            }
        }
    }

    // Many programs close the socket and that is it. Whether all has come is known to the reader.
    static bool ended_without_notice() {
        return ERR_GET_REASON(ERR_peek_error()) == SSL_R_UNEXPECTED_EOF_WHILE_READING;
    }

    [[noreturn]] void fail() const {
        const long verdict = SSL_get_verify_result(session_.get());
        std::string why = openssl_reason();
        if (verdict != X509_V_OK) {
            why = std::string("the certificate is not to be trusted: ") +
                  X509_verify_cert_error_string(verdict);
        }
        throw Failure(Failure::Kind::tls, "TLS failed: " + why);
    }

    void send_file_in_kernel(const FileRange& range, Pace& pace) {
        std::uint64_t sent = 0;
        while (sent < range.length) {
            const std::size_t piece = std::min<std::uint64_t>(range.length - sent, kKernelPiece);
            const long now = run(pace, [&]() -> long {
                return SSL_sendfile(session_.get(), range.file->get(),
                                    static_cast<off_t>(range.offset + sent), piece, 0);
            });
            if (now <= 0) lost("a file became shorter while it was sent, or it was closed");
            pace.moved(static_cast<std::uint64_t>(now));
            sent += static_cast<std::uint64_t>(now);
        }
    }

    void send_file_copied(const FileRange& range, Pace& pace) {
        std::vector<char> buffer(std::min<std::uint64_t>(kFilePiece, range.length));
        std::uint64_t sent = 0;
        while (sent < range.length) {
            const std::size_t piece = std::min<std::uint64_t>(buffer.size(), range.length - sent);
            const ssize_t got = ::pread(range.file->get(), buffer.data(), piece,
                                        static_cast<off_t>(range.offset + sent));
            if (got < 0 && errno == EINTR) continue;
            if (got <= 0) lost("a file could not be read, or became shorter while it was sent");
            write({buffer.data(), static_cast<std::size_t>(got)}, pace);
            sent += static_cast<std::uint64_t>(got);
        }
    }

    int socket_;
    Session session_;
    bool kernel_sends_ = false;
    bool end_was_said_ = true;
};

}  // namespace

std::unique_ptr<Stream> tls_stream(int socket, SSL* session, Pace& pace) {
    return std::make_unique<TlsStream>(socket, session, pace);
}

}  // namespace slipway::net
