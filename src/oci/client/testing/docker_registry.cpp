#include "oci/client/testing/docker_registry.hpp"

#include "base/files.hpp"
#include "pki/testing/test_pair.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <unistd.h>

namespace slipway::oci::testing {

namespace {

// Its address as it says it, among much else.
std::string address_in(int fd) {
    std::string text;
    for (char c = 0; ::read(fd, &c, 1) == 1;) {
        text += c;
        constexpr std::string_view kBefore = "listening on ";
        const std::size_t at = text.find(kBefore);
        if (at == std::string::npos) continue;
        const std::string rest = text.substr(at + kBefore.size());
        const std::size_t end = rest.find_first_of(" ,\"\n");
        if (end != std::string::npos) return rest.substr(0, end);
    }
    ADD_FAILURE() << "docker-registry did not start: " << text;
    return "127.0.0.1:1";
}

std::string hashed(const std::string& user, const std::string& password) {
    Subprocess program({.argv = {"htpasswd", "-niB", "-C", "5", user}});
    EXPECT_EQ(::write(program.in(), password.data(), password.size()),
              static_cast<ssize_t>(password.size()));
    program.close_in();
    std::string out = read_all(program.out(), "htpasswd");
    EXPECT_EQ(program.wait(), 0);
    return out;
}

}  // namespace

DockerRegistry::DockerRegistry(const DockerRegistryOptions& options)
    : tls_(options.tls), login_(!options.users.empty()), host_("127.0.0.1:0") {
    if (tls_) make_certificates();
    if (login_) make_users(options.users);
    start();
}

DockerRegistry::~DockerRegistry() { stop(); }

void DockerRegistry::make_certificates() {
    const pki::Authority ca = pki::testing::test_authority();
    const pki::KeyPair own = pki::testing::server_pair(ca);
    ca_pem_ = ca.certificate();
    folder_.write("ca.pem", ca_pem_);
    folder_.write("own.pem", own.certificate);
    folder_.write("own.key", own.key.reveal());
}

void DockerRegistry::make_users(const std::map<std::string, std::string>& users) {
    std::string lines;
    for (const auto& [user, password] : users) lines += hashed(user, password);
    folder_.write("users", lines);
}

void DockerRegistry::start() {
    std::string config = fmt::format(
        "version: 0.1\nlog: {{level: info, accesslog: {{disabled: true}}}}\n"
        "storage:\n  filesystem: {{rootdirectory: {}}}\n  delete: {{enabled: true}}\n"
        "http:\n  addr: {}\n  secret: test\n",
        data().string(), host_);
    if (tls_) {
        config += fmt::format("  tls: {{certificate: {}, key: {}}}\n",
                              (folder_ / "own.pem").string(), (folder_ / "own.key").string());
    }
    if (login_) {
        config += fmt::format("auth:\n  htpasswd: {{realm: test, path: {}}}\n",
                              (folder_ / "users").string());
    }
    const std::string file = folder_.write("config.yml", config).string();
    program_ = std::make_unique<Subprocess>(SubprocessOptions{
        .argv = {"docker-registry", "serve", file}, .env = {{"OTEL_TRACES_EXPORTER", "none"}}});
    host_ = address_in(program_->err());
    // What it says later would fill the pipe and stop it.
    drain_ = std::jthread([fd = ::dup(program_->err())] {
        const Fd own(fd);
        std::string buffer(4096, '\0');
        while (::read(own.get(), buffer.data(), buffer.size()) > 0) {
        }
    });
}

void DockerRegistry::stop() {
    if (program_ == nullptr) return;
    program_->end();
    program_->wait();
    program_.reset();
    if (drain_.joinable()) drain_.join();
}

}  // namespace slipway::oci::testing
