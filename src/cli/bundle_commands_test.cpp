// `slipway bundle …` as a user types it.
#include "base/files.hpp"
#include "cli/app.hpp"
#include "cli/byte_progress.hpp"
#include "cli/testing/ran.hpp"
#include "oci/bundle_reader.hpp"
#include "oci/testing/small_images.hpp"
#include "oci/testing/temp_folder.hpp"

#include <filesystem>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>

namespace slipway::cli {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

using testing::Ran;

Ran run(const std::vector<std::string>& args) { return testing::run_command(args); }

class BundleCommands : public ::testing::Test {
  protected:
    void SetUp() override {
        ::setenv("XDG_CONFIG_HOME", at("config").c_str(), 1);
        ::setenv("SLIPWAY_STATE", at("state").c_str(), 1);
        oci::testing::sample_images().write_layout(folder_ / "images");
        folder_.write("kubeadm", "ELF");
        recipe_ = folder_
                      .write("recipe.yaml",
                             "apiVersion: slipway.dev/v1\nkind: Recipe\nmetadata: {name: demo}\n"
                             "spec:\n  images:\n    - oci-layout: images\n"
                             "  binaries:\n    - {file: kubeadm, version: v1.34.1}\n")
                      .string();
        bundle_ = at("x.bundle");
        ASSERT_EQ(run({"bundle", "build", "-f", recipe_, "-o", bundle_}).code, ExitCode::ok);
    }

    void TearDown() override {
        ::unsetenv("XDG_CONFIG_HOME");
        ::unsetenv("SLIPWAY_STATE");
    }

    std::string at(std::string_view name) const { return (folder_ / name).string(); }
    static std::string bytes(const std::string& file) { return read_file(file, 64u << 20); }

