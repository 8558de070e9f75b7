// Bundles built from registries and URLs are those built from files.
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/testing/error_of.hpp"
#include "net/http_server.hpp"
#include "net/testing/temporary_file.hpp"
#include "oci/bundle_build.hpp"
#include "oci/client/registry_client.hpp"
#include "oci/client/testing/docker_registry.hpp"
#include "oci/client/testing/fake_registry.hpp"
#include "oci/client/url_fetch.hpp"
#include "oci/media_types.hpp"
#include "oci/reference.hpp"
#include "oci/testing/raw_tar.hpp"
#include "oci/testing/small_images.hpp"
#include "oci/testing/temp_folder.hpp"

#include <csignal>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::oci {
namespace {

using slipway::testing::error_of;
using ::testing::Contains;
using testing::DockerRegistry;
using ::testing::ElementsAre;
using testing::FakeRegistry;
using testing::Faults;
using testing::SmallImages;
using testing::TempFolder;
namespace fs = std::filesystem;

// No waiting in tests.
constexpr RetryRules kAtOnce{.first_wait = Millis(1), .longest_wait = Millis(1)};

std::string built(const TempFolder& folder, const std::string& spec) {
    const std::string head =
        "apiVersion: slipway.dev/v1\nkind: Recipe\nmetadata: {name: sample}\nspec:\n";
    build_bundle(load_recipe({(folder / "recipe.yaml").string(), head + spec}), folder / "x",
                 {.retry = kAtOnce});
    EXPECT_THAT(verify(BundleReader(folder / "x")), ::testing::IsEmpty());
    return read_file(folder / "x", 64u << 20);
}

// With what a real program would have: layers of some size, two platforms, a signature.
SmallImages images() {
    SmallImages out;
    const std::string large = net::testing::pattern(3u << 20);
    const Descriptor amd = out.image({.files = {{"bin", large}, {"etc", "amd64"}}});
    const Descriptor arm =
        out.image({.files = {{"bin", large}, {"etc", "arm64"}}, .architecture = "arm64"});
    const Descriptor both = out.index({amd, arm});
    out.name("registry.k8s.io/team/app:v1", both);
    out.name("registry.k8s.io/pause:3.10", out.image({.files = {{"pause", "p"}}}));
    out.unnamed(out.referrer(both, "signature"));
    return out;
}

// As a push would, with the plain client.
void push_all(RegistryClient& client, const SmallImages& images, const std::string& prefix) {
    for (const Descriptor& root : images.roots()) {
        const auto name = root.annotations.find("io.containerd.image.name");
        const bool is_named = name != root.annotations.end();
        const Reference reference = Reference::parse(
            is_named ? name->second : "registry.k8s.io/team/app@" + root.digest.str());
        const std::string repository = prefix + reference.path;
        for (const auto& [digest, bytes] : images.blobs()) {
            client.upload(repository, digest, {.size = bytes.size(), .open = [&bytes] {
                                                   return std::make_unique<MemoryStream>(bytes);
                                               }});
        }
        for (const auto& [digest, bytes] : images.blobs()) {
            const bool is_image = bytes.starts_with("{\"schemaVersion\"") &&
                                  bytes.find("\"manifests\"") == std::string::npos;
            if (!is_image) continue;
            client.put_manifest(repository, digest.str(),
                                {bytes, std::string(media::kManifest), digest});
        }
        client.put_manifest(repository, is_named ? reference.tag : root.digest.str(),
                            {images.blobs().at(root.digest), root.media_type, root.digest});
        if (is_named) continue;
        // docker-registry has no referrers API: the list lies under a tag.
        const Manifest own = parse_manifest(images.blobs().at(root.digest));
        Descriptor entry = root;
        entry.annotations.clear();
        const std::string list =
            to_text(Index{.media_type = std::string(media::kIndex), .manifests = {entry}});
        client.put_manifest(repository, referrers_tag(own.subject->digest),
                            {list, std::string(media::kIndex), digest_of(list)});
    }
}

constexpr const char* kItems =
    "  images:\n    - registry: registry.k8s.io/team/app:v1\n"
    "    - registry: registry.k8s.io/pause:3.10\n";

TEST(RegistrySources, GiveTheBundleThatFilesGive) {
    std::signal(SIGPIPE, SIG_IGN);
    const DockerRegistry registry;
    RegistryClient client({.host = registry.host(), .plain_http = true});
    push_all(client, images(), "mirror/");
    EXPECT_THAT(client.tags("mirror/team/app"), Contains("v1"));
    EXPECT_THAT(client.catalog(), ElementsAre("mirror/pause", "mirror/team/app"));
    const TempFolder folder;
    images().write_layout(folder / "layout");
    const std::string from_files = built(folder, "  images: [{oci-layout: layout}]\n");
    const std::string how = fmt::format(
        "  registries: [{{host: registry.k8s.io, mirror: \"{}/mirror\", plain-http: true}}]\n",
        registry.host());
    EXPECT_EQ(built(folder, how + kItems), from_files);
    // One platform of it, under the digest of all.
    built(folder, how +
                      "  images:\n    - registry: registry.k8s.io/team/app:v1\n"
                      "      platforms: [linux/arm64]\n");
    const BundleReader one(folder / "x");
    EXPECT_EQ(one.content().find_name("registry.k8s.io/team/app:v1")->digest,
              images().roots()[0].digest);
    EXPECT_LT(one.index().file_size, from_files.size());
    EXPECT_EQ(error_of([&] {
                  built(folder, how + "  images: [{registry: registry.k8s.io/pause:none}]\n");
              }),
              "REGISTRY-UNKNOWN");
}

TEST(RegistrySources, LogInOverTls) {
    std::signal(SIGPIPE, SIG_IGN);
    const DockerRegistry registry({.tls = true, .users = {{"ops", "pass:word"}}});
    RegistryClient client({.host = registry.host(),
                           .ca_pem = registry.ca_pem(),
                           .login = {"ops", Secret("pass:word")}});
    push_all(client, images(), "");
    RegistryClient stranger({.host = registry.host(), .login = {"ops", Secret("pass:word")}});
    EXPECT_EQ(error_of([&] { stranger.ping(); }), "NET-TLS");
    RegistryClient wrong(
        {.host = registry.host(), .ca_pem = registry.ca_pem(), .login = {"ops", Secret("other")}});
    EXPECT_EQ(error_of([&] { wrong.ping(); }), "REGISTRY-LOGIN");
    const TempFolder folder;
    images().write_layout(folder / "layout");
    folder.write("ca.pem", registry.ca_pem());
    ::setenv("SLIPWAY_TEST_REGISTRY_PASSWORD", "pass:word", 1);
    const std::string how = fmt::format(
        "  registries:\n    - host: registry.k8s.io\n      mirror: \"{}\"\n"
        "      ca-file: ca.pem\n"
        "      login: {{user: ops, password: {{env: SLIPWAY_TEST_REGISTRY_PASSWORD}}}}\n",
        registry.host());
    EXPECT_EQ(built(folder, how + kItems), built(folder, "  images: [{oci-layout: layout}]\n"));
    ::unsetenv("SLIPWAY_TEST_REGISTRY_PASSWORD");
}

TEST(RegistrySources, SurviveABadConnection) {
    FakeRegistry fake;
    const SmallImages all = images();
    for (const auto& [digest, bytes] : all.blobs()) {
        for (const char* repository : {"team/app", "pause"}) {
            fake.keep_blob(repository, bytes);
            if (!bytes.starts_with("{\"schemaVersion\"")) continue;
            fake.keep_manifest(
                repository, "", bytes,
                std::string(bytes.find("\"manifests\"") == std::string::npos ? media::kManifest
                                                                             : media::kIndex));
        }
    }
    for (const Descriptor& root : all.roots()) {
        const auto name = root.annotations.find("io.containerd.image.name");
        if (name == root.annotations.end()) continue;
        const Reference reference = Reference::parse(name->second);
        fake.keep_manifest(reference.path, reference.tag, all.blobs().at(root.digest),
                           root.media_type);
    }
    fake.faults([](Faults& f) {
        f.cut_blobs_after = 256u << 10;
        f.broken = 3;
        f.wants_token = true;
        f.uses_of_token = 9;
    });
    const TempFolder folder;
    all.write_layout(folder / "layout");
    folder.write("password", "secret");
    fs::permissions(folder / "password", fs::perms::owner_read);
    const std::string how = fmt::format(
        "  registries:\n    - {{host: registry.k8s.io, mirror: \"{}\", plain-http: true,"
        " login: {{user: ops, password: {{file: password}}}}}}\n",
        fake.host());
    EXPECT_EQ(built(folder, how + kItems), built(folder, "  images: [{oci-layout: layout}]\n"));
    fake.faults([](Faults& f) { f.spoil_blobs = true; });
    fs::remove(folder / "x");
    EXPECT_EQ(error_of([&] { built(folder, how + kItems); }), "DIGEST-MISMATCH");
    EXPECT_FALSE(fs::exists(folder / "x"));
    // Neither the spool nor a half of the bundle stays.
    for (const auto& entry : fs::directory_iterator(folder.path())) {
        EXPECT_THAT(entry.path().filename().string(), ::testing::Not(::testing::HasSubstr("x.")));
    }
}

// Files over HTTP, each answer cut after so many bytes.
class Files {
  public:
    Files(std::map<std::string, std::string> files, std::uint64_t cut)
        : server_(net::Listener("127.0.0.1:0"), {},
                  [files = std::move(files), cut](net::Request& request, net::Response& response) {
                      serve(files, cut, request, response);
                  }) {}
    std::string url(const std::string& name) const {
        return "http://" + server_.address() + "/files/" + name;
    }

