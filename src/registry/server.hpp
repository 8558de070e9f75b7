// A registry that runs: bundles and store opened, certificate at hand, listening.
//
//     RegistryServer server({.bundles = {"kubernetes.bundle"}, .listen = ":5000"});
//     say("ready: " + server.url());
//     …
//     server.stop(10s);
#pragma once

#include "registry/housekeeping.hpp"
#include "registry/registry.hpp"

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace slipway::registry {

struct ServeOptions {
    std::vector<std::filesystem::path> bundles = {};
    // Looks at each bundle before anything is served; throws to keep it out.
    std::function<void(const oci::BundleReader&)> admit = {};
    std::filesystem::path store = {};  // "": nothing can be written
    std::string listen = "127.0.0.1:5000";
    bool plain_http = false;
    std::filesystem::path certificate = {}, key = {};  // "": own_certificate
    std::filesystem::path tls_folder = {};             // of own_certificate
    std::vector<std::string> names = {};               // in it, beside those of this computer
    std::filesystem::path logins = {};                 // "": everyone may do everything
    bool anyone_reads = false;
    bool read_only = false;
    std::filesystem::path access_log = {};  // "": none
    std::size_t max_connections = 1024;
    std::uint64_t largest_blob = 1ull << 40;
    std::chrono::seconds keep_uploads{24 * 3600};  // one nobody writes to is given up
    HousekeepingOptions housekeeping = {};
    // Of what goes wrong while it serves; from any thread, one at a time.
    std::function<void(const std::string&)> warn = {};
};

// As many files as the system allows this program: connections, blobs on their way.
void raise_limit_of_files();

class RegistryServer {
  public:
    // Throws UserError and StateError: nothing is served when anything is wrong.
    explicit RegistryServer(const ServeOptions& options);
    ~RegistryServer();
    RegistryServer(const RegistryServer&) = delete;
    RegistryServer& operator=(const RegistryServer&) = delete;

    std::string url() const;  // https://127.0.0.1:5000
    std::size_t image_names() const { return names_; }
    bool writable() const;
    net::ServerStats stats() const;

    // Takes nothing new and lets what is under way end; true when nothing was cut.
    bool stop(std::chrono::milliseconds grace);

  private:
    struct State;
    std::unique_ptr<State> state_;
    std::size_t names_ = 0;
};

}  // namespace slipway::registry
