// A server that runs in this process over plain HTTP with a folder of its own, and a client of it.
//
//     RunningServer server;
//     server.unlock();
//     EXPECT_EQ(server.get("/api/v1/clusters").status, 200);
//
// Whatever is refused must be a problem, or a Status of Kubernetes, with an id of the catalogue:
// ask() fails the test else.
#pragma once

#include "net/http_client.hpp"
#include "net/http_server.hpp"
#include "oci/testing/temp_folder.hpp"
#include "server/front.hpp"

#include <functional>
#include <memory>
#include <string>

namespace slipway::server::testing {

struct Answer {
    int status = 0;
    net::Headers headers = {};
    std::string body = {};

    std::string header(std::string_view name) const;  // "" when it is not there
    json::object object() const;
    std::string id() const;  // of the problem or the Status, "" when it is none
    bool is_status() const;  // Kubernetes', of something that was refused
};

struct Ask {
    std::string method = "GET";
    std::string target = "/";
    net::Headers headers = {};
    std::string body = {};
};

inline constexpr const char* kPassword = "correct horse battery";

// Looks until it is true; fails the test when it does not become so.
void await(const std::function<bool()>& is_so);

class RunningServer {
  public:
    explicit RunningServer(std::span<const PageFile> page = {});
    ~RunningServer();
    RunningServer(const RunningServer&) = delete;
    RunningServer& operator=(const RunningServer&) = delete;

    // As it is, with a Host that is allowed.
    Answer ask(const Ask& ask);
    // With the session of unlock(), if any, and its CSRF token.
    Answer send(const std::string& method, const std::string& target, std::string body = "",
                net::Headers headers = {});
    Answer get(const std::string& target, net::Headers headers = {});
    Answer post(const std::string& target, const json::object& body = {},
                net::Headers headers = {});

    Answer unlock(const std::string& password = kPassword);
    std::string code() const { return code_; }
    std::string token(Role role, int days = 1);
    std::string cookie() const { return cookie_; }
    std::string csrf() const { return csrf_; }

    // As a new process would: nothing is left in memory.
    void restart();

    Services& services() { return *services_; }
    std::filesystem::path state() const { return folder_ / "state"; }
    std::uint16_t port() const { return server_->port(); }

    // The program children run: a script for /bin/sh.
    void set_program(const std::string& script);

    convert::MoreProblems step_problems = {};  // for the next start

  private:
    void start();

    oci::testing::TempFolder folder_;
    Page page_;
    std::unique_ptr<Services> services_;
    std::unique_ptr<Front> front_;
    std::unique_ptr<net::HttpServer> server_;
    std::unique_ptr<net::HttpClient> client_;
    std::string code_, cookie_, csrf_;
};

}  // namespace slipway::server::testing
