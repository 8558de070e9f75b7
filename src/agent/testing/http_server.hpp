// A server on this computer that answers as a test tells it to, over TCP or TLS.
//
//     HttpServer server([](Peer& peer, const std::string& request) {
//         peer.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
//     });
//     fetch(server.url("/file"));
#pragma once

#include "agent/testing/certificate.hpp"
#include "base/files.hpp"
#include "base/mutex.hpp"

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace slipway::agent {

// The connection as the handler sees it; it ends when the handler returns.
class Peer {
  public:
    virtual ~Peer() = default;
    // False when the client has gone.
    virtual bool send(std::string_view bytes) = 0;
    // Waits until the client has gone, at most ten seconds.
    virtual void wait_for_end() = 0;
    // The client sees a reset instead of an end.
    virtual void reset() = 0;
};

class HttpServer {
  public:
    using Handler = std::function<void(Peer& peer, const std::string& request)>;

    // With a certificate it speaks TLS; `tls_version` is OpenSSL's number of the only version it
    // knows, 0: any.
    explicit HttpServer(Handler handler, const Certificate* certificate = nullptr,
                        int tls_version = 0);
    ~HttpServer();
    HttpServer(const HttpServer&) = delete;
    HttpServer& operator=(const HttpServer&) = delete;

    int port() const { return port_; }
    std::string url(const std::string& path, const std::string& host = "127.0.0.1") const;
    std::vector<std::string> requests() const;  // the heads it was sent

  private:
    void serve();
    void serve_one(int client);

    Handler handler_;
    struct Tls;
    std::unique_ptr<Tls> tls_;
    Fd listener_, stop_;
    int port_ = 0;
    mutable Mutex mutex_;
    std::vector<std::string> requests_ SLIPWAY_GUARDED_BY(mutex_);
    std::jthread thread_;
};

}  // namespace slipway::agent
