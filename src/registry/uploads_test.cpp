// Uploads that were begun and left: they must not keep others out, nor cost much.
#include "net/http_client.hpp"
#include "oci/testing/temp_folder.hpp"
#include "registry/server.hpp"
#include "registry/testing/running_registry.hpp"

#include <csignal>
#include <future>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::registry {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using testing::Answer;
using testing::RunningRegistry;
using testing::uploads_path;
using testing::with_digest;

std::size_t files_in(const fs::path& folder) {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(AbandonedUploads, GiveWayWhenNothingWasWritten) {
    RunningRegistry registry({.registry = {.most_uploads = 3}});
    std::vector<std::string> begun;
    const auto begin = [&] {
        const Answer answer = registry.post(uploads_path("a"));
        EXPECT_EQ(answer.status, 202);
        begun.push_back(answer.header("Location"));
    };
    for (int i = 0; i < 3; ++i) begin();
    EXPECT_EQ(registry.patch(begun[0], "bytes").status, 202);
    begin();
    EXPECT_EQ(registry.get(begun[0]).status, 204);
    EXPECT_EQ(registry.get(begun[1]).status, 404);
    EXPECT_EQ(registry.patch(begun[2], "more").status, 202);
    EXPECT_EQ(registry.patch(begun[3], "most").status, 202);
    const Answer full = registry.post(uploads_path("a"));
    EXPECT_EQ(full.status, 429);
    EXPECT_EQ(full.code(), "TOOMANYREQUESTS");
    EXPECT_NE(full.header("Retry-After"), "");
    EXPECT_EQ(files_in(registry.folder() / "uploads"), 6u);
    EXPECT_EQ(registry.put(with_digest(begun[0], oci::digest_of("bytes")), "").status, 201);
    begin();
}

TEST(AbandonedUploads, HoldNoFilesOpen) {
    RunningRegistry registry;
    registry.push_blob("a", "x");  // connections are there
    const std::size_t before = files_in("/proc/self/fd");
    std::string location;
    for (int i = 0; i < 200; ++i) location = registry.post(uploads_path("a")).header("Location");
    EXPECT_LT(files_in("/proc/self/fd"), before + 20);
    EXPECT_EQ(registry.patch(location, "by").status, 202);
    EXPECT_EQ(registry.put(with_digest(location, oci::digest_of("bytes")), "tes").status, 201);
}

// A client that asks how far its upload is may have sent the next piece already.
TEST(HeldUploads, AreWaitedForByWritersWhileSomebodyOnlyLooks) {
    const oci::testing::TempFolder folder;
    Store store(folder / "store");
    Uploads uploads(store, 10);
    const std::string id = (*uploads.begin("a", oci::Algorithm::sha256))->id();
    auto look = std::make_optional(uploads.take("a", id, Uploads::For::looking));
    auto writer = std::async(std::launch::async, [&] {
        return std::holds_alternative<Uploads::Hold>(uploads.take("a", id));
    });
    EXPECT_EQ(writer.wait_for(20ms), std::future_status::timeout);
    look.reset();
    EXPECT_TRUE(writer.get());
}

TEST(HeldUploads, AreRefusedWhileSomebodyWrites) {
    const oci::testing::TempFolder folder;
    Store store(folder / "store");
    Uploads uploads(store, 10);
    const auto held = uploads.begin("a", oci::Algorithm::sha256);
    const auto looks = uploads.take("a", (*held)->id(), Uploads::For::looking);
    EXPECT_EQ(std::get<Uploads::Missing>(looks), Uploads::Missing::busy);
}

TEST(AbandonedUploads, EndThoughNothingIsCollected) {
    std::signal(SIGPIPE, SIG_IGN);
    const oci::testing::TempFolder folder;
    const RegistryServer server({.store = folder / "store",
                                 .listen = "127.0.0.1:0",
                                 .plain_http = true,
                                 .keep_uploads = 0s,
                                 .housekeeping = {.look_every = 5ms, .collect_every = 0s}});
    net::HttpClient client;
    EXPECT_EQ(
        client.send({.method = "POST", .url = Url::parse(server.url() + uploads_path("a"))}).status,
        202);
    const auto give_up = std::chrono::steady_clock::now() + 20s;
    while (files_in(folder / "store/uploads") > 0 && std::chrono::steady_clock::now() < give_up)
        std::this_thread::yield();
    EXPECT_EQ(files_in(folder / "store/uploads"), 0u);
}

}  // namespace
}  // namespace slipway::registry
