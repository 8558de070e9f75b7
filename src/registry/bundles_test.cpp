// Bundles served where they lie, alone and under a store.
#include "oci/bundle_writer.hpp"
#include "oci/media_types.hpp"
#include "registry/testing/running_registry.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::registry {
namespace {

namespace media = oci::media;
using oci::testing::SmallImages;
using oci::testing::TempFolder;
using testing::Answer;
using testing::blob_path;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::manifest_path;
using testing::RunningRegistry;
using testing::RunOptions;
using ::testing::SizeIs;
using testing::uploads_path;

const std::string kOne = "registry.k8s.io/one";

class Bundles : public ::testing::Test {
  protected:
    RunOptions with(std::vector<std::filesystem::path> bundles, bool store = true) {
        return {.store = store, .bundles = std::move(bundles)};
    }
    std::filesystem::path sample() {
        return testing::write_bundle(folder_, "sample.bundle", images_);
    }
    const oci::Digest& root(std::size_t i) const { return images_.roots()[i].digest; }
    std::string any_layer(const std::string& repository, RunningRegistry& registry) {
        const std::string text = registry.get(manifest_path(repository, "v2")).body;
        return oci::parse_manifest(text).layers.back().digest.str();
    }

    TempFolder folder_;
    SmallImages images_ = oci::testing::sample_images();
};

TEST_F(Bundles, ServeEveryByteUnderItsName) {
    RunningRegistry registry(with({sample()}, false));
    for (const auto& [repository, tag] : std::map<std::string, std::string>{
             {kOne, "v1"}, {"quay.io/folder/two", "v2"}, {"docker.io/library/plain", "latest"}}) {
        EXPECT_TRUE(registry.pulls_whole(repository, tag)) << repository;
        EXPECT_THAT(registry.get(fmt::format("/v2/{}/tags/list", repository)).list("tags"),
                    ElementsAre(tag));
    }
    for (const auto& [digest, bytes] : images_.blobs())
        EXPECT_EQ(registry.get(blob_path(kOne, digest)).body, bytes);
    EXPECT_THAT(registry.get("/v2/_catalog").list("repositories"),
                ElementsAre("docker.io/library/plain", "quay.io/folder/two", kOne));
    const Answer part =
        registry.get(blob_path(kOne, images_.roots()[0].digest), {{"Range", "bytes=2-5"}});
    EXPECT_EQ(part.status, 206);
    EXPECT_EQ(part.body, images_.blobs().at(root(0)).substr(2, 4));
}

TEST_F(Bundles, AreFoundInThreeWays) {
    RunningRegistry registry(with({sample()}, false));
    const std::string bytes = images_.blobs().at(root(0));
    for (const char* target :
         {"/v2/registry.k8s.io/one/manifests/v1", "/v2/one/manifests/v1?ns=registry.k8s.io",
          "/v2/one/manifests/v1", "/v2/registry.k8s.io/one/manifests/v1?ns=registry.k8s.io"}) {
        const Answer answer = registry.get(target);
        EXPECT_EQ(answer.status, 200) << target;
        EXPECT_EQ(answer.body, bytes) << target;
        EXPECT_EQ(answer.header("Content-Type"), media::kIndex);
    }
    for (const char* ns : {"quay.io", "%2E%2E%2F%2E%2E", "registry.k8s.io%2Fone%2F.."})
        EXPECT_EQ(registry.get(std::string("/v2/one/manifests/v1?ns=") + ns).status, 404) << ns;
    EXPECT_EQ(registry.get("/v2/folder/two/manifests/v2").status, 200);
    EXPECT_EQ(registry.get("/v2/two/manifests/v2").status, 404);
    EXPECT_THAT(registry.get("/v2/one/tags/list?ns=registry.k8s.io").list("tags"),
                ElementsAre("v1"));
}

TEST_F(Bundles, APathOfTwoHostsNeedsTheHost) {
    images_.name("quay.io/one:v1", images_.image({.files = {{"other", "o"}}}));
    RunningRegistry registry(with({sample()}, false));
    EXPECT_EQ(registry.get("/v2/one/manifests/v1").status, 404);
    EXPECT_EQ(registry.get("/v2/one/tags/list").status, 404);
    EXPECT_EQ(registry.get("/v2/one/manifests/v1?ns=quay.io").status, 200);
    EXPECT_NE(registry.get("/v2/quay.io/one/manifests/v1").body,
              registry.get("/v2/registry.k8s.io/one/manifests/v1").body);
}

TEST_F(Bundles, HostsMayHaveAPort) {
    images_.name("localhost:5000/x/y:1", images_.image({.files = {{"p", "p"}}}));
    images_.name("Reg.Example:80/z:1", images_.image({.files = {{"q", "q"}}}));
    RunningRegistry registry(with({sample()}));
    EXPECT_TRUE(registry.pulls_whole("localhost:5000/x/y", "1"));
    EXPECT_EQ(registry.get("/v2/x/y/manifests/1?ns=localhost:5000").status, 200);
    EXPECT_EQ(registry.get("/v2/x/y/manifests/1?ns=localhost%3A5000").status, 200);
    EXPECT_TRUE(registry.pulls_whole("x/y", "1"));
    EXPECT_TRUE(registry.pulls_whole("Reg.Example:80/z", "1"));
    EXPECT_EQ(registry.remove("/v2/localhost:5000/x/y/manifests/1").status, 202);
    EXPECT_EQ(registry.get("/v2/localhost:5000/x/y/manifests/1").status, 404);
    registry.push_image("localhost:5000/x/y", "1", "again");
    EXPECT_TRUE(registry.pulls_whole("localhost:5000/x/y", "1"));
}

TEST_F(Bundles, ADeltaIsServedBesideItsBase) {
    const auto base = sample();
    SmallImages more = images_;
    more.name(kOne + ":v9",
              more.image({.files = {{"a/base", std::string(9000, 'b')}, {"new", "n"}}}));
    const oci::BundleReader old(base);
    std::vector<bool> left_out;
    for (const oci::BundleBlob& blob : more.content().blobs)
        left_out.push_back(old.find(blob.digest).has_value());
    oci::write_bundle(folder_ / "delta.bundle",
                      oci::lay_out(more.content(), left_out, oci::digest_of("base").hex),
                      more.opener());
    {
        RunningRegistry registry(with({folder_ / "delta.bundle", base}, false));
        EXPECT_TRUE(registry.pulls_whole(kOne, "v9"));
        EXPECT_TRUE(registry.pulls_whole(kOne, "v1"));
        EXPECT_THAT(registry.get("/v2/one/tags/list").list("tags"), ElementsAre("v1", "v9"));
    }
    RunningRegistry alone(with({folder_ / "delta.bundle"}, false));
    EXPECT_EQ(alone.get(manifest_path(kOne, "v1")).status, 404);
    EXPECT_EQ(alone.get(manifest_path(kOne, "v9")).status, 200);
    EXPECT_FALSE(alone.pulls_whole(kOne, "v9"));
}

TEST_F(Bundles, ReferrersComeOutOfThem) {
    RunningRegistry registry(with({sample()}));
    const std::string target = fmt::format("/v2/{}/referrers/{}", kOne, root(0).str());
    const json::array listed = registry.get(target).object().at("manifests").as_array();
    ASSERT_THAT(listed, SizeIs(1));
    const json::object one = listed[0].as_object();
    EXPECT_EQ(one.at("artifactType").as_string(), "application/vnd.example.signature");
    const std::string digest(one.at("digest").as_string());
    EXPECT_TRUE(registry.pulls_whole(kOne, digest));
    EXPECT_THAT(registry.get(target + "?artifactType=x").object().at("manifests").as_array(),
                SizeIs(0));
    EXPECT_THAT(registry.get("/v2/one/referrers/" + root(0).str() + "?ns=registry.k8s.io")
                    .object()
                    .at("manifests")
                    .as_array(),
                SizeIs(1));
    EXPECT_EQ(registry.remove(manifest_path(kOne, digest)).status, 202);
    EXPECT_THAT(registry.get(target).object().at("manifests").as_array(), SizeIs(0));
}

TEST_F(Bundles, TheStoreIsFoundFirstAndABundleStaysAsItIs) {
    RunningRegistry registry(with({sample()}));
    const Answer before = registry.get(manifest_path(kOne, "v1"));
    const oci::Digest pushed = registry.push_image(kOne, "v1", "mine");
    EXPECT_EQ(registry.get(manifest_path(kOne, "v1")).header("Docker-Content-Digest"),
              pushed.str());
    EXPECT_EQ(registry.get("/v2/one/manifests/v1").header("Docker-Content-Digest"), pushed.str());
    EXPECT_EQ(registry.get(manifest_path(kOne, root(0).str())).body, before.body);
    EXPECT_TRUE(registry.pulls_whole(kOne, "v1"));
    EXPECT_EQ(registry.remove(manifest_path(kOne, "v1")).status, 202);
    EXPECT_EQ(registry.get(manifest_path(kOne, "v1")).status, 404);
    registry.stop();
    EXPECT_THAT(oci::verify(oci::BundleReader(folder_ / "sample.bundle")), IsEmpty());
}

TEST_F(Bundles, WhatIsDeletedIsHiddenForGoodUntilItIsPushedAgain) {
    RunningRegistry registry(with({sample()}));
    const std::string tag = manifest_path(kOne, "v1"), digest = manifest_path(kOne, root(0).str());
    const Answer before = registry.get(tag);
    EXPECT_EQ(registry.remove(tag).status, 202);
    EXPECT_EQ(registry.remove(tag).status, 404);
    EXPECT_THAT(registry.get("/v2/registry.k8s.io/one/tags/list").list("tags"), IsEmpty());
    EXPECT_EQ(registry.get(digest).status, 200);
    EXPECT_EQ(registry.remove(digest).status, 202);
    EXPECT_EQ(registry.remove(digest).status, 404);
    for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(registry.get(tag).status, 404);
        EXPECT_EQ(registry.get(digest).status, 404);
        EXPECT_EQ(registry.get("/v2/one/manifests/v1").status, 404);
        registry.restart();
    }
    EXPECT_EQ(registry.push_manifest(kOne, "v1", before.body, media::kIndex).status, 201);
    EXPECT_TRUE(registry.pulls_whole(kOne, "v1"));
    registry.restart();
    EXPECT_EQ(registry.get(digest).body, before.body);
}

