// The handler of an OCI distribution registry, for net::HttpServer.
//
//     Registry registry(library, {});
//     HttpServer server(Listener(":5000"), options, [&](auto& q, auto& a) { registry.handle(q, a);
//     });
#pragma once

#include "net/http_server.hpp"
#include "registry/library.hpp"
#include "registry/logins.hpp"
#include "registry/metrics.hpp"
#include "registry/uploads.hpp"

#include <memory>
#include <optional>

namespace slipway::registry {

class LargeReads;

struct RegistryOptions {
    bool read_only = false;                    // though there is a store
    std::shared_ptr<Logins> logins = nullptr;  // nullptr: everyone may do everything
    bool anyone_reads = false;                 // only writing needs a login
    std::uint64_t largest_blob = 1ull << 40;
    std::size_t most_uploads = 1000;
    std::chrono::seconds keep_uploads{24 * 3600};  // one nobody writes to is given up
};

class Registry {
  public:
    Registry(Library library, RegistryOptions options);
    ~Registry();

    void handle(net::Request& request, net::Response& response);
    // For ServerOptions::on_served.
    void served(const net::Served& record) { metrics_.served(record); }
    // Counters of the server, for /metrics.
    void watch(std::function<net::ServerStats()> stats) { stats_ = std::move(stats); }

    // Gives up uploads nobody has written to for long; how many.
    std::size_t expire_uploads();
    // That, and removes what nothing refers to.
    GarbageReport clean(std::chrono::seconds age, const std::stop_token& stop = {});
    Library& library() { return library_; }
    bool writable() const { return uploads_.has_value(); }

  private:
    void answer(net::Request& request, net::Response& response);
    void require_login(const net::Request& request, net::Response& response);
    void answer_metrics(net::Response& response);

    Library library_;
    RegistryOptions options_;
    std::optional<Uploads> uploads_;
    std::unique_ptr<LargeReads> large_reads_;
    Metrics metrics_;
    std::function<net::ServerStats()> stats_;
};

}  // namespace slipway::registry
