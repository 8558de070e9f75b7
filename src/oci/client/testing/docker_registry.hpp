// The registry others use, Debian's docker-registry, on this computer for the length of a test.
//
//     DockerRegistry registry({.tls = true, .users = {{"ops", "secret"}}});
//     RegistryClient client({.host = registry.host(), .ca_pem = registry.ca_pem(), …});
#pragma once

#include "base/subprocess.hpp"
#include "oci/testing/temp_folder.hpp"

#include <map>
#include <memory>
#include <string>
#include <thread>

namespace slipway::oci::testing {

struct DockerRegistryOptions {
    bool tls = false;
    std::map<std::string, std::string> users = {};  // with passwords; none: no login
};

class DockerRegistry {
  public:
    explicit DockerRegistry(const DockerRegistryOptions& options = {});
    ~DockerRegistry();
    DockerRegistry(const DockerRegistry&) = delete;
    DockerRegistry& operator=(const DockerRegistry&) = delete;

    const std::string& host() const { return host_; }  // 127.0.0.1:43211
    const std::string& ca_pem() const { return ca_pem_; }
    std::string ca_file() const { return (folder_ / "ca.pem").string(); }
    std::filesystem::path data() const { return folder_ / "data"; }

    void stop();
    void start();  // again, at the same port and with the same data

  private:
    void make_certificates();
    void make_users(const std::map<std::string, std::string>& users);

    TempFolder folder_;
    bool tls_ = false;
    bool login_ = false;
    std::string host_;
    std::string ca_pem_;
    std::unique_ptr<Subprocess> program_;
    std::jthread drain_;
};

}  // namespace slipway::oci::testing