TEST_F(Bundles, ADigestGoesWithItsTags) {
    images_.name(kOne + ":also", images_.roots()[0]);
    RunningRegistry registry(with({sample()}));
    EXPECT_EQ(registry.remove(manifest_path(kOne, root(0).str())).status, 202);
    EXPECT_THAT(registry.get("/v2/registry.k8s.io/one/tags/list").list("tags"), IsEmpty());
}

TEST_F(Bundles, ABlobIsHiddenOnlyInItsRepository) {
    RunningRegistry registry(with({sample()}));
    const std::string layer = any_layer("quay.io/folder/two", registry);
    const oci::Digest digest = oci::Digest::parse(layer);
    const std::string path = blob_path("quay.io/folder/two", digest);
    const std::string bytes = registry.get(path).body;
    EXPECT_EQ(registry.remove(path).status, 202);
    EXPECT_EQ(registry.remove(path).status, 404);
    registry.restart();
    EXPECT_EQ(registry.get(path).status, 404);
    EXPECT_EQ(registry.get(blob_path(kOne, digest)).body, bytes);
    // Mounted from there it is seen again.
    const Answer mounted =
        registry.post(uploads_path("quay.io/folder/two") + "?mount=" + layer + "&from=" + kOne);
    EXPECT_EQ(mounted.status, 201);
    EXPECT_EQ(registry.get(path).body, bytes);
}

