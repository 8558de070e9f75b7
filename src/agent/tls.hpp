// The client's side of TLS on a connected socket. The server must prove its name: TLS 1.2 or later,
// a chain to a trusted certificate, the host's name or address in the server's certificate.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace slipway::agent {

class TlsSession {
  public:
    // Waits until the socket is ready for events of poll, or throws.
    using Wait = std::function<void(short events)>;

    // Shakes hands on the non-blocking `socket`, which stays the caller's. `ca_pem` is trusted
    // instead of the system's certificates unless it is "". Throws Failed("tls") with the reason.
    TlsSession(int socket, const std::string& host, const std::string& ca_pem, Wait wait);
    ~TlsSession();
    TlsSession(TlsSession&&) noexcept;
    TlsSession& operator=(TlsSession&&) = delete;

    void write(std::string_view bytes);
    std::size_t read(std::span<char> into);  // 0: the other side has ended

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace slipway::agent
