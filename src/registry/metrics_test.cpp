#include "registry/metrics.hpp"

#include "base/files.hpp"
#include "oci/testing/temp_folder.hpp"
#include "registry/access_log.hpp"
#include "registry/testing/running_registry.hpp"

#include <map>
#include <regex>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::registry {
namespace {

using testing::Answer;
using ::testing::HasSubstr;
using testing::RunningRegistry;

// The samples of a text in Prometheus' form; fails the test where it is not of that form.
std::map<std::string, double> samples(const std::string& text) {
    static const std::regex comment(R"(# (HELP|TYPE) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+))");
    static const std::regex sample(
        R"(([a-zA-Z_:][a-zA-Z0-9_:]*)(\{[a-zA-Z_]\w*="[^"\\\n]*"(,[a-zA-Z_]\w*="[^"\\\n]*")*\})? ([-+0-9.e]+))");
    std::map<std::string, double> out;
    std::map<std::string, std::string> types;
    std::istringstream lines(text);
    EXPECT_TRUE(text.ends_with('\n'));
    for (std::string line; std::getline(lines, line);) {
        std::smatch match;
        if (std::regex_match(line, match, comment)) {
            if (match[1] == "TYPE") {
                EXPECT_TRUE(types.emplace(match[2], match[3]).second) << "twice: " << line;
            }
            continue;
        }
        EXPECT_TRUE(std::regex_match(line, match, sample)) << line;
        std::string family = match[1];
        for (const char* suffix : {"_bucket", "_count", "_sum"}) {
            const std::size_t at = family.rfind(suffix);
            if (at != std::string::npos && types[family.substr(0, at)] == "histogram")
                family.resize(at);
        }
        EXPECT_TRUE(types.contains(family)) << "no type: " << line;
        if (types[family] == "counter") {
            EXPECT_THAT(family, ::testing::EndsWith("_total"));
        }
        EXPECT_TRUE(out.emplace(line.substr(0, line.rfind(' ')), std::stod(match[4])).second)
            << "twice: " << line;
    }
    return out;
}

TEST(Metrics, TellWhenCollectionsFail) {
    RunningRegistry registry;
    const oci::Digest image = registry.push_image("a", "v1", "layer");
    const auto now = [&] { return samples(registry.get("/metrics").body); };
    EXPECT_EQ(now().at("slipway_registry_garbage_failures_total"), 0);
    const auto file = registry.folder() / "blobs/sha256" / image.hex.substr(0, 2) / image.hex;
    std::filesystem::resize_file(file, 1);
    EXPECT_ANY_THROW(registry.registry().clean(std::chrono::seconds(0)));
    EXPECT_EQ(now().at("slipway_registry_garbage_failures_total"), 1);
    EXPECT_EQ(now().at("slipway_registry_garbage_last_success_timestamp_seconds"), 0);
    EXPECT_EQ(registry.remove("/v2/a/manifests/" + image.str()).status, 202);
    registry.registry().clean(std::chrono::seconds(0));
    EXPECT_GT(now().at("slipway_registry_garbage_last_success_timestamp_seconds"), 0);
}

TEST(Metrics, AreOfTheFormThatPrometheusReads) {
    Metrics metrics;
    metrics.served({.method = "GET", .raw_target = "/v2/", .status = 200, .took = net::Millis(3)});
    metrics.served({.method = "GET", .raw_target = "/v2/a/blobs/x", .status = 404});
    metrics.served(
        {.method = "BREW", .raw_target = "/\"}\n", .status = 400, .took = net::Millis(100'000)});
    metrics.collected({.kept = 1, .removed = 2, .bytes = 3});
    const auto seen = samples(metrics.text({.accepted = 7, .bytes_sent = 9}, 4));
    const std::string p = "slipway_registry_";
    EXPECT_EQ(seen.at(p + R"(requests_total{route="ping",method="GET",status="200"})"), 1);
    EXPECT_EQ(seen.at(p + R"(requests_total{route="blob",method="GET",status="404"})"), 1);
    EXPECT_EQ(seen.at(p + R"(requests_total{route="other",method="other",status="400"})"), 1);
    EXPECT_EQ(seen.at(p + R"(request_seconds_bucket{le="0.005"})"), 2);
    EXPECT_EQ(seen.at(p + R"(request_seconds_bucket{le="60"})"), 2);
    EXPECT_EQ(seen.at(p + "request_seconds_count"), 3);
    EXPECT_EQ(seen.at(p + "uploads"), 4);
    EXPECT_EQ(seen.at(p + "garbage_bytes_total"), 3);
    EXPECT_EQ(seen.at(p + "connections_total"), 7);
}

TEST(Metrics, CountWhatIsServed) {
    RunningRegistry registry;
    registry.push_image("a", "v1", "layer");
    registry.get("/v2/a/manifests/v1");
    registry.post(testing::uploads_path("a"));
    const Answer answer = registry.get("/metrics");
    EXPECT_THAT(answer.header("Content-Type"), HasSubstr("text/plain; version=0.0.4"));
    const auto seen = samples(answer.body);
    const std::string p = "slipway_registry_";
    EXPECT_EQ(seen.at(p + R"(requests_total{route="manifest",method="GET",status="200"})"), 1);
    EXPECT_EQ(seen.at(p + R"(requests_total{route="manifest",method="PUT",status="201"})"), 1);
    EXPECT_EQ(seen.at(p + R"(requests_total{route="upload",method="POST",status="201"})"), 2);
    EXPECT_EQ(seen.at(p + "uploads"), 1);
    EXPECT_EQ(registry.post("/metrics", "x").status, 404);
}

TEST(AccessLog, HasALineARequest) {
    const net::Served record{.peer = "10.0.0.7:51234",
                             .method = "GET",
                             .raw_target = "/v2/pause/manifests/3.10",
                             .status = 200,
                             .bytes_sent = 1024,
                             .took = net::Millis(3)};
    EXPECT_EQ(access_line(record, 1'772'366'400'123),
              "2026-03-01T12:00:00.123Z 10.0.0.7:51234 GET /v2/pause/manifests/3.10 200 1024 "
              "3ms\n");
    net::Served bad = record;
    bad.raw_target = "/x\n2026 forged";
    bad.bytes_received = 5;
    bad.complete = false;
    bad.error = "disk \"full\"\n";
    const std::string line = access_line(bad, 0);
    EXPECT_EQ(std::ranges::count(line, '\n'), 1);
    EXPECT_THAT(line, HasSubstr(" received=5 cut error="));
}

TEST(AccessLog, IsAddedTo) {
    const oci::testing::TempFolder folder;
    const auto file = folder.write("log", "before\n");
    AccessLog(file).write({.peer = "x", .method = "GET", .raw_target = "/", .status = 404});
    EXPECT_THAT(read_file(file), ::testing::StartsWith("before\n"));
    EXPECT_THAT(read_file(file), HasSubstr(" x GET / 404 "));
    EXPECT_ANY_THROW(AccessLog(folder / "absent/log"));
}

}  // namespace
}  // namespace slipway::registry