TEST_F(Bundles, ImagesArePushedOverTheirLayers) {
    RunningRegistry registry(with({sample()}));
    const oci::Digest layer = oci::Digest::parse(any_layer("quay.io/folder/two", registry));
    const std::size_t size = images_.blobs().at(layer).size();
    const std::string text =
        testing::image_text(registry.push_blob("my/app", "{}"), 2, {{layer, size}});
    EXPECT_EQ(registry.push_manifest("my/app", "1", text, media::kManifest).code(),
              "MANIFEST_BLOB_UNKNOWN");
    EXPECT_EQ(registry.post(uploads_path("my/app") + "?mount=" + layer.str()).status, 201);
    EXPECT_EQ(registry.push_manifest("my/app", "1", text, media::kManifest).status, 201);
    registry.registry().clean(std::chrono::seconds(0));
    registry.restart();
    EXPECT_TRUE(registry.pulls_whole("my/app", "1"));
    registry.restart(RunOptions{});
    EXPECT_TRUE(registry.pulls_whole("my/app", "1"));
}

TEST_F(Bundles, AnImageOfMountedBlobsNeedsNoBundle) {
    RunningRegistry registry(with({sample()}));
    const std::string two = "quay.io/folder/two";
    const Answer image = registry.get(manifest_path(two, "v2"));
    const oci::Manifest manifest = oci::parse_manifest(image.body);
    std::vector<oci::Descriptor> parts = manifest.layers;
    parts.push_back(manifest.config);
    for (const oci::Descriptor& part : parts) {
        EXPECT_EQ(registry
                      .post(fmt::format("{}?mount={}&from={}", uploads_path("mine/x"),
                                        part.digest.str(), two))
                      .status,
                  201);
    }
    EXPECT_EQ(registry.push_manifest("mine/x", "1", image.body, manifest.media_type).status, 201);
    registry.restart(RunOptions{});
    EXPECT_TRUE(registry.pulls_whole("mine/x", "1"));
}

