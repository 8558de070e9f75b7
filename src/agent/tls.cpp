#include "agent/tls.hpp"

#include "agent/request.hpp"
#include "base/tls_peer.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstring>

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <poll.h>
#include <unistd.h>

namespace slipway::agent {

namespace {

using Context = std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)>;
using Session = std::unique_ptr<SSL, decltype(&SSL_free)>;

// The host's openssl.cnf is made for its own OpenSSL: it may name parts this one does not have.
void start_openssl() {
    static const int started = OPENSSL_init_ssl(OPENSSL_INIT_NO_LOAD_CONFIG, nullptr);
    if (started != 1) throw Failed("tls", "OpenSSL did not start: " + openssl_reason());
}

void trust_given(SSL_CTX* context, const std::string& pem) {
    X509_STORE* store = SSL_CTX_get_cert_store(context);
    const std::unique_ptr<BIO, decltype(&BIO_free)> bytes(
        BIO_new_mem_buf(pem.data(), static_cast<int>(std::min<std::size_t>(pem.size(), INT_MAX))),
        &BIO_free);
    int count = 0;
    while (X509* certificate = PEM_read_bio_X509(bytes.get(), nullptr, nullptr, nullptr)) {
        X509_STORE_add_cert(store, certificate);
        X509_free(certificate);
        ++count;
    }
    ERR_clear_error();  // "no more" is an error of PEM
    if (count == 0) throw Failed("bad-request", "there is no certificate in the CA that was given");
    // Whoever gives one certificate means that one, wherever it stands in its chain.
    X509_VERIFY_PARAM_set_flags(SSL_CTX_get0_param(context), X509_V_FLAG_PARTIAL_CHAIN);
}

void trust_system(SSL_CTX* context) {
    if (!trust_system_certificates(context))
        throw Failed("tls", "the host has no list of trusted certificates, and no CA was given");
}

Context make_context(const std::string& ca_pem) {
    start_openssl();
    Context context(SSL_CTX_new(TLS_client_method()), &SSL_CTX_free);
    if (!context) throw Failed("tls", "OpenSSL has no TLS: " + openssl_reason());
    SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
    SSL_CTX_set_cipher_list(context.get(), "ECDHE+AESGCM:ECDHE+CHACHA20");  // of TLS 1.2
    SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
    SSL_CTX_set_mode(context.get(), SSL_MODE_ENABLE_PARTIAL_WRITE);
    if (ca_pem.empty()) {
        trust_system(context.get());
    } else {
        trust_given(context.get(), ca_pem);
    }
    return context;
}

void expect_name(SSL* session, const std::string& host) {
    if (!expect_peer(session, host)) throw Failed("tls", "cannot expect the name " + host);
}

}  // namespace

struct TlsSession::State {
    Context context;
    Session session;
    Wait wait;

    // Repeats `operation` until it got something done; false when the other side has ended.
    template <class Operation>
    bool run(const std::string& action, Operation operation) {
        while (true) {
            ERR_clear_error();
            errno = 0;
            const int result = operation();
            if (result > 0) return true;
            switch (SSL_get_error(session.get(), result)) {
                case SSL_ERROR_WANT_READ: wait(POLLIN); break;
                case SSL_ERROR_WANT_WRITE: wait(POLLOUT); break;
                case SSL_ERROR_ZERO_RETURN: return false;
                case SSL_ERROR_SYSCALL:
                    throw Failed(
                        "connect",
                        "the connection was lost: " +
                            std::string(errno == 0 ? "it was closed" : std::strerror(errno)),
                        errno);
                default: return ended_without_notice() ? false : fail(action);
            }
        }
    }

    // Many servers close the socket and that is it. Whether all has come is known to the reader.
    static bool ended_without_notice() {
        return ERR_GET_REASON(ERR_peek_error()) == SSL_R_UNEXPECTED_EOF_WHILE_READING;
    }

    [[noreturn]] bool fail(const std::string& action) const {
        const long verdict = SSL_get_verify_result(session.get());
        std::string why = openssl_reason();
        if (verdict != X509_V_OK) {
            why = std::string("the certificate is not to be trusted: ") +
                  X509_verify_cert_error_string(verdict);
        }
        throw Failed("tls", "cannot " + action + ": " + why);
    }
};

TlsSession::TlsSession(int socket, const std::string& host, const std::string& ca_pem, Wait wait)
    : state_(std::make_unique<State>(
          State{make_context(ca_pem), Session(nullptr, &SSL_free), std::move(wait)})) {
    state_->session.reset(SSL_new(state_->context.get()));
    SSL* session = state_->session.get();
    if (session == nullptr || SSL_set_fd(session, socket) != 1)
        throw Failed("tls", "cannot start TLS: " + openssl_reason());
    expect_name(session, host);
    const std::string action = "agree on TLS with " + host;
    if (!state_->run(action, [&] { return SSL_connect(session); }))
        throw Failed("tls", "cannot " + action + ": the server ended the connection");
}

TlsSession::~TlsSession() = default;
TlsSession::TlsSession(TlsSession&&) noexcept = default;

void TlsSession::write(std::string_view bytes) {
    while (!bytes.empty()) {
        std::size_t written = 0;
        const bool open = state_->run("write to the server", [&] {
            return SSL_write_ex(state_->session.get(), bytes.data(), bytes.size(), &written);
        });
        if (!open) throw Failed("connect", "the server ended the connection");
        bytes.remove_prefix(written);
    }
}

std::size_t TlsSession::read(std::span<char> into) {
    std::size_t got = 0;
    const bool open = state_->run("read from the server", [&] {
        return SSL_read_ex(state_->session.get(), into.data(), into.size(), &got);
    });
    return open ? got : 0;
}

}  // namespace slipway::agent
