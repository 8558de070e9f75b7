// Manifests of every form: pushed, listed, headed, pulled byte for byte, deleted.
#include "base/json.hpp"
#include "oci/media_types.hpp"
#include "registry/testing/running_registry.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::registry {
namespace {

namespace media = oci::media;
using testing::Answer;
using testing::blob_path;
using ::testing::Contains;
using ::testing::ElementsAre;
using testing::image_text;
using ::testing::IsEmpty;
using testing::manifest_path;
using testing::RunningRegistry;

const std::string kRepository = "team/app";

std::string quoted_descriptor(const std::string& bytes, std::string_view type,
                              oci::Algorithm algorithm = oci::Algorithm::sha256) {
    return fmt::format(R"({{"mediaType":"{}","digest":"{}","size":{}}})", type,
                       oci::digest_of(bytes, algorithm).str(), bytes.size());
}

struct Shape {
    std::string name;
    std::string_view type;
    std::string text;
    oci::Algorithm algorithm = oci::Algorithm::sha256;
};

const std::string kImageText = image_text(oci::digest_of("{}"), 2, {{oci::digest_of("layer"), 5}});

std::string index_over(const std::string& manifest, std::string_view type, std::string_view own) {
    return fmt::format(R"({{"schemaVersion":2,"mediaType":"{}","manifests":[{}]}})", own,
                       quoted_descriptor(manifest, type));
}

std::vector<Shape> shapes() {
    const std::string config = quoted_descriptor("{}", media::kConfig);
    const std::string layer = quoted_descriptor("layer", media::kLayerGzip);
    const auto image = [&](std::string_view more, std::string_view layers) {
        return fmt::format(R"({{"schemaVersion":2,"mediaType":"{}",{}"config":{},"layers":[{}]}})",
                           media::kManifest, more, config, layers);
    };
    const std::string foreign = quoted_descriptor(
        "elsewhere", "application/vnd.oci.image.layer.nondistributable.v1.tar+gzip");
    const std::string docker =
        fmt::format(R"({{"schemaVersion":2,"mediaType":"{}","config":{},"layers":[{}]}})",
                    media::kDockerManifest, config, layer);
    const std::string index = index_over(kImageText, media::kManifest, media::kIndex);
    return {
        {"Image", media::kManifest, kImageText},
        {"ImageOfOddWhitespace", media::kManifest, "\n " + kImageText + "\t\n"},
        {"Index", media::kIndex, index},
        {"NestedIndex", media::kIndex, index_over(index, media::kIndex, media::kIndex)},
        {"SparseIndex", media::kIndex, index_over("nobody", media::kManifest, media::kIndex)},
        {"Artifact", media::kManifest,
         fmt::format(
             R"({{"schemaVersion":2,"mediaType":"{}","artifactType":"application/vnd.x","config":{},"layers":[{}]}})",
             media::kManifest, quoted_descriptor("{}", media::kEmpty), layer)},
        {"Subject", media::kManifest,
         image(fmt::format(R"("subject":{},)", quoted_descriptor(kImageText, media::kManifest)),
               layer)},
        {"AbsentSubject", media::kManifest,
         image(fmt::format(R"("subject":{},)", quoted_descriptor("absent", media::kManifest)),
               layer)},
        {"IndexWithSubject", media::kIndex,
         fmt::format(R"({{"schemaVersion":2,"subject":{},"manifests":[]}})",
                     quoted_descriptor(kImageText, media::kManifest))},
        {"CustomFields", media::kManifest,
         image(R"("org.example":{"a":[1,2,{"b":null}]},"annotations":{"k":"v"},)", layer)},
        {"DataField", media::kManifest,
         fmt::format(
             R"({{"schemaVersion":2,"config":{{"mediaType":"{}","digest":"{}","size":2,"data":"e30="}},"layers":[{}]}})",
             media::kEmpty, oci::digest_of("{}").str(), layer)},
        {"NoLayers", media::kManifest, image("", "")},
        {"NonDistributable", media::kManifest, image("", foreign + "," + layer)},
        {"NoMediaType", media::kManifest,
         fmt::format(R"({{"schemaVersion":2,"config":{},"layers":[{}]}})", config, layer)},
        {"Sha512", media::kManifest, kImageText, oci::Algorithm::sha512},
        {"Sha512Layers", media::kManifest,
         image("", quoted_descriptor("layer", media::kLayerGzip, oci::Algorithm::sha512))},
        {"Docker", media::kDockerManifest, docker},
        {"DockerList", media::kDockerList,
         index_over(docker, media::kDockerManifest, media::kDockerList)},
    };
}

class Manifests : public ::testing::TestWithParam<Shape> {
  protected:
    Manifests() {
        registry_.push_blob(kRepository, "{}");
        registry_.push_blob(kRepository, "layer");
        registry_.push_blob(kRepository, "layer", oci::Algorithm::sha512);
    }

