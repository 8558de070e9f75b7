// The files of a package repository: a folder, or a server.
//
//     const auto files = open_repository("https://deb.example.com/debian", {});
//     if (auto stream = files->open("dists/bookworm/InRelease")) …
#pragma once

#include "oci/byte_stream.hpp"

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

namespace slipway::oci::packages {

class RepositoryFiles {
  public:
    virtual ~RepositoryFiles() = default;
    // nullptr: there is no such file. Throws HostError when the server cannot be asked.
    virtual std::unique_ptr<ByteStream> open(const std::string& path) = 0;
    // Where the file lies, when it is on this computer.
    virtual std::optional<std::filesystem::path> local(const std::string& path) const = 0;
    virtual std::string label() const = 0;
};

struct ServerOptions {
    std::string ca_pem = {};  // trusted instead of the system's certificates
    int tries = 4;
    std::chrono::milliseconds pause{500};  // after the first failure; twice as long each time
    std::stop_token stop = {};
};

std::unique_ptr<RepositoryFiles> folder_repository(const std::filesystem::path& folder);
std::unique_ptr<RepositoryFiles> server_repository(const std::string& url, ServerOptions options);

// All of a small file; throws UserError REPOSITORY-INVALID when there is none.
std::string read_required(RepositoryFiles& files, const std::string& path, std::size_t limit);
std::optional<std::string> read_if_any(RepositoryFiles& files, const std::string& path,
                                       std::size_t limit);

}  // namespace slipway::oci::packages
