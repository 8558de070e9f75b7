// A store that cannot be read: what nobody could look at is never taken for absent.
#include "base/error.hpp"
#include "base/testing/error_of.hpp"
#include "oci/media_types.hpp"
#include "registry/testing/running_registry.hpp"

#include <functional>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/resource.h>

namespace slipway::registry {
namespace {

namespace fs = std::filesystem;
namespace media = oci::media;
using namespace std::chrono_literals;
using slipway::testing::error_of;
using testing::blob_path;
using testing::manifest_path;
using testing::RunningRegistry;
using testing::uploads_path;

// No further file can be opened beyond this number for as long as it lives.
class FewDescriptors {
  public:
    explicit FewDescriptors(rlim_t most) {
        ::getrlimit(RLIMIT_NOFILE, &former_);
        const rlimit few{.rlim_cur = most, .rlim_max = former_.rlim_max};
        ::setrlimit(RLIMIT_NOFILE, &few);
    }
    ~FewDescriptors() { ::setrlimit(RLIMIT_NOFILE, &former_); }
    FewDescriptors(const FewDescriptors&) = delete;
    FewDescriptors& operator=(const FewDescriptors&) = delete;

  private:
    rlimit former_{};
};

// UBSan opens a pipe to look at an object's type, and takes the object for none when it cannot. The
// other builds, ThreadSanitizer's too, have this test.
#if defined(__has_feature)
#if __has_feature(undefined_behavior_sanitizer)
#define SLIPWAY_TEST_NEEDS_DESCRIPTORS
#endif
#endif
#ifndef SLIPWAY_TEST_NEEDS_DESCRIPTORS
TEST(GarbageCollection, RemovesNothingWhenFoldersCannotBeListed) {
    RunningRegistry registry;
    registry.push_image("a/b/c/d/e/f/g/h", "x", "deep");
    registry.push_image("secret/app", "y", "other");
    Store& store = registry.store();
    bool has_failed = false, has_succeeded = false;
    for (rlim_t most = 3; most < 60; ++most) {
        const FewDescriptors few(most);
        try {
            EXPECT_EQ(store.collect_garbage(0s, true).removed, 0u) << most;
            has_succeeded = true;
        } catch (const Error&) {
            has_failed = true;
        }
    }
    EXPECT_TRUE(has_failed && has_succeeded);
}
#endif

TEST(GarbageCollection, StopsAtALostManifestUntilItIsPushedAgainOrDeleted) {
    RunningRegistry registry;
    const oci::Digest image = registry.push_image("a", "v1", "layer");
    const std::string text = registry.get(manifest_path("a", "v1")).body;
    const auto lose = [&] {
        ASSERT_TRUE(
            fs::remove(registry.folder() / "blobs/sha256" / image.hex.substr(0, 2) / image.hex));
    };
    lose();
    EXPECT_EQ(error_of([&] { registry.store().collect_garbage(0s); }), "STORE-DAMAGED");
    EXPECT_EQ(registry.push_manifest("a", "v1", text, media::kManifest).status, 201);
    EXPECT_TRUE(registry.pulls_whole("a", "v1"));
    lose();
    EXPECT_EQ(registry.remove(manifest_path("a", image.str())).status, 202);
    EXPECT_EQ(registry.store().collect_garbage(0s).removed, 2u);
}

TEST(GarbageCollection, EndsEarlyWhenItIsToldToAndRemovesNothingAlive) {
    RunningRegistry registry;
    registry.push_image("a", "v1", "layer");
    registry.push_blob("a", "nobody's");
    std::stop_source stop;
    stop.request_stop();
    EXPECT_EQ(registry.store().collect_garbage(0s, false, stop.get_token()).removed, 0u);
    EXPECT_EQ(registry.store().collect_garbage(0s).removed, 1u);
    EXPECT_TRUE(registry.pulls_whole("a", "v1"));
}

TEST(GarbageCollection, ABlobIsYoungWhenItsUploadEnds) {
    RunningRegistry registry;
    const std::string location = registry.post(uploads_path("a")).header("Location");
    EXPECT_EQ(registry.patch(location, "bytes").status, 202);
    const fs::path file = registry.folder() / "uploads" / fs::path(location).filename();
    fs::last_write_time(file, fs::file_time_type::clock::now() - 48h);
    const oci::Digest digest = oci::digest_of("bytes");
    EXPECT_EQ(registry.put(testing::with_digest(location, digest), "").status, 201);
    EXPECT_EQ(registry.store().collect_garbage(1h).removed, 0u);
    EXPECT_EQ(registry.store().collect_garbage(0s).removed, 1u);
    // What is gone cannot be linked, whoever saw it before.
    EXPECT_FALSE(registry.store().link_blob("b", digest, 5));
    EXPECT_EQ(registry.head(blob_path("b", digest)).status, 404);
}

// A name that cannot be followed, whoever asks: neither there nor absent.
void make_unreadable(const fs::path& path) {
    fs::create_directories(path.parent_path());
    fs::remove(path);
    fs::create_symlink(path.filename(), path);
}

class UnreadableStore : public ::testing::Test {
  protected:
    RunningRegistry registry_;
    const oci::Digest image_ = registry_.push_image("a", "v1", "layer");
    const oci::Digest layer_ = oci::digest_of("layer");
    const fs::path repository_ = registry_.folder() / "repositories/a";
};

TEST_F(UnreadableStore, ABlobThatCannotBeOpenedIsNotAbsent) {
    make_unreadable(registry_.folder() / "blobs/sha256" / layer_.hex.substr(0, 2) / layer_.hex);
    EXPECT_EQ(registry_.get(blob_path("a", layer_)).status, 500);
    EXPECT_EQ(registry_.head(blob_path("a", layer_)).status, 500);
    EXPECT_THROW(registry_.store().has_bytes(layer_), StateError);
    registry_.push_blob("a", "layer");
    EXPECT_TRUE(registry_.pulls_whole("a", "v1"));
}

TEST_F(UnreadableStore, ALinkThatCannotBeReadIsNotAbsent) {
    make_unreadable(repository_ / "_blobs" / ("sha256-" + layer_.hex));
    EXPECT_EQ(registry_.head(blob_path("a", layer_)).status, 500);
    make_unreadable(repository_ / "_manifests" / ("sha256-" + image_.hex));
    EXPECT_EQ(registry_.get(blob_path("a", image_)).status, 500);
}

TEST_F(UnreadableStore, ADeletedImageOfABundleDoesNotComeBack) {
    const oci::testing::TempFolder folder;
    registry_.restart(
        {.bundles = {testing::write_bundle(folder, "x.bundle", oci::testing::sample_images())}});
    const std::string tag = manifest_path("registry.k8s.io/one", "v1");
    EXPECT_EQ(registry_.remove(tag).status, 202);
    make_unreadable(registry_.folder() / "repositories/registry.k8s.io/one/_gone/tags/v1");
    EXPECT_EQ(registry_.get(tag).status, 500);
}

TEST_F(UnreadableStore, AManifestStaysWhenItsTagsCannotBeRead) {
    make_unreadable(repository_ / "_tags/v2");
    EXPECT_EQ(registry_.remove(manifest_path("a", image_.str())).status, 500);
    EXPECT_EQ(registry_.get(manifest_path("a", image_.str())).status, 200);
    EXPECT_EQ(registry_.get(manifest_path("a", "v1")).status, 200);
    EXPECT_EQ(registry_.remove(manifest_path("a", "v2")).status, 202);
    EXPECT_EQ(registry_.remove(manifest_path("a", image_.str())).status, 202);
    EXPECT_EQ(registry_.get(manifest_path("a", "v1")).status, 404);
}

TEST_F(UnreadableStore, AFolderOfTagsThatCannotBeListedIsNotEmpty) {
    fs::remove_all(repository_ / "_tags");
    make_unreadable(repository_ / "_tags");
    EXPECT_EQ(registry_.get("/v2/a/tags/list").status, 500);
}

}  // namespace
}  // namespace slipway::registry
