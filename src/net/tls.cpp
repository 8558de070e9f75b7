#include "net/tls.hpp"

#include "base/error.hpp"
#include "base/mutex.hpp"
#include "base/tls_peer.hpp"
#include "net/failure.hpp"
#include "net/tls_stream.hpp"

#include <algorithm>
#include <array>
#include <climits>
#include <string_view>

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <unistd.h>

namespace slipway::net {

namespace {

using Context = std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)>;
using Bytes = std::unique_ptr<BIO, decltype(&BIO_free)>;
using Certificate = std::unique_ptr<X509, decltype(&X509_free)>;
using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;

constexpr std::array<unsigned char, 9> kHttp11 = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};

[[noreturn]] void refuse(const std::string& what) {
    throw UserError("NET-CERTIFICATE", what + ": " + openssl_reason());
}

// The openssl.cnf of this computer is made for its own OpenSSL: it may name parts a static program
// does not have.
void start_openssl() {
    static const int started = OPENSSL_init_ssl(OPENSSL_INIT_NO_LOAD_CONFIG, nullptr);
    if (started != 1) refuse("OpenSSL does not start");
}

Bytes bytes_of(std::string_view text) {
    return {
        BIO_new_mem_buf(text.data(), static_cast<int>(std::min<std::size_t>(text.size(), INT_MAX))),
        &BIO_free};
}

Certificate next_certificate(BIO* bytes) {
    return {PEM_read_bio_X509(bytes, nullptr, nullptr, nullptr), &X509_free};
}

// A key that asks for a passphrase would wait for a terminal.
int no_passphrase(char*, int, int, void*) { return 0; }

Context make_context(const SSL_METHOD* method) {
    start_openssl();
    Context context(SSL_CTX_new(method), &SSL_CTX_free);
    if (!context) refuse("OpenSSL has no TLS");
    SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
    SSL_CTX_set_cipher_list(context.get(), "ECDHE+AESGCM:ECDHE+CHACHA20");  // of TLS 1.2
    // AES-128 first: a third cheaper than AES-256, and whole layers go through it.
    SSL_CTX_set_ciphersuites(context.get(),
                             "TLS_AES_128_GCM_SHA256:TLS_CHACHA20_POLY1305_SHA256:"
                             "TLS_AES_256_GCM_SHA384");
    SSL_CTX_set_mode(context.get(), SSL_MODE_ENABLE_PARTIAL_WRITE |
                                        SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                        SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_options(context.get(), SSL_OP_ENABLE_KTLS | SSL_OP_NO_RENEGOTIATION);
    return context;
}

void trust(SSL_CTX* context, const std::string& pem) {
    const Bytes bytes = bytes_of(pem);
    int count = 0;
    while (const Certificate certificate = next_certificate(bytes.get())) {
        // OpenSSL reads the extensions when they are first needed; here no other thread is looking.
        X509_check_purpose(certificate.get(), -1, 0);
        X509_STORE_add_cert(SSL_CTX_get_cert_store(context), certificate.get());
        SSL_CTX_add_client_CA(context, certificate.get());
        ++count;
    }
    if (count == 0) refuse("there is no certificate in the CA that was given");
    ERR_clear_error();  // "no more" is an error of PEM
    // Whoever gives one certificate means that one, wherever it stands in its chain.
    X509_VERIFY_PARAM_set_flags(SSL_CTX_get0_param(context), X509_V_FLAG_PARTIAL_CHAIN);
}

void trust_system(SSL_CTX* context) {
    if (!trust_system_certificates(context))
        refuse("this computer has no list of trusted certificates, and no CA was given");
}

void show_certificate(SSL_CTX* context, const std::string& certificate_pem, const Secret& key_pem) {
    const Bytes certificates = bytes_of(certificate_pem);
    const Certificate leaf = next_certificate(certificates.get());
    if (!leaf || SSL_CTX_use_certificate(context, leaf.get()) != 1)
        refuse("the certificate is not usable");
    while (const Certificate link = next_certificate(certificates.get())) {
        if (SSL_CTX_add1_chain_cert(context, link.get()) != 1) refuse("the chain is not usable");
    }
    ERR_clear_error();
    const Bytes key_bytes = bytes_of(key_pem.reveal());
    const Key key(PEM_read_bio_PrivateKey(key_bytes.get(), nullptr, &no_passphrase, nullptr),
                  &EVP_PKEY_free);
    if (!key) refuse("the key is not usable");
    if (SSL_CTX_use_PrivateKey(context, key.get()) != 1 || SSL_CTX_check_private_key(context) != 1)
        refuse("the key does not belong to the certificate");
}

// No common protocol is no reason to refuse: older clients offer names of their own only.
int choose_protocol(SSL*, const unsigned char** out, unsigned char* size, const unsigned char* in,
                    unsigned int in_size, void*) {
    unsigned char* chosen = nullptr;
    if (SSL_select_next_proto(&chosen, size, kHttp11.data(), kHttp11.size(), in, in_size) !=
        OPENSSL_NPN_NEGOTIATED)
        return SSL_TLSEXT_ERR_NOACK;
    *out = chosen;
    return SSL_TLSEXT_ERR_OK;
}

void expect_name(SSL* session, const std::string& host) {
    if (!expect_peer(session, host))
        throw Failure(Failure::Kind::tls, "cannot expect the name " + host);
}

}  // namespace