// Clients ask with HEAD for what they need not send, by whatever name they have.
TEST_F(Bundles, WhatAPusherIsToldToBeThereIsThere) {
    RunningRegistry registry(with({sample()}));
    const Answer image = registry.get(manifest_path("folder/two", "v2"));
    const oci::Manifest manifest = oci::parse_manifest(image.body);
    EXPECT_EQ(registry.head(blob_path("folder/two", manifest.config.digest)).status, 200);
    EXPECT_EQ(registry.push_manifest("folder/two", "mine", image.body, manifest.media_type).status,
              201);
    EXPECT_EQ(registry.push_manifest(kOne, "mine", image.body, manifest.media_type).status, 201);
    registry.restart(RunOptions{});
    EXPECT_TRUE(registry.pulls_whole("folder/two", "mine"));
    EXPECT_TRUE(registry.pulls_whole(kOne, "mine"));
}

TEST_F(Bundles, AnIndexBringsItsImagesIntoTheStore) {
    RunningRegistry registry(with({sample()}));
    const Answer index = registry.get(manifest_path(kOne, "v1"));
    EXPECT_EQ(registry.push_manifest(kOne, "mine", index.body, media::kIndex).status, 201);
    registry.restart(RunOptions{});
    EXPECT_TRUE(registry.pulls_whole(kOne, "mine"));
}

TEST_F(Bundles, ADamagedCopyDoesNotHideThatOfABundle) {
    RunningRegistry registry(with({sample()}));
    const oci::Digest layer = oci::Digest::parse(any_layer("quay.io/folder/two", registry));
    const std::string mount = uploads_path("mine/x") + "?mount=" + layer.str();
    EXPECT_EQ(registry.post(mount).status, 201);
    const auto file = registry.folder() / "blobs/sha256" / layer.hex.substr(0, 2) / layer.hex;
    std::filesystem::resize_file(file, 3);
    EXPECT_EQ(registry.get(blob_path("mine/x", layer)).body, images_.blobs().at(layer));
    EXPECT_EQ(registry.post(mount).status, 201);
    EXPECT_EQ(std::filesystem::file_size(file), images_.blobs().at(layer).size());
}

TEST_F(Bundles, AliasesAreForReading) {
    RunningRegistry registry(with({sample()}));
    EXPECT_EQ(registry.remove("/v2/one/manifests/v1").status, 404);
    EXPECT_EQ(registry.remove("/v2/one/manifests/v1?ns=registry.k8s.io").status, 404);
    EXPECT_EQ(registry.get("/v2/one/manifests/v1").status, 200);
}

TEST_F(Bundles, NothingCanBeWrittenWithoutAStoreOrWhenItIsReadOnly) {
    const auto bundle = sample();
    const auto expect_read_only = [&](RunningRegistry& registry) {
        EXPECT_FALSE(registry.registry().writable());
        const std::string digest = root(0).str(),
                          upload = uploads_path(kOne) + std::string(32, 'a');
        const testing::Ask asks[] = {
            {.method = "POST", .target = uploads_path(kOne)},
            {.method = "POST", .target = uploads_path(kOne) + "?digest=" + digest, .body = "x"},
            {.method = "POST", .target = uploads_path("x") + "?mount=" + digest + "&from=" + kOne},
            {.method = "PATCH", .target = upload, .body = "x"},
            {.method = "PUT", .target = upload + "?digest=" + digest, .body = "x"},
            {.method = "GET", .target = upload},
            {.method = "DELETE", .target = upload},
            {.method = "PUT", .target = manifest_path(kOne, "v1"), .body = "{}"},
            {.method = "PUT", .target = manifest_path(kOne, digest), .body = "{}"},
            {.method = "DELETE", .target = manifest_path(kOne, "v1")},
            {.method = "DELETE", .target = manifest_path(kOne, digest)},
            {.method = "DELETE", .target = blob_path(kOne, root(0))}};
        for (const testing::Ask& ask : asks) {
            const Answer answer = registry.ask(ask);
            EXPECT_EQ(answer.status, 405) << ask.method << ' ' << ask.target;
            EXPECT_EQ(answer.code(), "UNSUPPORTED");
        }
        EXPECT_TRUE(registry.pulls_whole(kOne, "v1"));
    };
    RunningRegistry bare(with({bundle}, false));
    expect_read_only(bare);
    RunningRegistry stored(with({bundle}));
    stored.push_image("my/app", "1", "layer");
    stored.restart({.bundles = {bundle}, .registry = {.read_only = true}});
    expect_read_only(stored);
    EXPECT_TRUE(stored.pulls_whole("my/app", "1"));
}

}  // namespace
}  // namespace slipway::registry