    oci::testing::TempFolder folder_;
    std::string recipe_, bundle_;
};

TEST_F(BundleCommands, BuildSaysWhatItBuilt) {
    const Ran again =
        run({"bundle", "build", "-f", recipe_, "-o", at("y.bundle"), "--output", "json"});
    EXPECT_EQ(again.object().at("title").as_string(), "demo");
    EXPECT_EQ(bytes(at("y.bundle")), bytes(bundle_));
    EXPECT_THAT(run({"bundle", "build", "-f", recipe_, "-o", at("z.bundle")}).out,
                HasSubstr("3 images, 1 binary"));
    EXPECT_EQ(run({"bundle", "build", "-f", recipe_}).code, ExitCode::usage);
    EXPECT_EQ(run({"bundle", "build", "-o", bundle_}).code, ExitCode::usage);
}

TEST_F(BundleCommands, InspectListsNames) {
    EXPECT_THAT(run({"bundle", "inspect", bundle_}).out, HasSubstr("registry.k8s.io/one:v1"));
    const json::object seen = run({"bundle", "inspect", bundle_, "--blobs", "-o", "json"}).object();
    EXPECT_EQ(seen.at("names").as_array().size(), 6u);
    EXPECT_EQ(seen.at("blobList").as_array().size(), seen.at("blobs").to_number<std::size_t>());
    EXPECT_EQ(run({"bundle", "inspect", recipe_}).code, ExitCode::failed);
}

TEST_F(BundleCommands, VerifyFindsDamageByName) {
    EXPECT_EQ(run({"bundle", "verify", bundle_, "--allow-unsigned"}).code, ExitCode::ok);
    const oci::BundleReader reader(bundle_);
    std::string bad = bytes(bundle_);
    bad[reader.index().offsets[3]] = static_cast<char>(bad[reader.index().offsets[3]] ^ 1);
    folder_.write("bad", bad);
    const Ran found = run({"bundle", "verify", at("bad"), "--allow-unsigned"});
    EXPECT_EQ(found.code, ExitCode::verification_failed);
    EXPECT_THAT(found.out, HasSubstr(reader.content().blobs[3].digest.str()));
    folder_.write("cut", bad.substr(0, bad.size() / 2));
    EXPECT_EQ(run({"bundle", "verify", at("cut"), "--allow-unsigned"}).code,
              ExitCode::verification_failed);
}

TEST_F(BundleCommands, KeysSignAndCheck) {
    ASSERT_EQ(run({"bundle", "keygen", at("release")}).code, ExitCode::ok);
    ASSERT_EQ(run({"bundle", "keygen", at("other")}).code, ExitCode::ok);
    EXPECT_EQ(run({"bundle", "keygen", at("other")}).code, ExitCode::failed);
    struct stat info{};
    ASSERT_EQ(::stat(at("release.key").c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0600u);
    const std::vector<std::string> check = {"bundle", "verify", bundle_, "--key",
                                            at("release.pub")};
    EXPECT_EQ(run(check).code, ExitCode::verification_failed);
    ASSERT_EQ(run({"bundle", "sign", bundle_, "--key", at("release.key")}).code, ExitCode::ok);
    EXPECT_EQ(run(check).code, ExitCode::ok);
    EXPECT_EQ(run({"bundle", "verify", bundle_, "--key", at("other.pub")}).code,
              ExitCode::verification_failed);
    EXPECT_EQ(
        run({"bundle", "verify", bundle_, "--key", at("other.pub"), "--key", at("release.pub")})
            .code,
        ExitCode::ok);
    EXPECT_EQ(run({"bundle", "verify", bundle_, "--key", at("absent.pub")}).code, ExitCode::failed);
}

TEST_F(BundleCommands, TrustedKeysOpenBundlesUntilTheyAreRemoved) {
    ASSERT_EQ(run({"bundle", "keygen", at("release")}).code, ExitCode::ok);
    ASSERT_EQ(run({"bundle", "sign", bundle_, "--key", at("release.key")}).code, ExitCode::ok);
    EXPECT_THAT(run({"bundle", "verify", bundle_}).err, HasSubstr("BUNDLE-SIGNER-UNKNOWN"));
    ASSERT_EQ(run({"bundle", "trust", "add", at("release.pub")}).code, ExitCode::ok);
    EXPECT_THAT(run({"bundle", "trust", "list"}).out, HasSubstr("release"));
    const json::object seen = run({"bundle", "verify", bundle_, "-o", "json"}).object();
    EXPECT_EQ(seen.at("override").as_string(), "");
    EXPECT_EQ(seen.at("signedBy").as_string().size(), 64u);
    ASSERT_EQ(run({"bundle", "keygen", at("other")}).code, ExitCode::ok);
    EXPECT_EQ(run({"bundle", "verify", bundle_, "--key", at("other.pub")}).code,
              ExitCode::verification_failed);  // --key stands instead of what is trusted
    EXPECT_THAT(run({"bundle", "trust", "remove", "relaese"}).err, HasSubstr("did you mean"));
    ASSERT_EQ(run({"bundle", "trust", "remove", "release"}).code, ExitCode::ok);
    EXPECT_EQ(run({"bundle", "verify", bundle_}).code, ExitCode::verification_failed);
    EXPECT_EQ(run({"bundle", "trust", "add"}).code, ExitCode::usage);
    EXPECT_EQ(run({"bundle", "trust", "forget"}).code, ExitCode::usage);
    EXPECT_EQ(run({"bundle", "trust", "add", recipe_}).code, ExitCode::failed);
}

TEST_F(BundleCommands, OverridesAreSaidAndWrittenDown) {
    const Ran refused = run({"bundle", "verify", bundle_});
    EXPECT_EQ(refused.code, ExitCode::verification_failed);
    EXPECT_THAT(refused.err, HasSubstr("BUNDLE-UNSIGNED"));
    EXPECT_TRUE(
        run({"bundle", "trust", "list", "-o", "json"}).object().at("overrides").as_array().empty());
    const Ran let_in = run({"bundle", "verify", bundle_, "--allow-unsigned", "-o", "json"});
    EXPECT_EQ(let_in.code, ExitCode::ok);
    EXPECT_THAT(let_in.err, HasSubstr("written down"));
    EXPECT_EQ(let_in.object().at("override").as_string(), "BUNDLE-UNSIGNED");
    EXPECT_EQ(run({"bundle", "verify", bundle_, "--allow-unsigned"}).code, ExitCode::ok);
    const json::array lines =
        run({"bundle", "trust", "list", "-o", "json"}).object().at("overrides").as_array();
    ASSERT_EQ(lines.size(), 2u);
    EXPECT_EQ(lines[0].at("contentDigest"), let_in.object().at("contentDigest"));
    EXPECT_THAT(run({"bundle", "trust", "list"}).out, HasSubstr("--allow-unsigned"));
    // What cannot be written down does not count.
    folder_.write("file", "");
    EXPECT_NE(run({"bundle", "verify", bundle_, "--allow-unsigned", "--state", at("file")}).code,
              ExitCode::ok);
}

TEST_F(BundleCommands, DeltaInventoryDiffAndMerge) {
    oci::testing::SmallImages more = oci::testing::sample_images();
    more.name("a.b/new:1", more.image({.files = {{"n", "n"}}}));
    fs::remove_all(folder_ / "images");
    more.write_layout(folder_ / "images");
    const std::string whole = at("whole"), delta = at("delta"), merged = at("merged");
    ASSERT_EQ(run({"bundle", "build", "-f", recipe_, "-o", whole}).code, ExitCode::ok);
    folder_.write("inventory.json", run({"bundle", "inventory", bundle_}).out);
    for (const std::string& since : {bundle_, at("inventory.json")}) {
        ASSERT_EQ(run({"bundle", "build", "-f", recipe_, "-o", delta, "--since", since}).code,
                  ExitCode::ok);
        ASSERT_EQ(run({"bundle", "merge", bundle_, delta, "-o", merged}).code, ExitCode::ok);
        EXPECT_EQ(bytes(merged), bytes(whole));
    }
    const Ran changes = run({"bundle", "diff", bundle_, whole});
    EXPECT_EQ(changes.code, ExitCode::changes);
    EXPECT_THAT(changes.out, HasSubstr("a.b/new:1"));
    EXPECT_EQ(run({"bundle", "diff", merged, whole}).code, ExitCode::ok);
    EXPECT_EQ(run({"bundle", "merge", delta, "-o", at("no")}).code, ExitCode::failed);
    EXPECT_EQ(run({"bundle", "merge", bundle_, delta, "-o", bundle_}).code, ExitCode::usage);
}

TEST_F(BundleCommands, ExtractTakesABinaryOut) {
    EXPECT_EQ(run({"bundle", "extract", bundle_, "kubeadm:v1.34.1", "-o", at("out")}).code,
              ExitCode::ok);
    EXPECT_EQ(bytes(at("out")), "ELF");
    EXPECT_THAT(run({"bundle", "extract", bundle_, "registry.k8s.io/one:v2", "-o", at("no")}).err,
                HasSubstr("did you mean 'registry.k8s.io/one:v1'"));
}

TEST(BundleCatalog, ListsReleasesAndPrintsRecipes) {
    EXPECT_THAT(run({"bundle", "catalog"}).out, HasSubstr("v1.34.11  3.6.5-0"));
    EXPECT_EQ(run({"bundle", "catalog", "-o", "json"}).object().at("kubernetes").as_array().size(),
              6u);
    const Ran recipe = run({"bundle", "catalog", "v1.34", "--arch", "arm64"});
    EXPECT_THAT(recipe.out, HasSubstr("kind: Recipe"));
    EXPECT_THAT(recipe.out, ::testing::Not(HasSubstr("amd64")));
    const Ran unknown = run({"bundle", "catalog", "v1.2"});
    EXPECT_EQ(unknown.code, ExitCode::failed);
    EXPECT_THAT(unknown.err, HasSubstr("v1.36.4"));
    EXPECT_EQ(run({"bundle", "catalog", "v1.34", "--arch", "mips"}).code, ExitCode::usage);
}

TEST(ByteProgress, SaysHowFarItIs) {
    EXPECT_EQ(shown_bytes(999), "999 B");
    EXPECT_EQ(shown_bytes(1'400'000'000), "1.4 GB");
    EXPECT_EQ(shown_bytes(999'999), "1.0 MB");
    std::ostringstream out, err;
    Output output(out, err);
    ByteProgress progress(output);
    progress.expect("checking", 1000);
    progress.add(420);
    EXPECT_THAT(progress.line(), HasSubstr("checking  42 %  420 B of 1.0 kB"));
}

}  // namespace
}  // namespace slipway::cli
