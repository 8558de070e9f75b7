// The folder under the registry: damage, order of writes, a full disk, two of them at once.
#include "base/error.hpp"
#include "base/files.hpp"
#include "net/testing/temporary_file.hpp"
#include "oci/media_types.hpp"
#include "registry/testing/running_registry.hpp"

#include <csignal>
#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/resource.h>

namespace slipway::registry {
namespace {

namespace fs = std::filesystem;
namespace media = oci::media;
using net::testing::pattern;
using testing::Answer;
using testing::blob_path;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::manifest_path;
using testing::RunningRegistry;
using testing::uploads_path;
using testing::with_digest;

fs::path bytes_of(RunningRegistry& registry, const oci::Digest& digest) {
    return registry.folder() / "blobs" / oci::to_string(digest.algorithm) /
           digest.hex.substr(0, 2) / digest.hex;
}

void overwrite(const fs::path& file, std::string_view content) {
    ASSERT_TRUE(fs::exists(file)) << file;
    std::ofstream(file, std::ios::binary | std::ios::trunc) << content;
}

std::vector<std::string> files_below(const fs::path& folder) {
    std::vector<std::string> out;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        if (entry.is_regular_file()) out.push_back(fs::relative(entry.path(), folder).string());
    }
    return out;
}

class DamagedStore : public ::testing::Test {
  protected:
    RunningRegistry registry_;
    const oci::Digest image_ = registry_.push_image("a", "v1", "layer");
    const std::string text_ = registry_.get(manifest_path("a", "v1")).body;
};

TEST_F(DamagedStore, AChangedManifestIsNeverHandedOut) {
    std::string changed = text_;
    changed[changed.size() / 2] = static_cast<char>(changed[changed.size() / 2] ^ 1);
    for (const std::string& bad :
         {changed, std::string(), text_.substr(1), std::string(oci::kMaxManifest + 1, 'x')}) {
        overwrite(bytes_of(registry_, image_), bad);
        for (const std::string& reference : {std::string("v1"), image_.str()}) {
            EXPECT_EQ(registry_.get(manifest_path("a", reference)).status, 500);
            EXPECT_EQ(registry_.head(manifest_path("a", reference)).status, 500);
        }
        // Collecting now could take it for an image without layers.
        EXPECT_ANY_THROW(registry_.store().collect_garbage(std::chrono::seconds(0)));
        // Pushing repairs it.
        EXPECT_EQ(registry_.push_manifest("a", "v1", text_, media::kManifest).status, 201);
        EXPECT_TRUE(registry_.pulls_whole("a", "v1"));
    }
    EXPECT_GT(registry_.stats().handler_failures, 0u);
}

TEST_F(DamagedStore, AChangedManifestCanBeDeleted) {
    overwrite(bytes_of(registry_, image_), "x");
    EXPECT_EQ(registry_.remove(manifest_path("a", image_.str())).status, 202);
    EXPECT_EQ(registry_.get(manifest_path("a", "v1")).status, 404);
    EXPECT_EQ(registry_.store().collect_garbage(std::chrono::seconds(0)).removed, 3u);
}

TEST_F(DamagedStore, ATagWithRubbishIsNotAnotherImage) {
    const fs::path tag = registry_.folder() / "repositories/a/_tags/v1";
    for (const std::string& rubbish :
         {std::string("x"), std::string(), std::string("sha256:../../x"), image_.str() + "\n",
          std::string(100'000, 'x')}) {
        overwrite(tag, rubbish);
        EXPECT_EQ(registry_.get(manifest_path("a", "v1")).status, 500) << rubbish.substr(0, 50);
    }
    EXPECT_EQ(registry_.push_manifest("a", "v1", text_, media::kManifest).status, 201);
    EXPECT_TRUE(registry_.pulls_whole("a", "v1"));
    overwrite(tag, "x");
    EXPECT_EQ(registry_.remove(manifest_path("a", "v1")).status, 202);
    EXPECT_EQ(registry_.get(manifest_path("a", "v1")).status, 404);
}

TEST_F(DamagedStore, ABlobOfAnotherSizeIsAbsentUntilItIsPushedAgain) {
    const oci::Digest layer = oci::digest_of("layer");
    for (const char* bad : {"", "laye", "layer "}) {
        overwrite(bytes_of(registry_, layer), bad);
        EXPECT_EQ(registry_.head(blob_path("a", layer)).status, 404);
        EXPECT_EQ(registry_.get(blob_path("a", layer)).status, 404);
        EXPECT_EQ(registry_.push_manifest("a", "v2", text_, media::kManifest).status, 404);
        EXPECT_EQ(registry_.post(uploads_path("b") + "?mount=" + layer.str() + "&from=a").status,
                  202);
        // Nor does it become a good one under another name, or the same.
        for (const char* name : {"a", "b"}) {
            EXPECT_EQ(registry_.post(uploads_path(name) + "?mount=" + layer.str()).status, 202);
            EXPECT_EQ(registry_.head(blob_path(name, layer)).status, 404);
        }
        registry_.push_blob("a", "layer");
        EXPECT_TRUE(registry_.pulls_whole("a", "v1"));
    }
}

TEST_F(DamagedStore, StrayFilesAreNoImages) {
    for (const char* stray : {"repositories/a/_manifests/x", "repositories/a/_manifests/sha256-x",
                              "repositories/a/_blobs/nothing", "repositories/a/_referrers/x/y",
                              "repositories/stray", "blobs/sha256/zz/zz", "uploads/x"}) {
        fs::create_directories((registry_.folder() / stray).parent_path());
        std::ofstream(registry_.folder() / stray) << "stray";
    }
    registry_.restart();
    EXPECT_THAT(registry_.get("/v2/_catalog").list("repositories"), ElementsAre("a"));
    EXPECT_TRUE(registry_.pulls_whole("a", "v1"));
    registry_.registry().clean(std::chrono::seconds(0));
    EXPECT_TRUE(registry_.pulls_whole("a", "v1"));
}

TEST(Store, IsOpenOnlyOnce) {
    RunningRegistry registry;
    try {
        const Store second(registry.folder());
        FAIL() << "two of them";
    } catch (const StateError& e) {
        EXPECT_EQ(e.id(), "STORE-BUSY");
    }
    registry.stop();
    const Store now(registry.folder());
}

TEST(Store, IsPrivate) {
    RunningRegistry registry;
    registry.push_image("a", "v1", "layer");
    for (const auto& entry : fs::recursive_directory_iterator(registry.folder())) {
        const auto others = fs::perms::group_all | fs::perms::others_all;
        EXPECT_EQ(entry.status().permissions() & others, fs::perms::none) << entry.path();
    }
}

// Files may not grow beyond this for as long as it lives: what a full disk looks like to a program.
class FullDisk {
  public:
    explicit FullDisk(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
        ::getrlimit(RLIMIT_FSIZE, &former_);
        const rlimit small{.rlim_cur = bytes, .rlim_max = former_.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &small);
    }
    ~FullDisk() {
        ::setrlimit(RLIMIT_FSIZE, &former_);
        std::signal(SIGXFSZ, handler_);
    }
    FullDisk(const FullDisk&) = delete;
    FullDisk& operator=(const FullDisk&) = delete;

  private:
    rlimit former_{};
    sighandler_t handler_;
};

class OnAFullDisk : public ::testing::Test {
  protected:
    void expect_full(const Answer& answer) {
        EXPECT_EQ(answer.status, 507) << answer.body;
        EXPECT_EQ(answer.code(), "UNKNOWN");
    }
    RunningRegistry registry_;
    const std::string bytes_ = pattern(1 << 20);
    const oci::Digest digest_ = oci::digest_of(bytes_);
    const std::string whole_ = uploads_path("a") + "?digest=" + digest_.str();
};

TEST_F(OnAFullDisk, APushIsRefusedAndLeavesNothing) {
    {
        const FullDisk full(300'000);
        expect_full(registry_.post(whole_, bytes_));
        EXPECT_EQ(registry_.get(blob_path("a", digest_)).status, 404);
    }
    EXPECT_TRUE(files_below(registry_.folder() / "uploads").empty());
    EXPECT_TRUE(files_below(registry_.folder() / "blobs").empty());
    EXPECT_TRUE(files_below(registry_.folder() / "scratch").empty());
    EXPECT_EQ(registry_.post(whole_, bytes_).status, 201);
}

TEST_F(OnAFullDisk, AnUploadGoesOnWhereTheDiskWasFull) {
    const std::string location = registry_.post(uploads_path("a")).header("Location");
    {
        const FullDisk full(300'000);
        expect_full(registry_.patch(location, bytes_));
    }
    const std::string range = registry_.get(location).header("Range");
    EXPECT_EQ(range, "0-299999");
    EXPECT_EQ(registry_.put(with_digest(location, digest_), bytes_.substr(300'000)).status, 201);
    EXPECT_EQ(registry_.get(blob_path("a", digest_)).body, bytes_);
}

TEST_F(OnAFullDisk, NothingHalfCanBeSeen) {
    const oci::Digest config = registry_.push_blob("a", "{}");
    const std::string location = registry_.post(uploads_path("a")).header("Location");
    EXPECT_EQ(registry_.patch(location, bytes_).status, 202);
    const std::string image = testing::image_text(config, 2, {});
    {
        const FullDisk full(0);
        expect_full(registry_.post(uploads_path("a")));
        expect_full(registry_.put(with_digest(location, digest_), ""));
        expect_full(registry_.push_manifest("a", "v1", image, media::kManifest));
        expect_full(registry_.post(uploads_path("b") + "?mount=" + config.str()));
        EXPECT_EQ(registry_.get(blob_path("b", config)).status, 404);
    }
    EXPECT_EQ(registry_.get(manifest_path("a", "v1")).status, 404);
    EXPECT_EQ(registry_.get(manifest_path("a", oci::digest_of(image).str())).status, 404);
    EXPECT_EQ(registry_.get(blob_path("a", digest_)).status, 404);
    // The store has taken the file: whoever writes to the upload would write to the blob.
    EXPECT_EQ(registry_.patch(location, "more").status, 404);
    EXPECT_EQ(registry_.push_manifest("a", "v1", image, media::kManifest).status, 201);
    EXPECT_TRUE(registry_.pulls_whole("a", "v1"));
}

}  // namespace
}  // namespace slipway::registry
