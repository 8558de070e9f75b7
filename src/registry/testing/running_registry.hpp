// A registry that runs in this process with a folder of its own, and a client of it.
//
//     RunningRegistry registry;
//     const oci::Digest layer = registry.push_blob("team/app", "bytes");
//     EXPECT_EQ(registry.get("/v2/team/app/blobs/" + layer.str()).body, "bytes");
//
// Whatever is refused must say so in the words of the distribution spec: ask() fails the test when
// an answer of 4xx or 5xx has no error of that form.
#pragma once

#include "net/http_client.hpp"
#include "net/http_server.hpp"
#include "oci/testing/small_images.hpp"
#include "oci/testing/temp_folder.hpp"
#include "registry/registry.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace slipway::registry::testing {

struct Answer {
    int status = 0;
    net::Headers headers = {};
    std::string body = {};

    std::string header(std::string_view name) const;  // "" when it is not there
    json::object object() const;                      // the body
    std::string code() const;                         // of the error, "" when there is none
    std::vector<std::string> list(std::string_view key) const;
};

struct Ask {
    std::string method = "GET";
    std::string target = "/v2/";
    net::Headers headers = {};
    std::string body = {};
    bool chunked = false;  // no Content-Length
};

struct RunOptions {
    bool store = true;
    std::vector<std::filesystem::path> bundles = {};
    RegistryOptions registry = {};
    net::ServerOptions server = {};
};

// A folder of a test's own in memory, where an fsync costs nothing.
class MemoryFolder {
  public:
    MemoryFolder();
    ~MemoryFolder();
    MemoryFolder(const MemoryFolder&) = delete;
    MemoryFolder& operator=(const MemoryFolder&) = delete;
    const std::filesystem::path& path() const { return path_; }

  private:
    std::filesystem::path path_;
};

class RunningRegistry {
  public:
    explicit RunningRegistry(RunOptions options = {});
    ~RunningRegistry();
    RunningRegistry(const RunningRegistry&) = delete;
    RunningRegistry& operator=(const RunningRegistry&) = delete;

    Answer ask(const Ask& ask);
    Answer get(const std::string& target, net::Headers headers = {});
    Answer head(const std::string& target, net::Headers headers = {});
    Answer post(const std::string& target, std::string body = {}, net::Headers headers = {});
    Answer patch(const std::string& target, std::string body, net::Headers headers = {});
    Answer put(const std::string& target, std::string body, net::Headers headers = {});
    Answer remove(const std::string& target);

    oci::Digest push_blob(const std::string& repository, const std::string& bytes,
                          oci::Algorithm algorithm = oci::Algorithm::sha256);
    Answer push_manifest(const std::string& repository, const std::string& reference,
                         const std::string& bytes, std::string_view type);
    // An image of one layer, whole and tagged; its manifest's digest.
    oci::Digest push_image(const std::string& repository, const std::string& tag,
                           const std::string& layer);
    // Every byte of what the tag names; false when anything is missing or not what it should be.
    bool pulls_whole(const std::string& repository, const std::string& reference);

    // As a new process would: nothing is left in memory.
    void restart();
    void restart(RunOptions options);
    void stop();  // the server; the files stay

    std::uint16_t port() const { return server_->port(); }
    Registry& registry() { return *registry_; }
    Store& store() { return *registry_->library().store(); }
    std::filesystem::path folder() const { return folder_.path() / "store"; }
    net::ServerStats stats() const { return server_->stats(); }

  private:
    void start();

    RunOptions options_;
    MemoryFolder folder_;
    std::unique_ptr<Registry> registry_;
    std::unique_ptr<net::HttpServer> server_;
    std::unique_ptr<net::HttpClient> client_;
};

std::string blob_path(const std::string& repository, const oci::Digest& digest);
std::string manifest_path(const std::string& repository, const std::string& reference);
std::string uploads_path(const std::string& repository);
// The Location of an answer with one more parameter.
std::string with_digest(const std::string& location, const oci::Digest& digest);

// The text of an image manifest over these blobs, in the form everybody writes.
std::string image_text(const oci::Digest& config, std::size_t config_size,
                       const std::vector<std::pair<oci::Digest, std::size_t>>& layers);

// All bundles a test needs, written into a folder.
std::filesystem::path write_bundle(const oci::testing::TempFolder& folder, std::string_view name,
                                   const oci::testing::SmallImages& images);

}  // namespace slipway::registry::testing