struct TlsContext::State {
    explicit State(Context made) : context(std::move(made)) {}

    SSL* session() {
        const Lock lock(mutex);
        SSL* session = SSL_new(context.get());
        if (session == nullptr)
            throw Failure(Failure::Kind::tls, "cannot start TLS: " + openssl_reason());
        return session;
    }

    Mutex mutex;
    Context context SLIPWAY_GUARDED_BY(mutex);
};

void TlsContext::become(const TlsContext& other) {
    SSL_CTX* fresh = nullptr;
    {
        const Lock lock(other.state_->mutex);
        fresh = other.state_->context.get();
        SSL_CTX_up_ref(fresh);
    }
    const Lock lock(state_->mutex);
    state_->context.reset(fresh);
}

TlsContext TlsContext::server(const TlsServerOptions& options) {
    Context context = make_context(TLS_server_method());
    show_certificate(context.get(), options.certificate_pem, options.key_pem);
    if (!options.client_ca_pem.empty()) {
        trust(context.get(), options.client_ca_pem);
        SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT,
                           nullptr);
        // Sessions of proven clients are resumed only for the service they were made for.
        static constexpr std::array<unsigned char, 7> kService = {'s', 'l', 'i', 'p',
                                                                  'w', 'a', 'y'};
        SSL_CTX_set_session_id_context(context.get(), kService.data(), kService.size());
    }
    SSL_CTX_set_alpn_select_cb(context.get(), &choose_protocol, nullptr);
    return TlsContext(std::make_shared<State>(std::move(context)));
}

TlsContext TlsContext::client(const TlsClientOptions& options) {
    Context context = make_context(TLS_client_method());
    SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
    if (options.ca_pem.empty()) {
        trust_system(context.get());
    } else {
        trust(context.get(), options.ca_pem);
    }
    if (!options.certificate_pem.empty())
        show_certificate(context.get(), options.certificate_pem, options.key_pem);
    SSL_CTX_set_alpn_protos(context.get(), kHttp11.data(), kHttp11.size());
    return TlsContext(std::make_shared<State>(std::move(context)));
}

std::unique_ptr<Stream> TlsContext::accept(int socket, Pace& pace) const {
    SSL* session = state_->session();
    SSL_set_accept_state(session);
    return tls_stream(socket, session, pace);
}

std::unique_ptr<Stream> TlsContext::connect(int socket, const std::string& host, Pace& pace) const {
    std::unique_ptr<SSL, decltype(&SSL_free)> session(state_->session(), &SSL_free);
    expect_name(session.get(), host);
    SSL_set_connect_state(session.get());
    return tls_stream(socket, session.release(), pace);
}

TlsServerOptions read_server_certificate(const std::string& certificate_file,
                                         const std::string& key_file) {
    std::string key = read_file(key_file);
    TlsServerOptions options{.certificate_pem = read_file(certificate_file),
                             .key_pem = Secret(key)};
    wipe(key);
    return options;
}

}  // namespace slipway::net
