#include "server/page.hpp"

#include "server/testing/running_server.hpp"

#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::server {
namespace {

using testing::Answer;
using testing::RunningServer;

constexpr std::array kFiles = {
    PageFile{"/index.html", "<title>page</title>", "zipped index", "aaaa"},
    PageFile{"/assets/app-1f.js", "let x", "", "bbbb"}};

TEST(Page, IsGivenForEveryPathThatIsNoneOfTheApis) {
    RunningServer server(kFiles);
    for (const char* path : {"/", "/index.html", "/clusters/demo", "/a/b/c"}) {
        const Answer answer = server.get(path);
        EXPECT_EQ(answer.body, "<title>page</title>") << path;
        EXPECT_EQ(answer.header("Content-Type"), "text/html; charset=utf-8");
        EXPECT_EQ(answer.header("Cache-Control"), "no-cache");
    }
    EXPECT_EQ(server.get("/api/v1/x").status, 404);
    EXPECT_EQ(server.get("/assets/app-old.js").status, 404) << "not the page in a script's place";
}

TEST(Page, PartsWithAHashAreKeptForGood) {
    RunningServer server(kFiles);
    const Answer script = server.get("/assets/app-1f.js", {{"Accept-Encoding", "gzip"}});
    EXPECT_EQ(script.body, "let x") << "there is no smaller form of it";
    EXPECT_EQ(script.header("Content-Encoding"), "");
    EXPECT_EQ(script.header("Cache-Control"), "public, max-age=31536000, immutable");
    EXPECT_EQ(script.header("Content-Type"), "text/javascript; charset=utf-8");
}

TEST(Page, IsCompressedForWhoTakesThatAndNotSentTwice) {
    RunningServer server(kFiles);
    const Answer zipped = server.get("/", {{"Accept-Encoding", "br, gzip"}});
    EXPECT_EQ(zipped.body, "zipped index");
    EXPECT_EQ(zipped.header("Content-Encoding"), "gzip");
    EXPECT_EQ(server.get("/", {{"If-None-Match", zipped.header("ETag")}}).status, 304);
}

TEST(Page, WithoutOneTheServerSaysSo) {
    RunningServer server;
    EXPECT_THAT(server.get("/").body, ::testing::HasSubstr("without its page"));
    EXPECT_EQ(server.get("/clusters").status, 404);
}

}  // namespace
}  // namespace slipway::server