    void expect_pulled(const std::string& reference) {
        for (const char* method : {"GET", "HEAD"}) {
            const Answer answer =
                registry_.ask({.method = method, .target = manifest_path(kRepository, reference)});
            EXPECT_EQ(answer.status, 200);
            EXPECT_EQ(answer.header("Content-Type"), GetParam().type);
            EXPECT_EQ(answer.header("Content-Length"), std::to_string(GetParam().text.size()));
            EXPECT_EQ(answer.body, *method == 'G' ? GetParam().text : "");
        }
    }

    RunningRegistry registry_;
    const oci::Digest digest_ = oci::digest_of(GetParam().text, GetParam().algorithm);
};

INSTANTIATE_TEST_SUITE_P(Shapes, Manifests, ::testing::ValuesIn(shapes()),
                         [](const auto& about) { return about.param.name; });

TEST_P(Manifests, ArePushedListedPulledAndDeleted) {
    const Answer pushed =
        registry_.push_manifest(kRepository, digest_.str(), GetParam().text, GetParam().type);
    ASSERT_EQ(pushed.status, 201) << pushed.body;
    EXPECT_EQ(pushed.header("Docker-Content-Digest"), digest_.str());
    EXPECT_EQ(pushed.header("Location"), manifest_path(kRepository, digest_.str()));
    EXPECT_EQ(registry_.push_manifest(kRepository, "v1", GetParam().text, GetParam().type).status,
              201);
    expect_pulled(digest_.str());
    expect_pulled("v1");
    EXPECT_THAT(registry_.get("/v2/team/app/tags/list").list("tags"), ElementsAre("v1"));
    registry_.restart();
    expect_pulled("v1");
    EXPECT_EQ(registry_.remove(manifest_path(kRepository, "v1")).status, 202);
    EXPECT_EQ(registry_.get(manifest_path(kRepository, "v1")).code(), "MANIFEST_UNKNOWN");
    expect_pulled(digest_.str());
    EXPECT_EQ(registry_.remove(manifest_path(kRepository, digest_.str())).status, 202);
    EXPECT_EQ(registry_.get(manifest_path(kRepository, digest_.str())).status, 404);
    EXPECT_EQ(registry_.remove(manifest_path(kRepository, digest_.str())).status, 404);
}

class OneManifest : public ::testing::Test {
  protected:
    OneManifest() {
        registry_.push_blob(kRepository, "{}");
        registry_.push_blob(kRepository, "layer");
    }
    Answer push(const std::string& reference, const std::string& text,
                std::string_view type = media::kManifest) {
        return registry_.push_manifest(kRepository, reference, text, type);
    }
    RunningRegistry registry_;
    const std::string digest_ = oci::digest_of(kImageText).str();
};

TEST_F(OneManifest, GoesWithItsTagsWhenItIsDeleted) {
    for (const char* tag : {"a", "b"}) EXPECT_EQ(push(tag, kImageText).status, 201);
    const std::string other = "\n" + kImageText;
    EXPECT_EQ(push("c", other).status, 201);
    EXPECT_EQ(registry_.remove(manifest_path(kRepository, digest_)).status, 202);
    EXPECT_THAT(registry_.get("/v2/team/app/tags/list").list("tags"), ElementsAre("c"));
    EXPECT_EQ(registry_.get(manifest_path(kRepository, "a")).status, 404);
    EXPECT_EQ(registry_.get(manifest_path(kRepository, "c")).body, other);
}

TEST_F(OneManifest, TakesTagsFromTheQuery) {
    const Answer answer = push(digest_ + "?tag=x&tag=y-1.0", kImageText);
    EXPECT_EQ(answer.status, 201);
    EXPECT_THAT(answer.headers.find_all("OCI-Tag"), ElementsAre("x", "y-1.0"));
    EXPECT_EQ(registry_.get(manifest_path(kRepository, "y-1.0")).body, kImageText);
    EXPECT_EQ(push(digest_ + "?tag=..", kImageText).status, 400);
    EXPECT_EQ(push(digest_ + "?tag=a%2Fb", kImageText).status, 400);
    std::string many = digest_ + "?";
    for (int i = 0; i < 51; ++i) many += fmt::format("tag=t{}&", i);
    EXPECT_EQ(push(many, kImageText).status, 414);
    EXPECT_THAT(registry_.get("/v2/team/app/tags/list").list("tags"), ElementsAre("x", "y-1.0"));
}

TEST_F(OneManifest, SaysWhenTheClientHasIt) {
    push("v1", kImageText);
    const std::string tag = "\"" + digest_ + "\"";
    for (const char* reference : {"v1", digest_.c_str()}) {
        const Answer answer =
            registry_.get(manifest_path(kRepository, reference), {{"If-None-Match", tag}});
        EXPECT_EQ(answer.status, 304);
        EXPECT_EQ(answer.header("Docker-Content-Digest"), digest_);
        EXPECT_EQ(answer.body, "");
    }
    push("v1", "\n" + kImageText);
    EXPECT_EQ(registry_.get(manifest_path(kRepository, "v1"), {{"If-None-Match", tag}}).status,
              200);
}

TEST_F(OneManifest, MovesItsTag) {
    push("v1", kImageText);
    const std::string other = "\n" + kImageText;
    EXPECT_EQ(push("v1", other).status, 201);
    EXPECT_EQ(registry_.get(manifest_path(kRepository, "v1")).body, other);
    EXPECT_EQ(registry_.get(manifest_path(kRepository, digest_)).body, kImageText);
}

TEST_F(OneManifest, OfAnotherDigestIsRefused) {
    for (const auto algorithm : {oci::Algorithm::sha256, oci::Algorithm::sha512}) {
        const Answer answer = push(oci::digest_of("other", algorithm).str(), kImageText);
        EXPECT_EQ(answer.status, 400);
        EXPECT_EQ(answer.code(), "DIGEST_INVALID");
    }
    EXPECT_EQ(push("sha256:abc", kImageText).code(), "DIGEST_INVALID");
    EXPECT_EQ(push("md5:" + std::string(32, 'a'), kImageText).code(), "DIGEST_INVALID");
    EXPECT_EQ(registry_.get(manifest_path(kRepository, digest_)).status, 404);
}

TEST_F(OneManifest, WithoutItsBlobsIsRefusedAndNotSeen) {
    for (const char* absent : {"config", "layer2"}) {
        const std::string text =
            std::string_view(absent) == "config"
                ? image_text(oci::digest_of(absent), 6, {})
                : image_text(oci::digest_of("{}"), 2, {{oci::digest_of(absent), 6}});
        const Answer answer = push("v1", text);
        EXPECT_EQ(answer.status, 404);
        EXPECT_EQ(answer.code(), "MANIFEST_BLOB_UNKNOWN");
        EXPECT_EQ(registry_.get(manifest_path(kRepository, "v1")).status, 404);
        EXPECT_EQ(registry_.get(manifest_path(kRepository, oci::digest_of(text).str())).status,
                  404);
        EXPECT_FALSE(registry_.store().has_bytes(oci::digest_of(text)));
    }
    // Blobs of other repositories are not this one's.
    EXPECT_EQ(registry_.push_manifest("team/other", "v1", kImageText, media::kManifest).code(),
              "MANIFEST_BLOB_UNKNOWN");
}

TEST_F(OneManifest, ThatIsNoneIsRefused) {
    const std::string both = R"({"schemaVersion":2,"manifests":[],"layers":[]})";
    for (const std::string& text :
         {std::string(), std::string("{}"), std::string("null"), std::string("[]"),
          std::string("\xff\xfe"), std::string(R"({"schemaVersion":1})"), both,
          std::string(R"({"schemaVersion":2})"), kImageText.substr(0, kImageText.size() - 1),
          kImageText + "x", std::string(100'000, '['),
          std::string(R"({"schemaVersion":2,"manifests":[{"digest":"sha256:x","size":1}]})"),
          std::string(R"({"schemaVersion":2,"manifests":7})")}) {
        const Answer answer = push("v1", text, "");
        EXPECT_EQ(answer.status, 400) << text.substr(0, 80);
        EXPECT_EQ(answer.code(), "MANIFEST_INVALID");
    }
    EXPECT_EQ(push("v1", kImageText, media::kIndex).status, 400);
    EXPECT_EQ(push("v1", kImageText, "text/html").status, 400);
    EXPECT_THAT(registry_.store().manifests(kRepository), IsEmpty());
}

TEST_F(OneManifest, TypeComesFromTheTextWhenTheClientSaysNone) {
    EXPECT_EQ(push("v1", kImageText, "").status, 201);
    EXPECT_EQ(registry_.get(manifest_path(kRepository, "v1")).header("Content-Type"),
              media::kManifest);
    EXPECT_EQ(push("v2", kImageText, std::string(media::kManifest) + "; charset=utf-8").status,
              201);
    EXPECT_EQ(registry_.get(manifest_path(kRepository, "v2")).header("Content-Type"),
              media::kManifest);
}

std::string image_of_size(std::size_t size) {
    const std::string begin = fmt::format(R"({{"schemaVersion":2,"config":{},"layers":[],"x":")",
                                          quoted_descriptor("{}", media::kConfig));
    return begin + std::string(size - begin.size() - 2, 'x') + "\"}";
}

TEST_F(OneManifest, MayHaveFourMebibytesAndNotAByteMore) {
    const std::string most = image_of_size(oci::kMaxManifest);
    ASSERT_EQ(most.size(), oci::kMaxManifest);
    EXPECT_EQ(push("most", most).status, 201);
    EXPECT_EQ(registry_.get(manifest_path(kRepository, "most")).body, most);
    const std::string more = image_of_size(oci::kMaxManifest + 1);
    const Answer refused = push("more", more);
    EXPECT_EQ(refused.status, 413);
    EXPECT_EQ(refused.code(), "SIZE_INVALID");
    EXPECT_EQ(registry_
                  .ask({.method = "PUT",
                        .target = manifest_path(kRepository, "more"),
                        .headers = {{"Content-Type", std::string(media::kManifest)}},
                        .body = more,
                        .chunked = true})
                  .status,
              413);
    EXPECT_EQ(registry_.get(manifest_path(kRepository, "more")).status, 404);
}

TEST_F(OneManifest, OtherMethodsAreRefused) {
    EXPECT_EQ(registry_.post(manifest_path(kRepository, "v1"), "x").status, 405);
    EXPECT_EQ(registry_.patch(manifest_path(kRepository, "v1"), "x").status, 405);
    EXPECT_EQ(registry_.remove("/v2/team/app/tags/list").status, 405);
    EXPECT_EQ(registry_.put("/v2/_catalog", "x").status, 405);
    EXPECT_EQ(registry_.post("/v2/team/app/referrers/" + digest_, "x").status, 405);
    EXPECT_EQ(registry_.post("/v2/", "x").status, 405);
    EXPECT_EQ(registry_.get("/v2/team/app/blobs/uploads/").status, 405);
}

}  // namespace
}  // namespace slipway::registry
