// Many clients at once, cut connections, garbage collection under load: what was acknowledged stays
// whole.
#include "base/files.hpp"
#include "net/testing/raw_client.hpp"
#include "net/testing/temporary_file.hpp"
#include "oci/media_types.hpp"
#include "registry/testing/running_registry.hpp"

#include <atomic>
#include <charconv>
#include <fstream>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/resource.h>

namespace slipway::registry {
namespace {

namespace fs = std::filesystem;
namespace media = oci::media;
using net::testing::pattern;
using net::testing::RawClient;
using testing::Answer;
using testing::blob_path;
using testing::manifest_path;
using testing::RunningRegistry;
using testing::uploads_path;
using testing::with_digest;

constexpr std::chrono::seconds kNoAge{0};

// How far an upload is, once nobody is writing to it any more.
std::size_t settled_size(RunningRegistry& registry, const std::string& location) {
    while (true) {
        const Answer state = registry.get(location);
        if (state.status == 409) {
            std::this_thread::yield();
            continue;
        }
        EXPECT_EQ(state.status, 204);
        std::size_t last = 0;
        const std::string range = state.header("Range");
        std::from_chars(range.data() + 2, range.data() + range.size(), last);
        return last == 0 ? 0 : last + 1;
    }
}

// Sends the head of a PATCH for all that is left and only `bytes` of it, then is gone.
void send_and_cut(RunningRegistry& registry, const std::string& location, std::string_view left,
                  std::size_t bytes) {
    RawClient client(registry.port());
    client.send(fmt::format("PATCH {} HTTP/1.1\r\nHost: x\r\nContent-Length: {}\r\n\r\n", location,
                            left.size()));
    client.send(left.substr(0, bytes));
    client.end_writing();
    client.read_to_end();
}

TEST(CutUpload, GoesOnWhereverItWasCut) {
    constexpr std::size_t kStep = 64u << 10;
    RunningRegistry registry;
    const std::string bytes = pattern(16 * kStep + 12'345);
    const oci::Digest digest = oci::digest_of(bytes);
    for (std::size_t cut = kStep; cut < bytes.size(); cut += kStep) {
        const std::string location = registry.post(uploads_path("a")).header("Location");
        send_and_cut(registry, location, bytes, cut);
        const std::size_t there = settled_size(registry, location);
        ASSERT_LE(there, cut);
        const Answer end = registry.put(with_digest(location, digest), bytes.substr(there));
        ASSERT_EQ(end.status, 201) << end.body;
        EXPECT_EQ(registry.get(blob_path("a", digest)).body, bytes);
        EXPECT_EQ(registry.remove(blob_path("a", digest)).status, 202);
    }
}

TEST(CutUpload, EndsThroughManyCutsOneAfterTheOther) {
    constexpr std::size_t kStep = 64u << 10;
    RunningRegistry registry;
    const std::string bytes = pattern(10 * kStep + 1);
    const oci::Digest digest = oci::digest_of(bytes);
    const std::string location = registry.post(uploads_path("a")).header("Location");
    for (int i = 0; i < 9; ++i) {
        const std::size_t there = settled_size(registry, location);
        send_and_cut(registry, location, std::string_view(bytes).substr(there), kStep);
        if (i % 3 == 0) {
            settled_size(registry, location);
            registry.restart();
        }
    }
    const std::size_t there = settled_size(registry, location);
    EXPECT_GT(there, kStep);
    EXPECT_EQ(registry.put(with_digest(location, digest), bytes.substr(there)).status, 201);
    EXPECT_EQ(registry.get(blob_path("a", digest)).body, bytes);
}

TEST(CutUpload, InOneRequestLeavesNothing) {
    RunningRegistry registry;
    const std::string bytes = pattern(200'000);
    const std::string digest = oci::digest_of(bytes).str();
    RawClient client(registry.port());
    client.send(
        fmt::format("POST {}?digest={} HTTP/1.1\r\nHost: x\r\nContent-Length: 200000\r\n\r\n",
                    uploads_path("a"), digest));
    client.send(bytes.substr(0, 100'000));
    client.end_writing();
    client.read_to_end();
    EXPECT_TRUE(fs::is_empty(registry.folder() / "uploads"));
    EXPECT_EQ(registry.get("/v2/a/blobs/" + digest).status, 404);
}

TEST(ParallelPush, OfOneBlobByManyIsOneBlob) {
    RunningRegistry registry;
    const std::string bytes = pattern(1 << 20);
    const oci::Digest digest = oci::digest_of(bytes);
    {
        std::vector<std::jthread> pushers;
        for (int i = 0; i < 32; ++i) {
            pushers.emplace_back([&, i] {
                const std::string repository = fmt::format("r{}", i % 4);
                if (i % 2 == 0) {
                    registry.push_blob(repository, bytes);
                } else {
                    const Answer begun = registry.post(uploads_path(repository));
                    const std::string location = begun.header("Location");
                    EXPECT_EQ(registry.patch(location, bytes.substr(0, 500'000)).status, 202);
                    EXPECT_EQ(
                        registry.put(with_digest(location, digest), bytes.substr(500'000)).status,
                        201);
                }
                EXPECT_EQ(registry.get(blob_path(repository, digest)).body, bytes);
            });
        }
    }
    EXPECT_TRUE(fs::is_empty(registry.folder() / "uploads"));
    std::size_t files = 0;
    for (const auto& entry : fs::recursive_directory_iterator(registry.folder() / "blobs"))
        files += entry.is_regular_file() ? 1 : 0;
    EXPECT_EQ(files, 1u);
}

TEST(ParallelPush, TwoRequestsOnOneUploadDoNotMix) {
    RunningRegistry registry;
    const std::string location = registry.post(uploads_path("a")).header("Location");
    RawClient first(registry.port());
    first.send(
        fmt::format("PATCH {} HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n12345", location));
    // The server holds the upload as soon as it has read the head.
    while (registry.get(location).status != 409) std::this_thread::yield();
    EXPECT_EQ(registry.patch(location, "x").status, 409);
    EXPECT_EQ(registry.remove(location).status, 409);
    first.send("67890");
    EXPECT_EQ(net::testing::status_of(first.read_until("\r\n\r\n")), 202);
    EXPECT_EQ(settled_size(registry, location), 10u);
}

// A push and a delete of the same image may come in any order: what is left is one of the two.
TEST(DeleteDuringPush, LeavesNoTagWithoutItsImage) {
    RunningRegistry registry;
    const oci::Digest digest = registry.push_image("a", "v0", "layer");
    const std::string text = registry.get(manifest_path("a", "v0")).body;
    std::atomic<bool> done = false;
    std::jthread deleter([&] {
        while (!done) registry.remove(manifest_path("a", digest.str()));
    });
    for (int i = 0; i < 200; ++i)
        EXPECT_EQ(
            registry.push_manifest("a", fmt::format("t{}", i % 7), text, media::kManifest).status,
            201);
    done = true;
    deleter.join();
    for (const std::string& tag : registry.get("/v2/a/tags/list").list("tags"))
        EXPECT_TRUE(registry.pulls_whole("a", tag)) << tag;
}

class Garbage : public ::testing::Test {
  protected:
    GarbageReport collect(bool dry_run = false) {
        return registry_.store().collect_garbage(kNoAge, dry_run);
    }
    RunningRegistry registry_;
};

TEST_F(Garbage, IsWhatNoManifestRefersTo) {
    const oci::Digest kept = registry_.push_image("a", "v1", "layer");
    registry_.push_blob("a", "nobody's");
    registry_.push_blob("only/blobs", "nobody's either");
    const GarbageReport would = collect(true);
    EXPECT_EQ(would.removed, 2u);
    EXPECT_EQ(would.bytes, 23u);
    const GarbageReport did = collect();
    EXPECT_EQ(did.removed, 2u);
    EXPECT_EQ(did.kept, 3u);
    EXPECT_TRUE(registry_.pulls_whole("a", "v1"));
    EXPECT_EQ(registry_.get(blob_path("a", oci::digest_of("nobody's"))).status, 404);
    EXPECT_FALSE(registry_.store().link("only/blobs", oci::digest_of("nobody's either")));
    EXPECT_EQ(registry_.remove(manifest_path("a", kept.str())).status, 202);
    EXPECT_EQ(collect().removed, 3u);
    EXPECT_EQ(collect().kept, 0u);
}

TEST_F(Garbage, IsNotWhatWasJustPushed) {
    registry_.push_blob("a", "a part of an image to come");
    EXPECT_EQ(registry_.store().collect_garbage(std::chrono::seconds(3600)).removed, 0u);
    EXPECT_EQ(collect().removed, 1u);
}

TEST_F(Garbage, IsNotWhatAnIndexOrASubjectHolds) {
    const oci::Digest image = registry_.push_image("a", "v1", "layer");
    const std::string text = registry_.get(manifest_path("a", "v1")).body;
    const std::string index = fmt::format(
        R"({{"schemaVersion":2,"manifests":[{{"mediaType":"{}","digest":"{}","size":{}}}]}})",
        media::kManifest, image.str(), text.size());
    EXPECT_EQ(registry_.push_manifest("a", "all", index, media::kIndex).status, 201);
    EXPECT_EQ(registry_.remove(manifest_path("a", "v1")).status, 202);
    EXPECT_EQ(collect().removed, 0u);
    EXPECT_TRUE(registry_.pulls_whole("a", "all"));
}

TEST_F(Garbage, IsNotWhatAnotherRepositoryMounted) {
    registry_.push_image("a", "v1", "layer");
    const std::string text = registry_.get(manifest_path("a", "v1")).body;
    for (const char* part : {"{}", "layer"}) {
        EXPECT_EQ(registry_.post(uploads_path("b") + "?from=a&mount=" + oci::digest_of(part).str())
                      .status,
                  201);
    }
    EXPECT_EQ(registry_.push_manifest("b", "v1", text, media::kManifest).status, 201);
    EXPECT_EQ(registry_.remove(manifest_path("a", oci::digest_of(text).str())).status, 202);
    EXPECT_EQ(collect().removed, 0u);
    EXPECT_TRUE(registry_.pulls_whole("b", "v1"));
}

// A push as clients do it: what is collected from under it is sent again.
bool push_until_taken(RunningRegistry& registry, const std::string& repository,
                      const std::string& tag, const std::string& layer) {
    const std::string text =
        testing::image_text(oci::digest_of("{}"), 2, {{oci::digest_of(layer), layer.size()}});
    for (int i = 0; i < 1000; ++i) {
        registry.push_blob(repository, "{}");
        if (registry.head(blob_path(repository, oci::digest_of(layer))).status != 200)
            registry.push_blob(repository, layer);
        const Answer answer = registry.push_manifest(repository, tag, text, media::kManifest);
        if (answer.status == 201) return true;
        EXPECT_EQ(answer.code(), "MANIFEST_BLOB_UNKNOWN");
    }
    return false;
}

TEST_F(Garbage, CollectedInAStormBreaksNoImage) {
    std::atomic<bool> done = false;
    std::jthread collector([&] {
        while (!done) collect();
    });
    std::jthread deleter([&] {
        for (int i = 0; !done; ++i)
            registry_.remove(manifest_path("r", fmt::format("gone{}", i % 8)));
    });
    std::jthread puller([&] {
        while (!done) {
            const Answer tags = registry_.get("/v2/r/tags/list");
            if (tags.status != 200) continue;
            for (const std::string& tag : tags.list("tags")) {
                if (tag.starts_with("keep")) {
                    EXPECT_TRUE(registry_.pulls_whole("r", tag)) << tag;
                }
            }
        }
    });
    {
        std::vector<std::jthread> pushers;
        for (int p = 0; p < 4; ++p) {
            pushers.emplace_back([&, p] {
                for (int i = 0; i < 25; ++i) {
                    const std::string shared = fmt::format("layer {}", i % 5);
                    EXPECT_TRUE(
                        push_until_taken(registry_, "r", fmt::format("gone{}", i % 8), shared));
                    EXPECT_TRUE(
                        push_until_taken(registry_, "r", fmt::format("keep{}-{}", p, i),
                                         i % 2 == 0 ? shared : fmt::format("own {} {}", p, i)));
                }
            });
        }
    }
    done = true;
    collector.join();
    deleter.join();
    puller.join();
    collect();
    std::size_t kept = 0;
    for (const std::string& tag : registry_.get("/v2/r/tags/list").list("tags")) {
        EXPECT_TRUE(registry_.pulls_whole("r", tag)) << tag;
        kept += tag.starts_with("keep") ? 1 : 0;
    }
    EXPECT_EQ(kept, 100u);
    EXPECT_EQ(registry_.stats().handler_failures, 0u);
}

std::size_t peak_memory_kib() {
    const std::string status = read_file("/proc/self/status");
    const std::size_t at = status.find("VmHWM:");
    return std::stoul(status.substr(at + 6));
}

// From now on peak_memory_kib() is of what comes.
std::size_t start_measuring() {
    std::ofstream("/proc/self/clear_refs") << "5";
    return peak_memory_kib();
}

// Without a bound it was 1.7 GB. Sanitizers need memory of their own, ThreadSanitizer many times
// what the program does.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SLIPWAY_TEST_MEMORY_SAYS_NOTHING
#endif
#endif
#ifdef SLIPWAY_TEST_MEMORY_SAYS_NOTHING
constexpr std::size_t kMostMemoryKib = 16u << 20;
#else
constexpr std::size_t kMostMemoryKib = 600u << 10;
#endif

TEST(Manifests, TakeBoundedMemoryWhateverIsInThem) {
    RunningRegistry registry;
    std::string text = R"({"schemaVersion":2,"x":[0)";
    while (text.size() < oci::kMaxManifest - 10) text += ",0";
    text += "]}";
    const std::size_t before = start_measuring();
    {
        std::vector<std::jthread> clients;
        for (int i = 0; i < 12; ++i) {
            clients.emplace_back([&] {
                net::HttpClient client;
                const std::string url =
                    fmt::format("http://127.0.0.1:{}{}", registry.port(), manifest_path("a", "x"));
                EXPECT_EQ(
                    client.send({.method = "PUT", .url = Url::parse(url), .body = text}).status,
                    400);
            });
        }
    }
    EXPECT_LT(peak_memory_kib() - before, kMostMemoryKib);
}

TEST(LargeBlob, NeedsLittleMemory) {
    constexpr std::size_t kSize = 256u << 20;
    RunningRegistry registry;
    const std::string portion = pattern(1 << 20);
    const std::string location = registry.post(uploads_path("a")).header("Location");
    const std::size_t before = peak_memory_kib();
    net::HttpClient client;
    std::size_t left = kSize;
    oci::Hasher hasher;
    net::ClientRequest request{
        .method = "PATCH",
        .url = Url::parse(fmt::format("http://127.0.0.1:{}{}", registry.port(), location)),
        .body = [&](std::span<char> room) -> std::size_t {
            const std::size_t now = std::min({room.size(), portion.size(), left});
            left -= now;
            std::copy_n(portion.begin(), now, room.begin());
            hasher.update({portion.data(), now});
            return now;
        }};
    EXPECT_EQ(client.send(request).status, 202);
    const std::string settled = registry.get(location).header("Range");
    EXPECT_EQ(registry.put(with_digest(location, hasher.finish()), "").status, 201);
    EXPECT_EQ(settled, fmt::format("0-{}", kSize - 1));
    EXPECT_LT(peak_memory_kib() - before, 32u << 10);
}

// As many files as this process may have open, for as long as it lives.
class ManyFiles {
  public:
    ManyFiles() {
        ::getrlimit(RLIMIT_NOFILE, &former_);
        const rlimit most{.rlim_cur = former_.rlim_max, .rlim_max = former_.rlim_max};
        ::setrlimit(RLIMIT_NOFILE, &most);
    }
    ~ManyFiles() { ::setrlimit(RLIMIT_NOFILE, &former_); }
    ManyFiles(const ManyFiles&) = delete;
    ManyFiles& operator=(const ManyFiles&) = delete;

    // Each connection has two ends here, and a file that is sent.
    std::size_t connections() const { return std::min<std::size_t>(1000, former_.rlim_max / 4); }

  private:
    rlimit former_{};
};

TEST(ManyConnections, OfWhichMostAreSlowAreAllServed) {
    const ManyFiles files;
    const std::size_t connections = files.connections();
    RunningRegistry registry({.server = {.max_connections = connections + 10}});
    const oci::Digest layer = registry.push_blob("a", pattern(100'000));
    std::vector<std::unique_ptr<RawClient>> clients;
    const std::string request = fmt::format(
        "GET {} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", blob_path("a", layer));
    for (std::size_t i = 0; i < connections; ++i) {
        clients.push_back(std::make_unique<RawClient>(registry.port()));
        clients.back()->send(request.substr(0, 5 + i % 20));
    }
    EXPECT_EQ(registry.get(blob_path("a", layer)).status, 200);
    for (std::size_t i = 0; i < connections; ++i) clients[i]->send(request.substr(5 + i % 20));
    for (const auto& client : clients) {
        const std::string answer = client->read_to_end();
        ASSERT_EQ(net::testing::status_of(answer), 200);
        ASSERT_TRUE(answer.ends_with(pattern(100'000)));
    }
}

TEST(ManyConnections, BeyondTheLimitAreToldToComeAgain) {
    RunningRegistry registry({.server = {.max_connections = 2}});
    std::vector<std::unique_ptr<RawClient>> clients;
    for (int i = 0; i < 2; ++i) {
        clients.push_back(std::make_unique<RawClient>(registry.port()));
        clients.back()->send("GET /v2/ HTTP/1.1\r\nHost: x\r\n\r\n");
        EXPECT_EQ(net::testing::status_of(clients.back()->read_until("\r\n\r\n")), 200);
    }
    EXPECT_EQ(net::testing::status_of(net::testing::answer_to(registry.port(), "")), 503);
    clients.pop_back();
    while (registry.stats().open > 1) std::this_thread::yield();
    EXPECT_EQ(registry.get("/v2/").status, 200);
}

TEST(SlowClients, AreCutOffAndTheirUploadsStay) {
    RunningRegistry registry({.server = {.body_idle_timeout = net::Millis(50)}});
    const std::string location = registry.post(uploads_path("a")).header("Location");
    RawClient slow(registry.port());
    slow.send(
        fmt::format("PATCH {} HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n12345", location));
    EXPECT_EQ(net::testing::status_of(slow.read_to_end()), 408);
    EXPECT_EQ(settled_size(registry, location), 5u);
}

}  // namespace
}  // namespace slipway::registry
