#include "server/testing/running_server.hpp"

#include "base/error_catalog.hpp"
#include "base/files.hpp"

#include <csignal>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace slipway::server::testing {

std::string Answer::header(std::string_view name) const {
    return std::string(headers.find(name).value_or(""));
}

json::object Answer::object() const {
    boost::system::error_code failure;
    const json::value value = json::parse(body, failure);
    if (failure || !value.is_object()) {
        ADD_FAILURE() << "no JSON object: " << body;
        return {};
    }
    return value.get_object();
}

bool Answer::is_status() const {
    return status >= 400 && header("Content-Type") == "application/json" &&
           string_at(object(), "kind") == "Status";
}

std::string Answer::id() const {
    if (header("Content-Type") == "application/problem+json") return string_at(object(), "id");
    if (!is_status()) return "";
    return string_at(object().at("details").at("causes").as_array().back().as_object(), "reason");
}

void await(const std::function<bool()>& is_so) {
    const SteadyTime until = system_clock().steady() + std::chrono::seconds(20);
    while (!is_so()) {
        if (system_clock().steady() >= until) {
            ADD_FAILURE() << "waited in vain";
            return;
        }
        system_clock().sleep_for(Millis(5), {});
    }
}

RunningServer::RunningServer(std::span<const PageFile> page) : page_(page) {
    std::signal(SIGPIPE, SIG_IGN);
    set_program("echo '{}'");
    start();
}

RunningServer::~RunningServer() {
    services_->hub.stop();
    services_->jobs.stop();
    services_->children.stop();
}

void RunningServer::set_program(const std::string& script) {
    atomic_write(folder_ / "program", "#!/bin/sh\n" + script + "\n", 0700);
}

void RunningServer::start() {
    services_ = std::make_unique<Services>(Settings{.state = state(),
                                                    .program = (folder_ / "program").string(),
                                                    .version = "test",
                                                    .listen = "127.0.0.1:0",
                                                    .hosts = {"127.0.0.1", "localhost"},
                                                    .fingerprint = "AB:CD",
                                                    .step_problems = step_problems});
    code_ = std::string(services_->passwords.make_code().reveal());
    front_ = std::make_unique<Front>(*services_, page_);
    server_ = std::make_unique<net::HttpServer>(
        net::Listener("127.0.0.1:0"),
        net::ServerOptions{
            .on_served = [this](const net::Served& r) { services_->metrics.served(r); },
            .refusal = refusal_of},
        [this](net::Request& request, net::Response& response) {
            front_->handle(request, response);
        });
    client_ = std::make_unique<net::HttpClient>();
}

void RunningServer::restart() {
    services_->hub.stop();
    services_->jobs.stop();
    services_->children.stop();
    client_.reset();
    server_.reset();
    front_.reset();
    services_.reset();
    cookie_.clear();
    csrf_.clear();
    start();
}

Answer RunningServer::ask(const Ask& ask) {
    net::ClientResponse response =
        client_->send({.method = ask.method,
                       .url = Url::parse(fmt::format("http://127.0.0.1:{}{}", port(), ask.target)),
                       .headers = ask.headers,
                       .body = ask.body});
    Answer out{.status = response.status, .headers = response.headers};
    out.body = response.read_all(64u << 20);
    if (out.status >= 400 && ask.method != "HEAD") {
        EXPECT_TRUE(out.is_status() || out.header("Content-Type") == "application/problem+json")
            << ask.target;
        EXPECT_NE(find_error(out.id()), nullptr) << out.body;
    }
    return out;
}

Answer RunningServer::send(const std::string& method, const std::string& target, std::string body,
                           net::Headers headers) {
    if (!cookie_.empty()) {
        headers.add("Cookie", "slipway_session=" + cookie_);
        if (!headers.find(kCsrfHeader)) headers.add(kCsrfHeader, csrf_);
    }
    if (!body.empty() && !headers.find("Content-Type"))
        headers.add("Content-Type", "application/json");
    return ask({.method = method, .target = target, .headers = headers, .body = std::move(body)});
}

Answer RunningServer::get(const std::string& target, net::Headers headers) {
    return send("GET", target, "", std::move(headers));
}

Answer RunningServer::post(const std::string& target, const json::object& body,
                           net::Headers headers) {
    return send("POST", target, json::serialize(body), std::move(headers));
}

Answer RunningServer::unlock(const std::string& password) {
    Answer answer = post("/api/v1/unlock", {{"code", code_}, {"password", password}});
    if (answer.status != 201) return answer;
    const std::string cookie = answer.header("Set-Cookie");
    const std::size_t begin = cookie.find('=') + 1;
    cookie_ = cookie.substr(begin, cookie.find(';') - begin);
    csrf_ = string_at(answer.object(), "csrf");
    return answer;
}

std::string RunningServer::token(Role role, int days) {
    return services_->tokens.make("test", role, days).text;
}

}  // namespace slipway::server::testing
