#include "server/server.hpp"

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "registry/own_certificate.hpp"
#include "server/fingerprint.hpp"
#include "server/front.hpp"
#include "store/run_lock.hpp"

#include <algorithm>
#include <atomic>
#include <set>
#include <thread>

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/file.h>

namespace slipway::server {

namespace {

constexpr const char* kCertificateName = "Slipway server";
constexpr std::chrono::hours kRenewalLook{12};
constexpr std::chrono::seconds kSilence{2};  // then a connection makes room for another

std::string lower(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
}

std::set<std::string> names_of(const ServeOptions& options) {
    std::set<std::string> out = registry::names_of_this_computer();
    out.insert(options.public_names.begin(), options.public_names.end());
    return out;
}

std::set<std::string> hosts_of(const ServeOptions& options) {
    std::set<std::string> out;
    for (const std::string& name : names_of(options)) out.insert(lower(name));
    return out;
}

net::TlsServerOptions certificate_of(const ServeOptions& options) {
    if (!options.certificate.empty())
        return net::read_server_certificate(options.certificate, options.key);
    return registry::own_certificate(options.state / kServerFolder / "tls", names_of(options),
                                     kCertificateName);
}

// Two servers on one state folder would not know of each other's sessions, jobs and uploads.
Fd lock_folder(const std::filesystem::path& folder) {
    make_private_folders(folder);
    Fd file(::open((folder / "server.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (file && ::flock(file.get(), LOCK_EX | LOCK_NB) == 0) return file;
    throw LockedError("SERVER-ALREADY-RUNS",
                      fmt::format("another server works on {}", folder.string()),
                      {.cause = "it holds the lock of its folder",
                       .remedy = "end it first, or name another folder with --state DIR"});
}

Settings settings_of(const ServeOptions& options, const std::string& listen,
                     const net::TlsServerOptions& certificate,
                     std::function<void(const std::string&)> warn) {
    Settings out{.state = options.state,
                 .program = options.program,
                 .version = options.version,
                 .listen = listen,
                 .public_names = options.public_names,
                 .hosts = hosts_of(options),
                 .fingerprint = certificate_fingerprint(certificate.certificate_pem),
                 .step_problems = options.step_problems,
                 .warn = std::move(warn)};
    return out;
}

}  // namespace

struct ApiServer::State {
    State(const ServeOptions& how, const net::Listener& listener)
        : options(how),
          lock(lock_folder(options.state / kServerFolder)),
          certificate(certificate_of(options)),
          tls(net::TlsContext::server(certificate)),
          services(settings_of(options, listener.address(), certificate,
                               [this](const std::string& line) { warn(line); })),
          page(embedded_page()),
          front(services, page),
          code(services.passwords.make_code()) {
        services.stats = [this] {
            const net::HttpServer* const now = running;
            return now == nullptr ? net::ServerStats() : now->stats();
        };
    }

    void start(net::Listener listener) {
        server = std::make_unique<net::HttpServer>(
            std::move(listener),
            net::ServerOptions{.tls = tls,
                               .max_connections = options.max_connections,
                               .silence_for_others = kSilence,
                               .on_served = [this](const net::Served& record) { served(record); },
                               .refusal = refusal_of},
            [this](net::Request& request, net::Response& response) {
                front.handle(request, response);
            });
        running = server.get();
        renewer = std::jthread([this](const std::stop_token& stop) { renew(stop); });
    }

    void served(const net::Served& record) {
        services.metrics.served(record);
        if (record.error.empty() || record.status < 500) return;
        warn(fmt::format("{} {}: {}: {}", record.method,
                         record.raw_target.substr(0, record.raw_target.find('?')), record.status,
                         record.error));
    }

    void warn(const std::string& line) {
        const Lock one(warning);
        if (options.warn) options.warn(line);
    }

    // The certificate of a server that runs for years.
    void renew(const std::stop_token& stop) {
        while (system_clock().sleep_for(kRenewalLook, stop)) renew_now();
    }

    void renew_now() {
        const Lock one(renewal);
        try {
            net::TlsServerOptions now = certificate_of(options);
            if (now.certificate_pem != certificate.certificate_pem) {
                tls.become(net::TlsContext::server(now));
                certificate = std::move(now);
            }
            services.identity.become(certificate_fingerprint(certificate.certificate_pem),
                                     hosts_of(options));
        } catch (const Error& error) {
            warn(fmt::format("the certificate could not be renewed: {}", error.what()));
        }
    }

    const ServeOptions options;
    const Fd lock;
    net::TlsServerOptions certificate;
    net::TlsContext tls;
    Mutex warning, renewal;
    Services services;
    const Page page;
    Front front;
    const Secret code;
    std::unique_ptr<net::HttpServer> server;
    std::atomic<const net::HttpServer*> running{nullptr};  // requests come before it is assigned
    std::jthread renewer;
};

ApiServer::ApiServer(const ServeOptions& options) {
    net::Listener listener(options.listen);
    state_ = std::make_unique<State>(options, listener);
    state_->start(std::move(listener));
}

ApiServer::~ApiServer() { stop(std::chrono::milliseconds(0)); }

std::string ApiServer::url() const { return "https://" + state_->server->address(); }
std::string ApiServer::fingerprint() const { return state_->services.identity.fingerprint(); }
void ApiServer::renew() { state_->renew_now(); }
bool ApiServer::has_page() const { return !state_->page.empty(); }
const Secret& ApiServer::code() const { return state_->code; }

bool ApiServer::stop(std::chrono::milliseconds grace) {
    state_->renewer.request_stop();
    state_->services.hub.stop();
    state_->services.jobs.stop();
    state_->services.children.stop();
    return state_->server->stop(grace);
}

}  // namespace slipway::server
