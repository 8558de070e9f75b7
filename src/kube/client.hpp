// Reads of a cluster's API.
//
//     Client client(read_kubeconfig(text, path));
//     const json::value nodes = client.get("/api/v1/nodes");
//
// May be used by any number of threads.
#pragma once

#include "base/json.hpp"
#include "kube/access.hpp"
#include "net/http_client.hpp"

#include <string>

namespace slipway::kube {

struct Patience {
    net::Millis connect{3'000};
    net::Millis answer{10'000};
};

class Client {
  public:
    explicit Client(Access access, Patience patience = {});

    const Access& access() const { return access_; }

    // An object or a list. Throws HostError: KUBE-REFUSED for an answer that is no success, with
    // the API server's own words, and what net::HttpClient throws.
    json::value get(const std::string& path);
    // What it answers as text, whatever the status; for /readyz.
    std::string text(const std::string& path);

  private:
    net::ClientResponse ask(const std::string& path);

    Access access_;
    net::HttpClient http_;
};

}  // namespace slipway::kube
