// TLS 1.2 and later over a connected socket.
//
//     const TlsContext server = TlsContext::server({.certificate_pem = …, .key_pem = …});
//     auto stream = server.accept(socket.get(), pace);
//
//     const TlsContext client = TlsContext::client({.ca_pem = …});
//     auto stream = client.connect(socket.get(), "registry.lan", pace);
//
// A context is made once and serves any number of threads.
#pragma once

#include "base/secret.hpp"
#include "net/stream.hpp"

#include <memory>
#include <string>

namespace slipway::net {

struct TlsServerOptions {
    std::string certificate_pem = {};  // with the chain below it, leaf first
    Secret key_pem = {};
    std::string client_ca_pem =
        {};  // clients must show a certificate of one of these; "": none asked
};

struct TlsClientOptions {
    std::string ca_pem = {};  // trusted instead of the system's certificates; "": the system's
    std::string certificate_pem = {};  // shown when the server asks; "": none
    Secret key_pem = {};
};

class TlsContext {
  public:
    // Both throw UserError NET-CERTIFICATE when a certificate or key is none, or do not go
    // together.
    static TlsContext server(const TlsServerOptions& options);
    static TlsContext client(const TlsClientOptions& options);

    // Shake hands on a connected, non-blocking socket, which stays the caller's. Throw Failure.
    std::unique_ptr<Stream> accept(int socket, Pace& pace) const;
    // The server must prove `host`, a name or an address.
    std::unique_ptr<Stream> connect(int socket, const std::string& host, Pace& pace) const;

    // From now on this one, and every copy of it, does as `other` does: a certificate has been
    // renewed. Connections that are open keep theirs.
    void become(const TlsContext& other);

  private:
    struct State;
    explicit TlsContext(std::shared_ptr<State> state) : state_(std::move(state)) {}
    std::shared_ptr<State> state_;  // shared: streams outlive whoever made the context
};

// PEM files of a server, for the options above. Throws UserError FILE-UNREADABLE.
TlsServerOptions read_server_certificate(const std::string& certificate_file,
                                         const std::string& key_file);

}  // namespace slipway::net
