#include "oci/manifest.hpp"

#include "base/error.hpp"
#include "oci/media_types.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::oci {
namespace {

using ::testing::HasSubstr;

const std::string kSha = "sha256:" + std::string(64, 'a');

std::string descriptor(std::string_view type = "x/y") {
    return fmt::format(R"({{"mediaType":"{}","digest":"{}","size":3}})", type, kSha);
}

std::string image(std::string_view extra = "") {
    return fmt::format(R"({{"schemaVersion":2{},"config":{},"layers":[{}]}})", extra, descriptor(),
                       descriptor());
}

std::string refusal(const std::string& text, std::string_view type = "") {
    try {
        parse_document(text, type);
    } catch (const UserError& e) {
        EXPECT_EQ(e.id(), "MANIFEST-INVALID");
        return e.message();
    }
    return "accepted";
}

TEST(Manifest, ReadsImagesOfBothKinds) {
    EXPECT_EQ(parse_manifest(image()).media_type, media::kManifest);
    const Document docker = parse_document(image(), media::kDockerManifest);
    EXPECT_EQ(std::get<Manifest>(docker).media_type, media::kDockerManifest);
    EXPECT_EQ(std::get<Manifest>(docker).layers.at(0).size, 3u);
}

TEST(Manifest, ReadsListsWithPlatformsAndPassesOverUnknownFields) {
    const std::string text = fmt::format(
        R"({{"schemaVersion":2,"new":[1],"mediaType":"{}","manifests":[
            {{"mediaType":"{}","digest":"{}","size":7,"later":{{}},
              "platform":{{"os":"linux","architecture":"arm64","variant":"v8"}}}}]}})",
        media::kDockerList, media::kDockerManifest, kSha);
    const Index index = parse_index(text);
    EXPECT_EQ(index.manifests.at(0).platform.str(), "linux/arm64/v8");
}

TEST(Manifest, ReadsArtifactsWithSubject) {
    const Manifest m =
        parse_manifest(image(fmt::format(R"(,"artifactType":"a/b","subject":{})", descriptor())));
    EXPECT_EQ(m.artifact_type, "a/b");
    EXPECT_EQ(m.subject.value().digest.str(), kSha);
}

TEST(Manifest, OwnOnesComeBackAsTheyWere) {
    Manifest m = parse_manifest(image(R"(,"annotations":{"b":"2","a":"1"})"));
    m.layers[0].platform = {.os = "linux", .architecture = "amd64"};
    const std::string text = to_text(m);
    EXPECT_EQ(to_text(parse_manifest(text)), text);
    EXPECT_THAT(text, HasSubstr(R"("annotations":{"a":"1","b":"2"})"));
    Index i{.media_type = std::string(media::kIndex), .manifests = m.layers};
    EXPECT_EQ(to_text(parse_index(to_text(i))), to_text(i));
}

TEST(Manifest, RefusesByNameWhatCannotBeTrusted) {
    EXPECT_THAT(refusal("{"), HasSubstr("not JSON"));
    EXPECT_THAT(refusal("[]"), HasSubstr("not a JSON object"));
    EXPECT_THAT(refusal("{}"), HasSubstr("schemaVersion"));
    EXPECT_THAT(refusal(R"({"schemaVersion":1,"fsLayers":[]})"), HasSubstr("schemaVersion"));
    EXPECT_THAT(refusal(R"({"schemaVersion":2,"fsLayers":[]})"), HasSubstr("first schema"));
    EXPECT_THAT(refusal(image(R"(,"manifests":[])")), HasSubstr("at once"));
    EXPECT_THAT(refusal(image(), media::kIndex), HasSubstr("not of its type"));
    EXPECT_THAT(refusal(image(), "text/html"), HasSubstr("not of its type"));
    EXPECT_THAT(refusal(image(fmt::format(R"(,"mediaType":"{}")", media::kManifest)),
                        media::kDockerManifest),
                HasSubstr("handed out as"));
    EXPECT_THAT(refusal(R"({"schemaVersion":2,"layers":[]})"), HasSubstr("no config"));
    EXPECT_THAT(refusal(R"({"schemaVersion":2,"manifests":{}})"), HasSubstr("not a list"));
    EXPECT_THAT(refusal(R"({"schemaVersion":2,"manifests":[1]})"), HasSubstr("not an object"));
    EXPECT_THAT(refusal(R"({"schemaVersion":2,"manifests":[{"digest":"sha256:zz","size":1}]})"),
                HasSubstr("not a digest"));
}

TEST(Manifest, RefusesImpossibleSizes) {
    for (const char* size : {"-1", "1.5", "\"3\"", "18446744073709551615", "null", "1e30"}) {
        EXPECT_NE(
            refusal(fmt::format(
                R"({{"schemaVersion":2,"manifests":[{{"digest":"{}","size":{}}}]}})", kSha, size)),
            "accepted")
            << size;
    }
}

TEST(Manifest, HasLimits) {
    EXPECT_THAT(refusal(std::string(kMaxManifest + 1, ' ')), HasSubstr("larger than"));
    EXPECT_THAT(
        refusal(R"({"schemaVersion":2,"a":)" + std::string(100, '[') + std::string(100, ']') + "}"),
        HasSubstr("not JSON"));
    std::string many = descriptor();
    for (std::size_t i = 0; i < kMaxDescriptors; ++i) many += "," + descriptor();
    EXPECT_THAT(refusal(R"({"schemaVersion":2,"manifests":[)" + many + "]}"),
                HasSubstr("more than"));
}

}  // namespace
}  // namespace slipway::oci
