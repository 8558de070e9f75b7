// A server that runs: certificate at hand, listening.
//
//     ApiServer server({.state = root, .listen = "127.0.0.1:8443"});
//     say("ready: " + server.url());
//     …
//     server.stop(10s);
#pragma once

#include "base/secret.hpp"
#include "convert/convert.hpp"
#include "net/http_server.hpp"

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace slipway::server {

struct ServeOptions {
    std::filesystem::path state = {};
    std::string listen = "127.0.0.1:8443";
    std::vector<std::string> public_names = {};
    std::filesystem::path certificate = {}, key = {};  // "": one of its own
    std::string version = {};
    std::string program = "/proc/self/exe";
    std::size_t max_connections = 1200;  // a thread each
    convert::MoreProblems step_problems = {};
    std::function<void(const std::string&)> warn = {};  // from any thread, one at a time
};

class ApiServer {
  public:
    // Throws UserError and StateError: nothing is served when anything is wrong.
    explicit ApiServer(const ServeOptions& options);
    ~ApiServer();
    ApiServer(const ApiServer&) = delete;
    ApiServer& operator=(const ApiServer&) = delete;

    std::string url() const;
    std::string fingerprint() const;
    bool has_page() const;
    // While no password is set: what unlocks it, new at each start. Else empty.
    const Secret& code() const;

    // Looks for another certificate and other names of this computer, as it does twice a day.
    void renew();
    // Takes nothing new and lets what is under way end; true when nothing was cut.
    bool stop(std::chrono::milliseconds grace);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace slipway::server