  private:
    static void serve(const std::map<std::string, std::string>& files, std::uint64_t cut,
                      net::Request& request, net::Response& response) {
        const std::string& path = request.target.path;
        const auto found = files.find(path.substr(path.rfind('/') + 1));
        if (found == files.end()) {
            response.status = 404;
            return;
        }
        std::string bytes = found->second;
        if (const auto range = request.headers.find("Range")) {
            const std::size_t begin = std::stoull(std::string(range->substr(6)));
            response.status = 206;
            response.headers.set("Content-Range", fmt::format("bytes {}-{}/{}", begin,
                                                              bytes.size() - 1, bytes.size()));
            bytes.erase(0, begin);
        }
        if (bytes.size() <= cut) {
            response.body = bytes;
            return;
        }
        bytes.resize(cut);
        response.body = net::Producer([bytes, at = std::size_t{0}](std::span<char> room) mutable {
            const std::size_t n = std::min(room.size(), bytes.size() - at);
            if (n == 0) throw std::runtime_error("cut off");
            bytes.copy(room.data(), n, at);
            at += n;
            return n;
        });
    }

    net::HttpServer server_;
};

std::string chart_tgz() {
    return testing::gzip(testing::tar_of(
        {{"server/Chart.yaml", "apiVersion: v2\nname: server\nversion: 1.2.3+x\n"}}));
}

TEST(UrlSources, GiveTheBundleThatFilesGive) {
    std::signal(SIGPIPE, SIG_IGN);
    const std::string program = net::testing::pattern(1u << 20), chart = chart_tgz();
    const Files files({{"kubeadm", program}, {"server.tgz", chart}}, 100'000);
    const TempFolder folder;
    folder.write("kubeadm", program);
    folder.write("server.tgz", chart);
    const std::string from_files = built(
        folder, "  binaries: [{file: kubeadm, version: v1}]\n  charts: [{chart: server.tgz}]\n");
    EXPECT_EQ(built(folder, fmt::format("  binaries: [{{url: \"{}?x=y\", version: v1, sha256: {}}}]"
                                        "\n  charts: [{{url: \"{}\", sha256: {}}}]\n",
                                        files.url("kubeadm"), digest_of(program).hex,
                                        files.url("server.tgz"), digest_of(chart).hex)),
              from_files);
    const auto binary = [&](const std::string& url, const std::string& sha256) {
        return error_of([&] {
            built(folder, fmt::format("  binaries: [{{url: \"{}\"{}}}]\n", url,
                                      sha256.empty() ? "" : ", sha256: " + sha256));
        });
    };
    EXPECT_EQ(binary(files.url("kubeadm"), digest_of(chart).hex), "DIGEST-MISMATCH");
    EXPECT_EQ(binary(files.url("kubeadm"), ""), "RECIPE-INVALID");
    EXPECT_EQ(binary("ftp://a/b", digest_of(chart).hex), "RECIPE-INVALID");
    EXPECT_EQ(binary(files.url("absent"), digest_of(chart).hex), "REGISTRY-UNKNOWN");
}

TEST(RegistrySources, AMirrorWithoutAPlatformAskedForIsFoundOut) {
    FakeRegistry fake;
    const SmallImages all = images();
    const std::string index = all.blobs().at(all.roots()[0].digest);
    for (const auto& [digest, bytes] : all.blobs()) fake.keep_blob("team/app", bytes);
    const Digest amd = parse_index(index).manifests[0].digest;
    fake.keep_manifest("team/app", "", all.blobs().at(amd), std::string(media::kManifest));
    fake.keep_manifest("team/app", "v1", index, std::string(media::kIndex));
    const TempFolder folder;
    const auto with = [&](const std::string& platforms) {
        return error_of([&] {
            built(folder, fmt::format("  registries: [{{host: registry.k8s.io, mirror: \"{}\", "
                                      "plain-http: true}}]\n  images:\n    - registry: "
                                      "registry.k8s.io/team/app:v1\n      platforms: [{}]\n",
                                      fake.host(), platforms));
        });
    };
    EXPECT_EQ(with("linux/amd64"), "none");
    EXPECT_EQ(with("linux/amd64, linux/arm64"), "IMAGE-NO-PLATFORM");
}

TEST(UrlSources, ShowNoSecrets) {
    EXPECT_EQ(shown_url("https://a.b/c?token=secret"), "https://a.b/c");
    for (const char* url : {"https://me:secret@a.b/c", "me:secret@a.b", "https://a b/?x=secret"}) {
        try {
            shown_url(url);
            ADD_FAILURE() << url;
        } catch (const UserError& error) {
            EXPECT_EQ(error.id(), "URL-INVALID");
            EXPECT_EQ(error.message().find("secret"), std::string::npos) << error.message();
        }
    }
}

TEST(RegistrySources, TakeChartsUnderTheNameOfOurs) {
    FakeRegistry fake;
    const TempFolder folder;
    folder.write("server.tgz", chart_tgz());
    built(folder, "  charts: [{chart: server.tgz}]\n");
    const BundleReader own(folder / "x");
    const BundleRoot* root = own.content().find_name("slipway.local/charts/server:1.2.3_x");
    ASSERT_NE(root, nullptr);
    for (const BundleBlob& blob : own.content().blobs) {
        fake.keep_blob("charts/server", read_whole(*own.open(blob.digest), 1u << 20, "a blob"));
    }
    fake.keep_manifest("charts/server", "1.2.3_x", own.manifest(root->digest),
                       std::string(media::kManifest));
    built(folder, fmt::format("  registries: [{{host: \"{0}\", plain-http: true}}]\n"
                              "  charts: [{{registry: \"{0}/charts/server:1.2.3_x\"}}]\n",
                              fake.host()));
    const BundleReader taken(folder / "x");
    const BundleRoot* same = taken.content().find_name("slipway.local/charts/server:1.2.3_x");
    ASSERT_NE(same, nullptr);
    EXPECT_EQ(same->digest, root->digest);
    EXPECT_EQ(same->kind, RootKind::chart);
}

}  // namespace
}  // namespace slipway::oci
