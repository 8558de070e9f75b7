#include "agent/testing/http_server.hpp"

#include <array>
#include <stdexcept>

#include <openssl/pem.h>
#include <openssl/ssl.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

namespace slipway::agent {

namespace {

constexpr int kLimitMs = 10'000;

void limit_waits(int socket) {
    const timeval limit{.tv_sec = kLimitMs / 1000, .tv_usec = 0};
    ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    ::setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

class PlainPeer : public Peer {
  public:
    PlainPeer(int client, int stop) : client_(client), stop_(stop) {}

    bool send(std::string_view bytes) override {
        while (!bytes.empty()) {
            const ssize_t n = ::send(client_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (n <= 0) return false;
            bytes.remove_prefix(static_cast<std::size_t>(n));
        }
        return true;
    }
    void wait_for_end() override {
        std::array<pollfd, 2> ends = {pollfd{client_, POLLIN | POLLRDHUP, 0},
                                      pollfd{stop_, POLLIN, 0}};
        ::poll(ends.data(), ends.size(), kLimitMs);
    }
    void reset() override {
        const linger now{.l_onoff = 1, .l_linger = 0};
        ::setsockopt(client_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    }
    virtual std::size_t receive(char* into, std::size_t size) {
        const ssize_t n = ::recv(client_, into, size, 0);
        return n > 0 ? static_cast<std::size_t>(n) : 0;
    }

  protected:
    int client_;
    int stop_;
};

class TlsPeer : public PlainPeer {
  public:
    TlsPeer(int client, int stop, SSL_CTX* context)
        : PlainPeer(client, stop), session_(SSL_new(context), &SSL_free) {
        SSL_set_fd(session_.get(), client);
    }
    bool accept() { return SSL_accept(session_.get()) == 1; }
    bool send(std::string_view bytes) override {
        std::size_t written = 0;
        return SSL_write_ex(session_.get(), bytes.data(), bytes.size(), &written) == 1;
    }
    std::size_t receive(char* into, std::size_t size) override {
        std::size_t got = 0;
        return SSL_read_ex(session_.get(), into, size, &got) == 1 ? got : 0;
    }

  private:
    std::unique_ptr<SSL, decltype(&SSL_free)> session_;
};

std::string read_head(PlainPeer& peer) {
    std::string head;
    std::array<char, 4096> buffer;
    while (head.find("\r\n\r\n") == std::string::npos) {
        const std::size_t n = peer.receive(buffer.data(), buffer.size());
        if (n == 0) return "";
        head.append(buffer.data(), n);
    }
    return head;
}

}  // namespace

struct HttpServer::Tls {
    std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context{SSL_CTX_new(TLS_server_method()),
                                                              &SSL_CTX_free};
    Tls(const Certificate& certificate, int version) {
        const auto bytes = [](const std::string& pem) {
            return std::unique_ptr<BIO, decltype(&BIO_free)>(
                BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), &BIO_free);
        };
        X509* x =
            PEM_read_bio_X509(bytes(certificate.certificate_pem).get(), nullptr, nullptr, nullptr);
        EVP_PKEY* key =
            PEM_read_bio_PrivateKey(bytes(certificate.key_pem).get(), nullptr, nullptr, nullptr);
        const bool used = SSL_CTX_use_certificate(context.get(), x) == 1 &&
                          SSL_CTX_use_PrivateKey(context.get(), key) == 1;
        X509_free(x);
        EVP_PKEY_free(key);
        if (!used) throw std::runtime_error("the test server cannot use its certificate");
        if (version == 0) return;
        SSL_CTX_set_security_level(context.get(), 0);  // old versions are what some tests are about
        SSL_CTX_set_min_proto_version(context.get(), version);
        SSL_CTX_set_max_proto_version(context.get(), version);
    }
};

HttpServer::HttpServer(Handler handler, const Certificate* certificate, int tls_version)
    : handler_(std::move(handler)),
      tls_(certificate == nullptr ? nullptr : std::make_unique<Tls>(*certificate, tls_version)),
      listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)),
      stop_(::eventfd(0, EFD_CLOEXEC)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* bytes = reinterpret_cast<sockaddr*>(&address);
    if (::bind(listener_.get(), bytes, size) != 0 || ::listen(listener_.get(), 64) != 0 ||
        ::getsockname(listener_.get(), bytes, &size) != 0) {
        throw std::runtime_error("the test server cannot listen");
    }
    port_ = ntohs(address.sin_port);
    thread_ = std::jthread([this] { serve(); });
}

HttpServer::~HttpServer() {
    ::eventfd_write(stop_.get(), 1);
    thread_.join();
}

std::string HttpServer::url(const std::string& path, const std::string& host) const {
    return (tls_ ? "https://" : "http://") + host + ":" + std::to_string(port_) + path;
}

std::vector<std::string> HttpServer::requests() const {
    const Lock lock(mutex_);
    return requests_;
}

void HttpServer::serve() {
    while (true) {
        std::array<pollfd, 2> ends = {pollfd{listener_.get(), POLLIN, 0},
                                      pollfd{stop_.get(), POLLIN, 0}};
        ::poll(ends.data(), ends.size(), -1);
        if (ends[1].revents != 0) return;
        const Fd client(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
        if (client) serve_one(client.get());
    }
}

void HttpServer::serve_one(int client) {
    limit_waits(client);
    std::unique_ptr<PlainPeer> peer;
    if (tls_) {
        auto secure = std::make_unique<TlsPeer>(client, stop_.get(), tls_->context.get());
        if (!secure->accept()) return;
        peer = std::move(secure);
    } else {
        peer = std::make_unique<PlainPeer>(client, stop_.get());
    }
    const std::string head = read_head(*peer);
    if (head.empty()) return;
    {
        const Lock lock(mutex_);
        requests_.push_back(head);
    }
    handler_(*peer, head);
}

}  // namespace slipway::agent
