#include "registry/testing/running_registry.hpp"

#include "base/json.hpp"
#include "oci/bundle_writer.hpp"
#include "oci/media_types.hpp"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <system_error>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <unistd.h>

namespace slipway::registry::testing {

namespace {

constexpr std::uint64_t kMostAnswer = 64u << 20;

void expect_error_form(const Answer& answer, const Ask& ask) {
    if (answer.status < 400 || ask.method == "HEAD") return;
    EXPECT_EQ(answer.header("Content-Type"), "application/json") << ask.method << ' ' << ask.target;
    EXPECT_NE(answer.code(), "") << ask.method << ' ' << ask.target << ": " << answer.body;
}

}  // namespace

std::string Answer::header(std::string_view name) const {
    return std::string(headers.find(name).value_or(""));
}

json::object Answer::object() const { return parse_json(body, "an answer").as_object(); }

std::string Answer::code() const {
    json::error_code failure;
    const json::value value = json::parse(json::string_view(body.data(), body.size()), failure);
    if (failure || !value.is_object()) return "";
    const json::value* errors = value.get_object().if_contains("errors");
    if (errors == nullptr || !errors->is_array() || errors->get_array().empty()) return "";
    const json::object& first = errors->get_array().front().as_object();
    if (!first.contains("message") || first.at("message").as_string().empty()) return "";
    return std::string(first.at("code").as_string());
}

std::vector<std::string> Answer::list(std::string_view key) const {
    std::vector<std::string> out;
    const json::object all = object();
    for (const json::value& one : all.at(key).as_array())
        out.emplace_back(one.as_string().begin(), one.as_string().end());
    return out;
}

MemoryFolder::MemoryFolder() {
    namespace fs = std::filesystem;
    const fs::path memory = "/dev/shm";
    const bool usable = ::access(memory.c_str(), W_OK) == 0;
    std::string name =
        ((usable ? memory : fs::temp_directory_path()) / "slipway-registry-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr)
        throw std::system_error(errno, std::generic_category(), name);
    path_ = name;
}

MemoryFolder::~MemoryFolder() {
    std::error_code none;
    std::filesystem::remove_all(path_, none);
}

RunningRegistry::RunningRegistry(RunOptions options) : options_(std::move(options)) {
    std::signal(SIGPIPE, SIG_IGN);  // as the program does
    start();
}

RunningRegistry::~RunningRegistry() = default;

void RunningRegistry::start() {
    std::vector<std::shared_ptr<const oci::BundleReader>> bundles;
    for (const auto& path : options_.bundles)
        bundles.push_back(std::make_shared<const oci::BundleReader>(path));
    const auto store = options_.store ? std::make_shared<Store>(folder()) : nullptr;
    registry_ = std::make_unique<Registry>(Library(store, bundles), options_.registry);
    net::ServerOptions server = options_.server;
    server.on_served = [this](const net::Served& record) { registry_->served(record); };
    server_ =
        std::make_unique<net::HttpServer>(net::Listener("127.0.0.1:0"), std::move(server),
                                          [this](net::Request& request, net::Response& response) {
                                              registry_->handle(request, response);
                                          });
    client_ = std::make_unique<net::HttpClient>();
}

void RunningRegistry::stop() {
    client_.reset();
    server_.reset();
    registry_.reset();
}

void RunningRegistry::restart() {
    stop();
    start();
}

void RunningRegistry::restart(RunOptions options) {
    stop();
    options_ = std::move(options);
    start();
}

Answer RunningRegistry::ask(const Ask& ask) {
    net::ClientRequest request{
        .method = ask.method,
        .url = Url::parse(fmt::format("http://127.0.0.1:{}{}", port(), ask.target)),
        .headers = ask.headers,
        .body = ask.body};
    if (ask.chunked) {
        request.body = [left = std::string_view(ask.body)](std::span<char> room) mutable {
            const std::size_t now = std::min(room.size(), left.size());
            std::copy_n(left.begin(), now, room.begin());
            left.remove_prefix(now);
            return now;
        };
    }
    net::ClientResponse got = client_->send(request);
    Answer out{.status = got.status, .headers = got.headers, .body = got.read_all(kMostAnswer)};
    expect_error_form(out, ask);
    return out;
}

Answer RunningRegistry::get(const std::string& target, net::Headers headers) {
    return ask({.target = target, .headers = std::move(headers)});
}

Answer RunningRegistry::head(const std::string& target, net::Headers headers) {
    return ask({.method = "HEAD", .target = target, .headers = std::move(headers)});
}

Answer RunningRegistry::post(const std::string& target, std::string body, net::Headers headers) {
    return ask({.method = "POST",
                .target = target,
                .headers = std::move(headers),
                .body = std::move(body)});
}

Answer RunningRegistry::patch(const std::string& target, std::string body, net::Headers headers) {
    return ask({.method = "PATCH",
                .target = target,
                .headers = std::move(headers),
                .body = std::move(body)});
}

Answer RunningRegistry::put(const std::string& target, std::string body, net::Headers headers) {
    return ask({.method = "PUT",
                .target = target,
                .headers = std::move(headers),
                .body = std::move(body)});
}

Answer RunningRegistry::remove(const std::string& target) {
    return ask({.method = "DELETE", .target = target});
}

oci::Digest RunningRegistry::push_blob(const std::string& repository, const std::string& bytes,
                                       oci::Algorithm algorithm) {
    const oci::Digest digest = oci::digest_of(bytes, algorithm);
    const Answer answer = post(uploads_path(repository) + "?digest=" + digest.str(), bytes);
    EXPECT_EQ(answer.status, 201) << answer.body;
    return digest;
}

Answer RunningRegistry::push_manifest(const std::string& repository, const std::string& reference,
                                      const std::string& bytes, std::string_view type) {
    return put(manifest_path(repository, reference), bytes, {{"Content-Type", std::string(type)}});
}

oci::Digest RunningRegistry::push_image(const std::string& repository, const std::string& tag,
                                        const std::string& layer) {
    const oci::Digest config = push_blob(repository, "{}");
    const oci::Digest bytes = push_blob(repository, layer);
    const std::string text = image_text(config, 2, {{bytes, layer.size()}});
    const Answer answer = push_manifest(repository, tag, text, oci::media::kManifest);
    EXPECT_EQ(answer.status, 201) << answer.body;
    return oci::digest_of(text);
}

bool RunningRegistry::pulls_whole(const std::string& repository, const std::string& reference) {
    const Answer answer = get(manifest_path(repository, reference));
    const auto digest = oci::Digest::try_parse(answer.header("Docker-Content-Digest"));
    if (answer.status != 200 || !digest ||
        oci::digest_of(answer.body, digest->algorithm) != *digest)
        return false;
    const oci::Document document = oci::parse_document(answer.body, answer.header("Content-Type"));
    if (const auto* index = std::get_if<oci::Index>(&document)) {
        return std::ranges::all_of(index->manifests, [&](const oci::Descriptor& one) {
            return pulls_whole(repository, one.digest.str());
        });
    }
    const auto& image = std::get<oci::Manifest>(document);
    std::vector<oci::Descriptor> parts = image.layers;
    parts.push_back(image.config);
    return std::ranges::all_of(parts, [&](const oci::Descriptor& part) {
        const Answer blob = get(blob_path(repository, part.digest));
        return blob.status == 200 && blob.body.size() == part.size &&
               oci::digest_of(blob.body, part.digest.algorithm) == part.digest;
    });
}

std::string blob_path(const std::string& repository, const oci::Digest& digest) {
    return fmt::format("/v2/{}/blobs/{}", repository, digest.str());
}

std::string manifest_path(const std::string& repository, const std::string& reference) {
    return fmt::format("/v2/{}/manifests/{}", repository, reference);
}

std::string uploads_path(const std::string& repository) {
    return fmt::format("/v2/{}/blobs/uploads/", repository);
}

std::string with_digest(const std::string& location, const oci::Digest& digest) {
    return location + (location.find('?') == std::string::npos ? "?" : "&") +
           "digest=" + digest.str();
}

std::string image_text(const oci::Digest& config, std::size_t config_size,
                       const std::vector<std::pair<oci::Digest, std::size_t>>& layers) {
    oci::Manifest manifest{
        .media_type = std::string(oci::media::kManifest),
        .config = {
            .media_type = std::string(oci::media::kConfig), .digest = config, .size = config_size}};
    for (const auto& [digest, size] : layers) {
        manifest.layers.push_back(
            {.media_type = std::string(oci::media::kLayerGzip), .digest = digest, .size = size});
    }
    return oci::to_text(manifest);
}

std::filesystem::path write_bundle(const oci::testing::TempFolder& folder, std::string_view name,
                                   const oci::testing::SmallImages& images) {
    oci::write_bundle(folder / name, oci::lay_out(images.content()), images.opener());
    return folder / name;
}

}  // namespace slipway::registry::testing
