#include "registry/server.hpp"

#include "base/error.hpp"
#include "registry/access_log.hpp"
#include "registry/own_certificate.hpp"

#include <atomic>

#include <fmt/format.h>

#include <sys/resource.h>

namespace slipway::registry {

namespace {

using Warn = std::function<void(const std::string&)>;

// Of where it really listens: a name may mean anything.
bool is_loopback(const std::string& address) {
    return address.starts_with("127.") || address.starts_with("[::1]:");
}

net::TlsServerOptions certificate_of(const ServeOptions& options) {
    if (!options.certificate.empty())
        return net::read_server_certificate(options.certificate, options.key);
    std::set<std::string> names = names_of_this_computer();
    names.insert(options.names.begin(), options.names.end());
    return own_certificate(options.tls_folder, names);
}

void require_loopback(const ServeOptions& options, const std::string& address) {
    if (!is_loopback(address)) {
        throw UserError("REGISTRY-PLAIN-HTTP",
                        fmt::format("{} can be reached by others", options.listen),
                        {.cause = "--plain-http is for loopback: nothing would be encrypted",
                         .remedy = "leave --plain-http out: a certificate is made when none is "
                                   "given"});
    }
}

// The certificate of a server that runs for years: looked for again, used when it has changed.
class Certificate {
  public:
    explicit Certificate(const ServeOptions& options)
        : options_(options),
          shown_(certificate_of(options)),
          tls_(net::TlsContext::server(shown_)) {}

    const net::TlsContext& tls() const { return tls_; }
    // One that cannot be read, or not yet goes with its key, throws and changes nothing.
    void renew() {
        net::TlsServerOptions now = certificate_of(options_);
        if (now.certificate_pem == shown_.certificate_pem &&
            now.key_pem.reveal() == shown_.key_pem.reveal())
            return;
        tls_.become(net::TlsContext::server(now));
        shown_ = std::move(now);
    }

  private:
    const ServeOptions options_;
    net::TlsServerOptions shown_;
    net::TlsContext tls_;
};

Library open_library(const ServeOptions& options, std::size_t& names) {
    std::vector<std::shared_ptr<const oci::BundleReader>> bundles;
    for (const auto& path : options.bundles) {
        bundles.push_back(std::make_shared<const oci::BundleReader>(path));
        if (options.admit) options.admit(*bundles.back());
        names += bundles.back()->content().roots.size();
    }
    std::shared_ptr<Store> store;
    if (!options.store.empty()) store = std::make_shared<Store>(options.store);
    return {std::move(store), bundles};
}

RegistryOptions registry_options(const ServeOptions& options, const Warn& warn) {
    return {
        .read_only = options.read_only,
        .logins = options.logins.empty() ? nullptr : std::make_shared<Logins>(options.logins, warn),
        .anyone_reads = options.anyone_reads,
        .largest_blob = options.largest_blob,
        .keep_uploads = options.keep_uploads};
}

}  // namespace

struct RegistryServer::State {
    State(Library library, const ServeOptions& options, const std::string& address)
        : warn([this, say = options.warn](const std::string& line) {
              const Lock lock(warning);
              if (say) say(line);
          }),
          registry(std::move(library), registry_options(options, warn)) {
        if (options.plain_http) {
            require_loopback(options, address);
        } else {
            certificate.emplace(options);
        }
        if (!options.access_log.empty()) log.emplace(options.access_log);
        registry.watch([this] {
            const net::HttpServer* const now = running;
            return now == nullptr ? net::ServerStats() : now->stats();
        });
    }

    net::ServerOptions server_options(const ServeOptions& options) {
        return {.tls = certificate ? std::optional(certificate->tls()) : std::nullopt,
                .max_connections = options.max_connections,
                .on_served = [this](const net::Served& record) {
                    registry.served(record);
                    if (log) log->write(record);
                }};
    }

    Mutex warning;
    std::function<void(const std::string&)> warn;
    std::optional<Certificate> certificate;
    Registry registry;
    std::optional<AccessLog> log;
    std::unique_ptr<net::HttpServer> server;
    std::atomic<const net::HttpServer*> running{nullptr};  // requests come before it is assigned
    std::jthread housekeeper;
};

void raise_limit_of_files() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) return;
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
}

RegistryServer::RegistryServer(const ServeOptions& options) {
    net::Listener listener(options.listen);
    state_ = std::make_unique<State>(open_library(options, names_), options, listener.address());
    State& state = *state_;
    state.server =
        std::make_unique<net::HttpServer>(std::move(listener), state.server_options(options),
                                          [&state](net::Request& request, net::Response& response) {
                                              state.registry.handle(request, response);
                                          });
    state.running = state.server.get();
    HousekeepingOptions housekeeping = options.housekeeping;
    housekeeping.warn = state.warn;
    if (state.certificate) housekeeping.renew = [&state] { state.certificate->renew(); };
    state.housekeeper =
        std::jthread([&state, how = std::move(housekeeping)](const std::stop_token& stop) {
            keep_house(stop, state.registry, how);
        });
}

RegistryServer::~RegistryServer() = default;

std::string RegistryServer::url() const {
    return fmt::format("{}://{}", state_->certificate ? "https" : "http",
                       state_->server->address());
}

bool RegistryServer::writable() const { return state_->registry.writable(); }
net::ServerStats RegistryServer::stats() const { return state_->server->stats(); }

bool RegistryServer::stop(std::chrono::milliseconds grace) {
    // Asked first, waited for last: a collection may be deep in a large store.
    state_->housekeeper.request_stop();
    const bool whole = state_->server->stop(grace);
    state_->housekeeper = {};
    return whole;
}

}  // namespace slipway::registry
