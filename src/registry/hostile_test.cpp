// Names, tags, digests and ids that try to leave the store, and requests nobody should send.
#include "net/testing/raw_client.hpp"
#include "oci/media_types.hpp"
#include "registry/testing/running_registry.hpp"

#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::registry {
namespace {

namespace fs = std::filesystem;
namespace media = oci::media;
using testing::Answer;
using testing::blob_path;
using testing::image_text;
using testing::manifest_path;
using testing::RunningRegistry;
using testing::uploads_path;

const std::vector<std::string> kBadNames = {"..",
                                            "../a",
                                            "a/../b",
                                            "%2e%2e",
                                            "%2e%2e%2fa",
                                            "a%2f..%2fb",
                                            "a/./b",
                                            "a//b",
                                            "/a",
                                            "a/",
                                            "_blobs",
                                            "a/_manifests",
                                            "a/_gone",
                                            ".hidden",
                                            "A",
                                            "a%20b",
                                            "a%00",
                                            "a%0ab",
                                            "-a",
                                            "a-",
                                            "a..b/-",
                                            "a/%2e%2e/b",
                                            "a%5c..",
                                            "\xc3\xa4",
                                            "a/b:5000/c",
                                            "a%252e%252e/b",
                                            "%2fetc",
                                            "a/%c0%ae%c0%ae",
                                            std::string(256, 'a'),
                                            std::string(300, 'a') + "/b"};

// Everything in the folder of the registry's store, and beside it.
std::set<std::string> everything(const fs::path& folder) {
    std::set<std::string> out;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) out.insert(entry.path());
    return out;
}

class Hostile : public ::testing::Test {
  protected:
    // As it is, without a client that puts it right.
    int status_of(const std::string& method, const std::string& target, const std::string& body) {
        return net::testing::status_of(net::testing::answer_to(
            registry_.port(),
            fmt::format("{} {} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: {}\r\n"
                        "Content-Type: {}\r\n\r\n{}",
                        method, target, body.size(), media::kManifest, body)));
    }
    void expect_refused(const std::string& method, const std::string& target,
                        const std::string& body = "") {
        const int status = status_of(method, target, body);
        EXPECT_GE(status, 400) << method << ' ' << target;
        EXPECT_LT(status, 500) << method << ' ' << target;
    }

    RunningRegistry registry_;
    const oci::Digest image_ = registry_.push_image("good", "v1", "layer");
    const std::string text_ = registry_.get(manifest_path("good", "v1")).body;
    const std::string digest_ = oci::digest_of("layer").str();
};

TEST_F(Hostile, NamesReachNothing) {
    const auto before = everything(registry_.folder().parent_path());
    for (const std::string& name : kBadNames) {
        expect_refused("GET", fmt::format("/v2/{}/manifests/v1", name));
        expect_refused("GET", fmt::format("/v2/{}/blobs/{}", name, digest_));
        expect_refused("GET", fmt::format("/v2/{}/tags/list", name));
        expect_refused("GET", fmt::format("/v2/{}/referrers/{}", name, digest_));
        expect_refused("PUT", fmt::format("/v2/{}/manifests/v1", name), text_);
        expect_refused("DELETE", fmt::format("/v2/{}/manifests/v1", name));
        expect_refused("POST", fmt::format("/v2/{}/blobs/uploads/", name));
        expect_refused("POST", fmt::format("/v2/{}/blobs/uploads/?digest={}", name, digest_),
                       "layer");
    }
    EXPECT_EQ(everything(registry_.folder().parent_path()), before);
}

