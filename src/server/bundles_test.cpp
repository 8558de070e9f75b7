#include "server/bundles.hpp"

#include "base/digest.hpp"
#include "base/files.hpp"
#include "server/testing/running_server.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::server {
namespace {

using testing::Answer;
using testing::RunningServer;

class BundlesTest : public ::testing::Test {
  protected:
    BundlesTest() { server.unlock(); }

    Answer begin(const std::string& name, const std::string& content) {
        return server.post("/api/v1/bundles", {{"name", name},
                                               {"size", content.size()},
                                               {"digest", "sha256:" + sha256_hex(content)}});
    }
    Answer part(const std::string& name, const std::string& bytes, std::size_t first,
                std::size_t size) {
        return server.send("PATCH", "/api/v1/bundles/" + name, bytes,
                           {{"Content-Type", "application/octet-stream"},
                            {"Content-Range", fmt::format("bytes {}-{}/{}", first,
                                                          first + bytes.size() - 1, size)}});
    }

    RunningServer server;
};

TEST_F(BundlesTest, ArriveInPartsAndGoOnAfterARestart) {
    const std::string content(100'000, 'x');
    ASSERT_EQ(begin("k8s.bundle", content).status, 201);
    EXPECT_EQ(part("k8s.bundle", content.substr(0, 40'000), 0, content.size()).status, 200);
    server.restart();
    server.ask({});
    const Answer in = server.post("/api/v1/session", {{"password", testing::kPassword}});
    ASSERT_EQ(in.status, 201);
    const std::string token = server.token(Role::admin);
    const net::Headers as = {{"Authorization", "Bearer " + token}};
    EXPECT_EQ(int_at(server.ask({.target = "/api/v1/bundles/k8s.bundle", .headers = as}).object(),
                     "received"),
              40'000);
    net::Headers headers = as;
    headers.add("Content-Range", fmt::format("bytes 40000-99999/{}", content.size()));
    const Answer last = server.ask({.method = "PATCH",
                                    .target = "/api/v1/bundles/k8s.bundle",
                                    .headers = headers,
                                    .body = content.substr(40'000)});
    EXPECT_EQ(last.status, 200) << last.body;
    EXPECT_EQ(read_file(server.state() / kServerFolder / "bundles/k8s.bundle"), content);
    EXPECT_EQ(
        string_at(server.ask({.target = "/api/v1/bundles/k8s.bundle", .headers = as}).object(),
                  "path"),
        (server.state() / kServerFolder / "bundles/k8s.bundle").string());
}

TEST_F(BundlesTest, PartsMustFollowEachOther) {
    ASSERT_EQ(begin("a", "0123456789").status, 201);
    EXPECT_EQ(part("a", "345", 3, 10).status, 409);
    EXPECT_EQ(part("a", "012", 0, 11).status, 409);
    EXPECT_EQ(part("a", "0123", 0, 10).status, 200);
    EXPECT_EQ(part("a", "0123", 0, 10).id(), "SERVER-UPLOAD-OFFSET") << "sent twice";
    EXPECT_EQ(begin("a", "0123456789").status, 409);
}

TEST_F(BundlesTest, WhatIsNotWhatWasAnnouncedIsNotKept) {
    ASSERT_EQ(begin("a", "0123456789").status, 201);
    EXPECT_EQ(part("a", "012345678X", 0, 10).id(), "SERVER-UPLOAD-DIGEST");
    EXPECT_EQ(server.get("/api/v1/bundles/a").status, 404);
}

TEST_F(BundlesTest, WhatIsNoBundleNeverCounts) {
    server.set_program(
        "echo '{\"error\":{\"class\":\"user\",\"id\":\"BUNDLE-NOT-ONE\",\"message\":\"no\"}}' >&2; "
        "exit 1");
    ASSERT_EQ(begin("a", "0123456789").status, 201);
    EXPECT_EQ(part("a", "0123456789", 0, 10).id(), "BUNDLE-NOT-ONE");
    EXPECT_TRUE(std::filesystem::is_empty(server.state() / kServerFolder / "bundles"));
    EXPECT_EQ(server.send("DELETE", "/api/v1/bundles/a").status, 404);
}

TEST_F(BundlesTest, ADamagedOneIsGoneHoweverTheLookAtItEnds) {
    server.set_program("echo broken >&2; exit 1");
    ASSERT_EQ(begin("a", "0123456789").status, 201);
    EXPECT_EQ(part("a", "012345678X", 0, 10).id(), "SERVER-UPLOAD-DIGEST");
    EXPECT_TRUE(std::filesystem::is_empty(server.state() / kServerFolder / "bundles"));
}

TEST_F(BundlesTest, OneThatCouldNotBeLookedAtIsFinishedLater) {
    const auto finish = [&](std::size_t size) {
        return server.send("PATCH", "/api/v1/bundles/a", "",
                           {{"Content-Range", fmt::format("bytes */{}", size)}});
    };
    EXPECT_EQ(finish(10).status, 404);
    ASSERT_EQ(begin("a", "0123456789").status, 201);
    EXPECT_EQ(part("a", "01234", 0, 10).status, 200);
    EXPECT_EQ(finish(10).id(), "SERVER-UPLOAD-OFFSET") << "half of it is missing";
    server.set_program("exit 1");
    EXPECT_EQ(part("a", "56789", 5, 10).id(), "SERVER-CHILD");
    EXPECT_EQ(int_at(server.get("/api/v1/bundles/a").object(), "received"), 10);
    EXPECT_EQ(finish(10).id(), "SERVER-CHILD");
    server.set_program("echo '{}'");
    EXPECT_EQ(finish(11).id(), "SERVER-UPLOAD-OFFSET");
    const Answer last = finish(10);
    EXPECT_EQ(last.status, 200) << last.body;
    EXPECT_EQ(int_at(last.object(), "received"), 10);
    EXPECT_EQ(read_file(server.state() / kServerFolder / "bundles/a"), "0123456789");
}

TEST_F(BundlesTest, WhatAKillLeftIsNone) {
    const auto folder = server.state() / kServerFolder / "bundles";
    for (const char* name : {"a.part.new-0123456789ab", "a.upload.new-0123456789ab", "b"})
        atomic_write(folder / name, "x", 0600);
    const json::object list = server.get("/api/v1/bundles").object();
    ASSERT_EQ(list.at("items").as_array().size(), 1u) << json::serialize(list);
    EXPECT_EQ(string_at(list.at("items").as_array()[0].as_object(), "name"), "b");
    EXPECT_EQ(server.get("/api/v1/bundles/a.part.new-0123456789ab").status, 404);
}

TEST_F(BundlesTest, NamesStayInTheFolder) {
    for (const char* name : {"..", ".hidden", "a/b", "", "-x", "x.part", "x.upload", "a b"}) {
        EXPECT_EQ(begin(name, "0123").status, 422) << name;
    }
    EXPECT_EQ(server.get("/api/v1/bundles/users.json.part").status, 404);
    EXPECT_EQ(server.post("/api/v1/bundles", {{"name", "a"}, {"size", 0}}).status, 422);
    EXPECT_EQ(server.post("/api/v1/bundles", {{"name", "a"}, {"size", 1ll << 60}}).status, 422);
}

}  // namespace
}  // namespace slipway::server
