// Large files and trees of simulated hosts.
#include "base/digest.hpp"
#include "base/error.hpp"
#include "remote/testing/test_fleet.hpp"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::remote {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::make_test_fleet;
using ::testing::Optional;

template <class F>
std::string error_of(F&& f) {
    try {
        f();
        return "(none)";
    } catch (const Error& e) {
        return e.id();
    }
}

const std::string kDigest(64, 'a');

TEST(SimulatedFetch, NeedsNoServerAndKeepsSizeAndDigest) {
    auto fleet = make_test_fleet({"a"});
    Host& host = fleet->host("a");
    Fetch what;
    what.url = "https://registry:5000/v2/bundle";
    what.sha256 = kDigest;
    what.size = 700u << 20;
    what.path = "/var/lib/slipway/bundle";
    what.mode = 0600;
    EXPECT_EQ(host.fetch(what, {}, {}).fetched, what.size);
    EXPECT_TRUE(host.fetch(what, {}, {}).already);
    const std::optional<FileInfo> info = host.file_info(what.path, {});
    EXPECT_THAT(
        info,
        Optional(FileInfo{
            .mode = 0600, .owner = "root", .group = "root", .size = what.size, .sha256 = kDigest}));
    EXPECT_EQ(error_of([&] { host.read_file(what.path, {}); }), "HOST-FILE");
    what.url = "ftp://r/x";
    what.mode = 0644;
    EXPECT_EQ(error_of([&] { host.fetch(what, {}, {}); }), "HOST-FETCH");
}

TEST(SimulatedUpload, KeepsSizeAndDigestAndNotTheContent) {
    const std::string from = ::testing::TempDir() + "slipway-simulated-upload";
    std::ofstream(from) << "hello";
    auto fleet = make_test_fleet({"a"});
    Host& host = fleet->host("a");
    std::uint64_t told = 0;
    const Upload what{.from = from, .path = "/var/lib/x/file", .mode = 0755};
    const auto tell = [&](std::uint64_t bytes) { told = bytes; };
    EXPECT_EQ(host.upload(what, tell, {}).sent, 5u);
    EXPECT_EQ(told, 5u);
    EXPECT_EQ(host.file_info(what.path, {})->sha256, sha256_hex("hello"));
    EXPECT_EQ(host.file_info(what.path, {})->size, 5u);
    EXPECT_TRUE(host.upload(what, {}, {}).already);
    // Given both, nobody reads the file: a thousand hosts would each read all of it.
    const Upload large{.from = "/nowhere", .path = "/var/lib/x/l", .sha256 = kDigest, .size = 9};
    EXPECT_EQ(host.upload(large, {}, {}).sent, 9u);
    EXPECT_EQ(error_of([&] { host.upload({.from = "/nowhere", .path = "/var/lib/x/n"}, {}, {}); }),
              "FILE-UNREADABLE");
    // A file that is written over it is one with content again.
    host.write_file(what.path, {.content = "small"}, {});
    EXPECT_EQ(host.read_file(what.path, {})->content, "small");
    EXPECT_EQ(host.file_info(what.path, {})->sha256, sha256_hex("small"));
}

TEST(SimulatedUpload, ALargeFileIsPartOfTheState) {
    auto fleet = make_test_fleet({"a"});
    SimulatedHost& host = fleet->simulated("a");
    const std::string before = host.fingerprint();
    host.upload({.from = "/n", .path = "/etc/f", .sha256 = kDigest, .size = 9}, {}, {});
    const std::string with = host.fingerprint();
    EXPECT_NE(with, before);
    host.upload({.from = "/n", .path = "/etc/f", .sha256 = std::string(64, 'b'), .size = 9}, {},
                {});
    EXPECT_NE(host.fingerprint(), with);
    host.remove_file("/etc/f", {});
    EXPECT_EQ(host.fingerprint(), before);
}

TEST(SimulatedFolder, IsListedByNames) {
    auto fleet = make_test_fleet({"a"});
    Host& host = fleet->host("a");
    host.write_file("/opt/x/b/deep", {.content = ""}, {});
    host.write_file("/opt/x/a", {.content = ""}, {});
    EXPECT_THAT(host.list_folder("/opt/x", {}), Optional(ElementsAre("a", "b")));
    EXPECT_EQ(host.list_folder("/opt/x/a", {}), std::nullopt);
    EXPECT_EQ(host.list_folder("/opt/none", {}), std::nullopt);
    EXPECT_TRUE(host.file_info("/opt/x", {})->folder);
    EXPECT_EQ(host.file_info("/opt/none", {}), std::nullopt);
}

TEST(SimulatedTree, GoesWithItsMountsAndNothingElse) {
    auto fleet = make_test_fleet(
        {"a"}, "defaults: {mounts: {/var/lib/k/pods: tmpfs, /var/lib/kept: tmpfs}}");
    SimulatedHost& host = fleet->simulated("a");
    host.write_file("/var/lib/kept/file", {.content = ""}, {});
    host.write_file("/var/lib/k/pods/file", {.content = ""}, {});
    host.remove_tree("/var/lib/k", true, {});
    EXPECT_THAT(host.list_folder("/var/lib/k", {}), Optional(IsEmpty()));
    EXPECT_FALSE(host.mounts({}).contains("/var/lib/k/pods"));
    EXPECT_TRUE(host.mounts({}).contains("/var/lib/kept"));
    host.remove_tree("/var/lib/k", false, {});
    host.remove_tree("/var/lib/k", false, {});
    EXPECT_EQ(host.file_info("/var/lib/k", {}), std::nullopt);
    EXPECT_TRUE(host.file_info("/var/lib/kept/file", {}));
    for (const char* path : {"/", "/var", "/usr", "/etc", "/home", "/var/lib", "/var/lib/k/../x"})
        EXPECT_EQ(error_of([&] { host.remove_tree(path, true, {}); }), "HOST-REFUSED-INPUT")
            << path;
}

}  // namespace
}  // namespace slipway::remote