TEST_F(Hostile, TagsDigestsAndUploadsReachNothing) {
    const auto before = everything(registry_.folder().parent_path());
    for (const char* what :
         {"..", "%2e%2e", "..%2f..%2fx", "%2e%2e%2f_manifests", "a%2fb", ".hidden", "-x", "a%00",
          "a%20b", "sha256:..", "sha256:%2e%2e%2f%2e%2e", "sha256-x:y", ":", "a:b"}) {
        expect_refused("GET", fmt::format("/v2/good/manifests/{}", what));
        expect_refused("PUT", fmt::format("/v2/good/manifests/{}", what), text_);
        expect_refused("DELETE", fmt::format("/v2/good/manifests/{}", what));
        expect_refused("GET", fmt::format("/v2/good/blobs/{}", what));
        expect_refused("DELETE", fmt::format("/v2/good/blobs/{}", what));
        expect_refused("GET", fmt::format("/v2/good/referrers/{}", what));
        for (const char* method : {"GET", "PATCH", "PUT", "DELETE"}) {
            expect_refused(
                method, fmt::format("/v2/good/blobs/uploads/{}?digest={}", what, digest_), "layer");
        }
        expect_refused("PUT", fmt::format("/v2/good/manifests/{}?tag={}", image_.str(), what),
                       text_);
    }
    EXPECT_EQ(everything(registry_.folder().parent_path()), before);
    EXPECT_TRUE(registry_.pulls_whole("good", "v1"));
}

// A link outside of the store, as one inside looks: ns= and from= must not find it.
TEST_F(Hostile, ParametersReachNothingOutside) {
    const std::string name = "sha256-" + digest_.substr(7);
    const fs::path outside = registry_.folder().parent_path() / "outside/x";
    fs::create_directories(outside / "_blobs");
    fs::create_directories(outside / "_tags");
    fs::create_directories(outside / "_manifests");
    std::ofstream(outside / "_blobs" / name) << "";
    std::ofstream(outside / "_tags/v1") << image_.str();
    std::ofstream(outside / "_manifests" / ("sha256-" + image_.hex)) << media::kManifest;
    for (const char* ns : {"..%2F..%2Foutside", "../../outside", "a/../../../outside"}) {
        EXPECT_EQ(registry_.get(fmt::format("/v2/x/blobs/{}?ns={}", digest_, ns)).status, 404);
        EXPECT_EQ(registry_.get(fmt::format("/v2/x/manifests/v1?ns={}", ns)).status, 404);
        EXPECT_EQ(registry_.get(fmt::format("/v2/x/manifests/{}?ns={}", image_.str(), ns)).status,
                  404);
        EXPECT_EQ(registry_.get(fmt::format("/v2/x/tags/list?ns={}", ns)).status, 404);
        EXPECT_EQ(
            registry_.post(uploads_path("x") + fmt::format("?mount={}&from={}/x", digest_, ns))
                .status,
            202);
    }
}

TEST_F(Hostile, ManifestsOfAbsurdShapeAreRefusedOrTaken) {
    std::string nested = "1";
    for (int i = 0; i < 1000; ++i) nested = "[" + nested + "]";
    const std::string deep = R"({"schemaVersion":2,"manifests":[],"x":)" + nested + "}";
    EXPECT_EQ(registry_.push_manifest("good", "x", deep, media::kIndex).status, 400);
    std::string many = R"({"schemaVersion":2,"manifests":[)";
    for (int i = 0; i < 10'001; ++i)
        many += fmt::format(R"({}{{"digest":"{}","size":1}})", i == 0 ? "" : ",", digest_);
    EXPECT_EQ(registry_.push_manifest("good", "x", many + "]}", media::kIndex).status, 400);
    // An index that lists itself cannot be made; one that lists its own subject can.
    const std::string own = fmt::format(
        R"({{"schemaVersion":2,"subject":{{"digest":"{0}","size":1}},"manifests":[{{"digest":"{0}","size":1}}]}})",
        image_.str());
    EXPECT_EQ(registry_.push_manifest("good", "x", own, media::kIndex).status, 201);
    EXPECT_EQ(registry_.store().collect_garbage(std::chrono::seconds(0)).removed, 0u);
}

TEST_F(Hostile, TheLongestNameAndTagThatAreAllowedWork) {
    const std::string name = std::string(126, 'a') + "/" + std::string(126, 'b'), tag(128, 't');
    registry_.push_image(name, tag, "layer");
    EXPECT_TRUE(registry_.pulls_whole(name, tag));
    registry_.push_image(std::string(255, 'c'), tag, "layer");
    EXPECT_EQ(
        registry_.push_manifest("good", std::string(129, 't'), text_, media::kManifest).status,
        400);
}

}  // namespace
}  // namespace slipway::registry
