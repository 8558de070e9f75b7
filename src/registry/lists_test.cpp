// Lists: tags, repositories, referrers; pages of them; and the way in.
#include "base/files.hpp"
#include "net/target.hpp"
#include "oci/media_types.hpp"
#include "registry/testing/running_registry.hpp"

#include <atomic>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::registry {
namespace {

namespace media = oci::media;
using testing::Answer;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::manifest_path;
using testing::RunningRegistry;
using ::testing::SizeIs;

// The target of a Link field: </v2/…>; rel="next".
std::string next_page(const Answer& answer) {
    const std::string link = answer.header("Link");
    if (link.empty()) return "";
    EXPECT_TRUE(link.starts_with('<') && link.ends_with(">; rel=\"next\"")) << link;
    return link.substr(1, link.find('>') - 1);
}

std::vector<std::string> all_pages(RunningRegistry& registry, std::string page,
                                   std::string_view key) {
    std::vector<std::string> out;
    while (!page.empty()) {
        const Answer answer = registry.get(page);
        EXPECT_EQ(answer.status, 200);
        for (const std::string& one : answer.list(key)) out.push_back(one);
        page = next_page(answer);
    }
    return out;
}

TEST(Ping, SaysThatThisIsARegistry) {
    RunningRegistry registry;
    for (const char* path : {"/v2/", "/v2"}) {
        const Answer answer = registry.get(path);
        EXPECT_EQ(answer.status, 200);
        EXPECT_EQ(answer.body, "{}");
        EXPECT_EQ(answer.header("Docker-Distribution-Api-Version"), "registry/2.0");
    }
    EXPECT_EQ(registry.head("/v2/").status, 200);
    for (const char* path : {"/", "/v1/", "/v2x", "/v2/x", "/v2/a/b/c", "/v2/_catalog/x",
                             "/v2//tags/list", "/v2/a/tags/", "/index.html"})
        EXPECT_EQ(registry.get(path).status, 404) << path;
}

TEST(EmptyRepository, HasNothing) {
    RunningRegistry registry;
    EXPECT_EQ(registry.get("/v2/a/tags/list").code(), "NAME_UNKNOWN");
    const Answer referrers = registry.get("/v2/a/referrers/" + oci::digest_of("x").str());
    EXPECT_EQ(referrers.status, 200);
    EXPECT_EQ(referrers.header("Content-Type"), media::kIndex);
    EXPECT_THAT(referrers.object().at("manifests").as_array(), SizeIs(0));
    EXPECT_EQ(referrers.object().at("schemaVersion").as_int64(), 2);
    EXPECT_THAT(registry.get("/v2/_catalog").list("repositories"), IsEmpty());
    EXPECT_EQ(registry.get(manifest_path("a", "v1")).code(), "MANIFEST_UNKNOWN");
}

class Tags : public ::testing::Test {
  protected:
    Tags() {
        const oci::Digest digest = registry_.push_image("team/app", "v10", "layer");
        text_ = registry_.get(manifest_path("team/app", digest.str())).body;
        for (const char* tag : {"v2", "Z", "a", "latest", "_x", "v1.0"}) push(tag);
    }
    void push(const std::string& tag) {
        EXPECT_EQ(registry_.push_manifest("team/app", tag, text_, media::kManifest).status, 201);
    }
    std::string text_;
    RunningRegistry registry_;
};

TEST_F(Tags, AreListedInOrder) {
    const Answer answer = registry_.get("/v2/team/app/tags/list");
    EXPECT_EQ(answer.object().at("name").as_string(), "team/app");
    EXPECT_THAT(answer.list("tags"), ElementsAre("Z", "_x", "a", "latest", "v1.0", "v10", "v2"));
    EXPECT_EQ(answer.header("Link"), "");
    EXPECT_EQ(answer.header("Content-Type"), "application/json");
}

TEST_F(Tags, ComeInPages) {
    const Answer first = registry_.get("/v2/team/app/tags/list?n=3");
    EXPECT_THAT(first.list("tags"), ElementsAre("Z", "_x", "a"));
    const Answer second = registry_.get(next_page(first));
    EXPECT_THAT(second.list("tags"), ElementsAre("latest", "v1.0", "v10"));
    const Answer third = registry_.get(next_page(second));
    EXPECT_THAT(third.list("tags"), ElementsAre("v2"));
    EXPECT_EQ(next_page(third), "");
    for (int n = 1; n < 9; ++n) {
        EXPECT_THAT(all_pages(registry_, fmt::format("/v2/team/app/tags/list?n={}", n), "tags"),
                    SizeIs(7));
    }
    EXPECT_EQ(registry_.get("/v2/team/app/tags/list?n=7").header("Link"), "");
}

TEST_F(Tags, ComeAfterOneThatNeedNotBeThere) {
    EXPECT_THAT(registry_.get("/v2/team/app/tags/list?last=b").list("tags"),
                ElementsAre("latest", "v1.0", "v10", "v2"));
    EXPECT_THAT(registry_.get("/v2/team/app/tags/list?last=v2").list("tags"), IsEmpty());
    EXPECT_THAT(registry_.get("/v2/team/app/tags/list?last=%ff&n=1").list("tags"), IsEmpty());
}

TEST_F(Tags, PagesOfAbsurdSizesAreEmptyWholeOrRefused) {
    const Answer none = registry_.get("/v2/team/app/tags/list?n=0");
    EXPECT_THAT(none.list("tags"), IsEmpty());
    EXPECT_EQ(none.header("Link"), "");
    for (const char* n : {"1000000", "18446744073709551615", "99999999999999999999999999"}) {
        EXPECT_THAT(registry_.get(std::string("/v2/team/app/tags/list?n=") + n).list("tags"),
                    SizeIs(7))
            << n;
    }
    for (const char* n : {"", "-1", "x", "1.5", "1e3", "0x10", "%20"})
        EXPECT_EQ(registry_.get(std::string("/v2/team/app/tags/list?n=") + n).status, 400) << n;
}

// A tag is written under another name first: nobody may see that, nor what a kill leaves of it.
TEST_F(Tags, ThatAreBeingWrittenAreNotListed) {
    std::atomic<bool> done = false;
    std::jthread pusher([&] {
        for (int i = 0; i < 40; ++i) push("a");
        done = true;
    });
    while (!done) EXPECT_THAT(registry_.get("/v2/team/app/tags/list").list("tags"), SizeIs(7));
    pusher.join();
    std::filesystem::path scratch = registry_.folder() / "scratch" / "left";
    atomic_write(scratch, "by a kill");
    registry_.restart();
    EXPECT_THAT(registry_.get("/v2/team/app/tags/list").list("tags"), SizeIs(7));
    EXPECT_FALSE(std::filesystem::exists(scratch));
}

TEST(Catalog, ListsRepositoriesInPages) {
    RunningRegistry registry;
    for (const char* name : {"b", "a/b/c", "a", "localhost:5000/x", "a-b", "tags/list"})
        registry.push_image(name, "v1", "layer");
    registry.push_blob("only/blobs", "x");
    EXPECT_THAT(registry.get("/v2/_catalog").list("repositories"),
                ElementsAre("a", "a-b", "a/b/c", "b", "localhost:5000/x", "tags/list"));
    const Answer first = registry.get("/v2/_catalog?n=2");
    EXPECT_THAT(first.list("repositories"), ElementsAre("a", "a-b"));
    EXPECT_THAT(registry.get(next_page(first)).list("repositories"), ElementsAre("a/b/c", "b"));
    EXPECT_THAT(all_pages(registry, "/v2/_catalog?n=1", "repositories"), SizeIs(6));
    EXPECT_THAT(registry.get("/v2/_catalog?n=0").list("repositories"), IsEmpty());
    EXPECT_EQ(registry.get("/v2/_catalog?n=x").status, 400);
}

TEST(Names, MayHaveTheWordsOfTheProtocolInThem) {
    RunningRegistry registry;
    for (const char* name : {"manifests/blobs", "blobs/uploads", "tags/list", "referrers/x",
                             "v2/v2", "blobs/uploads/manifests", "localhost:5000/a"}) {
        registry.push_image(name, "list", "layer");
        EXPECT_TRUE(registry.pulls_whole(name, "list")) << name;
        EXPECT_THAT(registry.get(fmt::format("/v2/{}/tags/list", name)).list("tags"),
                    ElementsAre("list"));
    }
}

class Referrers : public ::testing::Test {
  protected:
    Referrers() {
        registry_.push_blob("team/app", "{}");
        registry_.push_blob("team/app", "layer");
    }
    std::string push(const std::string& type, const std::string& note) {
        const std::string text = fmt::format(
            R"({{"schemaVersion":2,"mediaType":"{0}",{1}"config":{{"mediaType":"{2}","digest":"{3}","size":2}},)"
            R"("layers":[],"subject":{{"mediaType":"{0}","digest":"{4}","size":7}},"annotations":{{"note":"{5}"}}}})",
            media::kManifest, type.empty() ? "" : fmt::format(R"("artifactType":"{}",)", type),
            media::kEmpty, oci::digest_of("{}").str(), subject_, note);
        const std::string digest = oci::digest_of(text).str();
        const Answer answer = registry_.push_manifest("team/app", digest, text, media::kManifest);
        EXPECT_EQ(answer.status, 201) << answer.body;
        EXPECT_EQ(answer.header("OCI-Subject"), subject_);
        return digest;
    }
    json::array listed(const std::string& query = "") {
        const Answer answer = registry_.get("/v2/team/app/referrers/" + subject_ + query);
        EXPECT_EQ(answer.status, 200);
        EXPECT_EQ(answer.header("Content-Type"), media::kIndex);
        EXPECT_EQ(answer.header("OCI-Filters-Applied"), query.empty() ? "" : "artifactType");
        return answer.object().at("manifests").as_array();
    }
    RunningRegistry registry_;
    const std::string subject_ = oci::digest_of("subject").str();
};

TEST_F(Referrers, AreListedWithTypeAndAnnotations) {
    const std::string digest = push("application/vnd.x", "one");
    ASSERT_THAT(listed(), SizeIs(1));
    const json::object one = listed().at(0).as_object();
    EXPECT_EQ(one.at("digest").as_string(), digest);
    EXPECT_EQ(one.at("mediaType").as_string(), media::kManifest);
    EXPECT_EQ(one.at("artifactType").as_string(), "application/vnd.x");
    EXPECT_EQ(one.at("annotations").as_object().at("note").as_string(), "one");
    EXPECT_EQ(one.at("size").to_number<std::size_t>(),
              registry_.get(manifest_path("team/app", digest)).body.size());
}

TEST_F(Referrers, AreFilteredByTypeWhichMayBeThatOfTheConfig) {
    push("application/vnd.x", "one");
    push("application/vnd.y", "two");
    push("", "three");
    EXPECT_THAT(listed(), SizeIs(3));
    EXPECT_THAT(listed("?artifactType=application%2Fvnd.x"), SizeIs(1));
    EXPECT_THAT(listed("?artifactType=" + net::percent_encoded(media::kEmpty)), SizeIs(1));
    EXPECT_THAT(listed("?artifactType=none"), SizeIs(0));
}

TEST_F(Referrers, ComeInPagesThatEverybodyTakes) {
    std::set<std::string> pushed, seen;
    for (const char* letter : {"a", "b", "c", "d", "e"}) {
        std::string note;
        while (note.size() < 1'000'000) note += letter;
        pushed.insert(push("application/vnd.x", note));
    }
    push("application/vnd.y", "small");
    std::string target = "/v2/team/app/referrers/" + subject_ + "?artifactType=application%2Fvnd.x";
    for (int page = 0; page < 9 && !target.empty(); ++page) {
        const Answer answer = registry_.get(target);
        ASSERT_EQ(answer.status, 200);
        EXPECT_LE(answer.body.size(), oci::kMaxManifest);
        const json::object page_of_them = answer.object();
        for (const json::value& one : page_of_them.at("manifests").as_array())
            EXPECT_TRUE(seen.emplace(one.as_object().at("digest").as_string()).second);
        const std::string link = answer.header("Link");
        target = link.empty() ? "" : link.substr(1, link.find('>') - 1);
    }
    EXPECT_EQ(seen, pushed);
}

TEST_F(Referrers, ADamagedOneDoesNotSpoilTheList) {
    const oci::Digest bad = oci::Digest::parse(push("application/vnd.x", "one"));
    push("application/vnd.y", "two");
    const auto blobs = registry_.folder() / "blobs/sha256" / bad.hex.substr(0, 2) / bad.hex;
    const auto note = registry_.folder() / "repositories/team/app/_referrers" /
                      ("sha256-" + oci::digest_of("subject").hex) / ("sha256-" + bad.hex);
    std::filesystem::resize_file(blobs, 1);
    EXPECT_THAT(listed(), SizeIs(2));  // what it was is written down
    std::filesystem::resize_file(note, 10);
    EXPECT_THAT(listed(), SizeIs(1));
    std::filesystem::resize_file(note, 0);  // as former versions wrote it
    EXPECT_THAT(listed(), SizeIs(1));
    EXPECT_EQ(registry_.remove(manifest_path("team/app", bad.str())).status, 202);
    EXPECT_THAT(listed(), SizeIs(1));
}

TEST_F(Referrers, AreListedThoughNothingIsWrittenDown) {
    const oci::Digest digest = oci::Digest::parse(push("application/vnd.x", "one"));
    std::filesystem::resize_file(registry_.folder() / "repositories/team/app/_referrers" /
                                     ("sha256-" + oci::digest_of("subject").hex) /
                                     ("sha256-" + digest.hex),
                                 0);
    ASSERT_THAT(listed(), SizeIs(1));
    EXPECT_EQ(listed().at(0).as_object().at("artifactType").as_string(), "application/vnd.x");
}

TEST_F(Referrers, GoWhenTheyAreDeletedAndStayWhenTheSubjectIs) {
    const std::string digest = push("application/vnd.x", "one");
    push("application/vnd.y", "two");
    registry_.restart();
    EXPECT_THAT(listed(), SizeIs(2));
    EXPECT_EQ(registry_.remove(manifest_path("team/app", digest)).status, 202);
    EXPECT_THAT(listed(), SizeIs(1));
    EXPECT_EQ(registry_.get("/v2/team/app/referrers/latest").code(), "DIGEST_INVALID");
    EXPECT_THAT(
        registry_.get("/v2/other/referrers/" + subject_).object().at("manifests").as_array(),
        SizeIs(0));
}

}  // namespace
}  // namespace slipway::registry
