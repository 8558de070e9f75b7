#include "net/peer_certificate.hpp"

#include "net/failure.hpp"
#include "net/socket.hpp"
#include "net/stream.hpp"
#include "net/tls_stream.hpp"

#include <memory>

#include <openssl/pem.h>
#include <openssl/ssl.h>

namespace slipway::net {

namespace {

using Context = std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)>;
using Session = std::unique_ptr<SSL, decltype(&SSL_free)>;
using Certificate = std::unique_ptr<X509, decltype(&X509_free)>;
using Bytes = std::unique_ptr<BIO, decltype(&BIO_free)>;

[[noreturn]] void fail(const std::string& host, const std::string& why) {
    throw Failure(Failure::Kind::tls, host + " " + why);
}

std::string pem_of(X509* certificate) {
    const Bytes bytes(BIO_new(BIO_s_mem()), &BIO_free);
    if (!bytes || PEM_write_bio_X509(bytes.get(), certificate) != 1) return "";
    char* text = nullptr;
    const long size = BIO_get_mem_data(bytes.get(), &text);
    return {text, static_cast<std::size_t>(size)};
}

}  // namespace

std::string peer_certificate(const std::string& host, std::uint16_t port, Deadline deadline) {
    OPENSSL_init_ssl(OPENSSL_INIT_NO_LOAD_CONFIG, nullptr);
    const Context context(SSL_CTX_new(TLS_client_method()), &SSL_CTX_free);
    const Session session(context ? SSL_new(context.get()) : nullptr, &SSL_free);
    if (!session) fail(host, "cannot be asked: OpenSSL has no TLS");
    SSL_set_verify(session.get(), SSL_VERIFY_NONE, nullptr);
    SSL_set_connect_state(session.get());
    const Fd socket = connect_tcp(host, port, deadline);
    Pace pace({.deadline = deadline});
    try {
        SSL_up_ref(session.get());  // the stream ends its own
        tls_stream(socket.get(), session.get(), pace);
    } catch (const Failure&) {
        // Before TLS 1.3 a server that wants a certificate of ours ends the handshake.
        if (SSL_get0_peer_certificate(session.get()) == nullptr) throw;
    }
    const Certificate shown(SSL_get1_peer_certificate(session.get()), &X509_free);
    if (!shown) fail(host, "showed no certificate");
    return pem_of(shown.get());
}

}  // namespace slipway::net
