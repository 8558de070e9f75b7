#include "base/error.hpp"
#include "base/testing/error_of.hpp"
#include "engine/testing/memory_journal.hpp"
#include "images/push_run.hpp"
#include "net/testing/temporary_file.hpp"
#include "oci/bundle_build.hpp"
#include "oci/client/testing/docker_registry.hpp"
#include "oci/client/testing/fake_registry.hpp"
#include "oci/layout_source.hpp"
#include "oci/testing/raw_tar.hpp"
#include "oci/testing/small_images.hpp"
#include "oci/testing/temp_folder.hpp"

#include <csignal>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::images {
namespace {

using engine::testing::MemoryJournal;
using oci::testing::DockerRegistry;
using oci::testing::FakeRegistry;
using oci::testing::Faults;
using oci::testing::SmallImages;
using oci::testing::TempFolder;
using slipway::testing::error_of;
using ::testing::HasSubstr;

// Three images over one base layer, one of them for two platforms and signed.
SmallImages family() {
    SmallImages out;
    const std::string base = net::testing::pattern(400'000);
    const auto image = [&](const std::string& own, const std::string& arch) {
        return out.image({.files = {{"base", base}, {"own", own}}, .architecture = arch});
    };
    const oci::Descriptor both = out.index({image("app", "amd64"), image("app", "arm64")});
    out.name("registry.k8s.io/team/app:v1", both);
    out.name("registry.k8s.io/pause:3.10", image("pause", "amd64"));
    out.name("quay.io/team/server:2", image("server", "amd64"));
    out.unnamed(out.referrer(both, "signature"));
    return out;
}

class Pushes : public ::testing::Test {
  protected:
    void SetUp() override {
        std::signal(SIGPIPE, SIG_IGN);
        family().write_layout(folder_ / "layout");
        oci::build_bundle(
            oci::load_recipe({(folder_ / "recipe.yaml").string(),
                              "apiVersion: slipway.dev/v1\nkind: Recipe\nmetadata: {name: x}\n"
                              "spec: {images: [{oci-layout: layout}]}\n"}),
            folder_ / "x.bundle");
    }

    PushOptions options(const std::string& host) const {
        return {.source = (folder_ / "x.bundle").string(),
                .registry = host,
                .prefix = "k8s",
                .to = {.plain_http = true}};
    }
    PushReport push(const PushOptions& options, PushLogins logins = {}) {
        PushRun run(options, std::move(logins), system_clock());
        run.look();
        if (run.has_nothing_to_do()) return run.report_of_nothing();
        return run.execute(journal_, nullptr, {});
    }
    static std::size_t count(const PushReport& report, ImageState state) {
        return static_cast<std::size_t>(
            std::ranges::count(report.images, state, &ImageResult::state));
    }

    TempFolder folder_;
    MemoryJournal journal_;
};

TEST(Destination, NamesAreMapped) {
    const std::string name = "registry.k8s.io/pause:3.10";
    EXPECT_EQ(target_of(name, {}).str(), "pause:3.10");
    EXPECT_EQ(target_of(name, {.prefix = "a/b"}).str(), "a/b/pause:3.10");
    EXPECT_EQ(target_of(name, {.prefix = "a", .keep_host = true}).str(),
              "a/registry.k8s.io/pause:3.10");
    EXPECT_EQ(target_of("Reg.lan:5000/x:1", {.keep_host = true}).str(), "reg.lan-5000/x:1");
    EXPECT_EQ(target_of(name, {.exactly = "r.lan/y/z:9"}).str(), "y/z:9");
    EXPECT_EQ(error_of([&] { target_of(name, {.prefix = "A B"}); }), "REFERENCE-INVALID");
}

TEST(PushSet, KnowsEachBlobOnceAndWhereItIsNeeded) {
    const TempFolder folder;
    family().write_layout(folder / "l");
    const auto source = oci::open_layout_folder(folder / "l");
    const PushSet set = read_push_set(*source, source->images(), {}, {});
    ASSERT_EQ(set.images.size(), 3u);
    std::size_t everywhere = 0;
    for (const auto& [digest, blob] : set.blobs) {
        if (blob.repositories.size() == 3) ++everywhere;
    }
    EXPECT_EQ(everywhere, 1u);  // the base layer
    EXPECT_EQ(set.images[1].target.str(), "team/app:v1");
    EXPECT_EQ(set.images[1].documents.back().descriptor.digest, set.images[1].digest);
    EXPECT_EQ(set.images[1].referrers.size(), 1u);
    const PushSet one = read_push_set(*source, source->images(), {.only = {"quay.io/*"}}, {});
    EXPECT_EQ(one.images.size(), 1u);
    EXPECT_EQ(error_of([&] { read_push_set(*source, source->images(), {.only = {"a.b/c"}}, {}); }),
              "IMAGE-NOT-FOUND");
}

TEST(PushSet, TwoImagesOfOneNameAreRefused) {
    const TempFolder folder;
    SmallImages images;
    images.name("a.io/x:1", images.image({.files = {{"a", "1"}}}));
    images.name("b.io/x:1", images.image({.files = {{"b", "2"}}}));
    images.write_layout(folder / "l");
    const auto source = oci::open_layout_folder(folder / "l");
    const auto read = [&](bool keep) {
        return error_of([&] { read_push_set(*source, source->images(), {}, {.keep_host = keep}); });
    };
    EXPECT_EQ(read(false), "PUSH-CONFLICT");
    EXPECT_EQ(read(true), "none");
}

TEST(PushOptions, SurviveTheJournal) {
    const PushOptions options{.source = "/x",
                              .all_tags = true,
                              .only = {"a", "b*"},
                              .registry = "r:1",
                              .prefix = "p",
                              .keep_host = true,
                              .parallel = 3,
                              .bytes_per_second = 7,
                              .to = {.ca_file = "/ca", .plain_http = true, .user = "ops"}};
    EXPECT_EQ(PushOptions::from_json(options.to_json()).to_json(), options.to_json());
}

TEST_F(Pushes, GoToARegistryOnceAndAreMountedElsewhere) {
    const DockerRegistry registry;
    const PushReport first = push(options(registry.host()));
    EXPECT_TRUE(first.is_whole());
    EXPECT_EQ(count(first, ImageState::pushed), 3u);
    EXPECT_GE(first.counts.mounted, 2u);  // the base layer, at least
    const PushReport second = push(options(registry.host()));
    EXPECT_EQ(count(second, ImageState::present), 3u);
    EXPECT_EQ(second.counts.uploaded + second.counts.mounted, 0u);
    EXPECT_EQ(second.run, 0);
    // What is there is what was in the bundle, signature and all.
    oci::RegistryClient client({.host = registry.host(), .plain_http = true});
    for (const ImageResult& image : first.images) {
        const Target target = target_of(image.name, {.prefix = "k8s"});
        const auto found = client.get_manifest(target.repository, target.tag);
        ASSERT_TRUE(found);
        EXPECT_EQ(found->digest, image.digest);
    }
    EXPECT_EQ(client.referrers("k8s/team/app", first.images[1].digest).size(), 1u);
}

TEST_F(Pushes, SendOnlyWhatIsMissing) {
    const DockerRegistry registry;
    PushOptions one = options(registry.host());
    one.only = {"registry.k8s.io/pause:3.10"};
    EXPECT_TRUE(push(one).is_whole());
    const PushReport rest = push(options(registry.host()));
    EXPECT_TRUE(rest.is_whole());
    EXPECT_EQ(count(rest, ImageState::present), 1u);
    // The base layer is known from the first and comes by mounting.
    EXPECT_LT(rest.counts.bytes, 100'000u);
    EXPECT_GE(rest.counts.mounted, 2u);
}

TEST_F(Pushes, OneRefusedImageDoesNotStopTheOthers) {
    FakeRegistry fake;
    fake.faults([](Faults& f) { f.refuse = "k8s/pause"; });
    const PushReport report = push(options(fake.host()));
    EXPECT_FALSE(report.is_whole());
    EXPECT_EQ(count(report, ImageState::pushed), 2u);
    EXPECT_EQ(report.images[0].state, ImageState::failed);
    EXPECT_EQ(report.images[0].error, "REGISTRY-DENIED");
    EXPECT_THAT(report.images[0].target, HasSubstr("k8s/pause:3.10"));
    EXPECT_EQ(report.outcome.result, engine::RunResult::partial);
    // When it is allowed, the same run goes on and sends no blob again.
    fake.faults([](Faults& f) { f.refuse = ""; });
    const int before = fake.count("POST", "/uploads/");
    const PushReport again = push(options(fake.host()));
    EXPECT_TRUE(again.is_whole());
    EXPECT_TRUE(again.resumed);
    EXPECT_EQ(fake.count("POST", "/uploads/"), before);
}

TEST_F(Pushes, GoOnWithTokensThatRunOut) {
    FakeRegistry fake;
    fake.faults([](Faults& f) {
        f.wants_token = true;
        f.uses_of_token = 4;
    });
    PushLogins logins{.to = {"ops", Secret("secret")}};
    // One at a time: others could use up a token between its making and its first use.
    PushOptions one_at_a_time = options(fake.host());
    one_at_a_time.parallel = 1;
    EXPECT_TRUE(push(one_at_a_time, std::move(logins)).is_whole());
    EXPECT_GE(fake.count("GET", "/token"), 5);
    // A mount needs the right to read where it comes from.
    EXPECT_GE(fake.count("GET", "scope=repository%3Ak8s%2Fpause%3Apull&scope="), 1);
    EXPECT_EQ(error_of([&] { push(options(fake.host()), {.to = {"ops", Secret("wrong")}}); }),
              "REGISTRY-LOGIN");
}

TEST_F(Pushes, DoWithoutMountsAndWithoutAListOfReferrers) {
    FakeRegistry fake;
    fake.faults([](Faults& f) { f.no_mounts = f.no_referrers_api = true; });
    EXPECT_TRUE(push(options(fake.host())).is_whole());
    const oci::Digest signed_one = family().roots()[0].digest;
    EXPECT_TRUE(fake.has_tag("k8s/team/app", oci::referrers_tag(signed_one)));
    oci::RegistryClient client({.host = fake.host(), .plain_http = true});
    const std::vector<oci::Descriptor> list = client.referrers("k8s/team/app", signed_one);
    ASSERT_EQ(list.size(), 1u);
    EXPECT_EQ(list[0].artifact_type, "application/vnd.example.signature");
}

TEST_F(Pushes, ComeFromRegistriesAndArchivesToo) {
    FakeRegistry first, second, third;
    EXPECT_TRUE(push(options(first.host())).is_whole());
    PushOptions copy{.source = first.host() + "/k8s/pause:3.10",
                     .registry = second.host(),
                     .exactly = second.host() + "/other/name:x",
                     .to = {.plain_http = true},
                     .from = {.plain_http = true}};
    EXPECT_TRUE(push(copy).is_whole());
    EXPECT_TRUE(second.has_tag("other/name", "x"));
    folder_.write("docker.tar", family().layout_tar());
    PushOptions import{.source = (folder_ / "docker.tar").string(),
                       .registry = third.host(),
                       .keep_host = true,
                       .to = {.plain_http = true}};
    EXPECT_TRUE(push(import).is_whole());
    EXPECT_TRUE(third.has_tag("quay.io/team/server", "2"));
}

TEST_F(Pushes, StopWhileTheRegistryIsAsked) {
    FakeRegistry fake;
    std::stop_source stop;
    PushRun run(options(fake.host()), {}, system_clock(), stop.get_token());
    stop.request_stop();
    EXPECT_THROW(run.look(), Cancelled);
    EXPECT_EQ(fake.seen().size(), 0u);
    PushOptions sync{.source = fake.host(), .all_tags = true, .registry = fake.host()};
    EXPECT_THROW(PushRun(sync, {}, system_clock(), stop.get_token()), Cancelled);
}

// A step over its deadline is told to stop, and nobody else is.
TEST_F(Pushes, OneStoppedStepStopsNoOther) {
    FakeRegistry fake;
    const oci::BundleReader bundle(folder_ / "x.bundle");
    oci::BundleSource source(bundle);
    oci::RegistryClient client({.host = fake.host(), .plain_http = true});
    Push job(read_push_set(source, source.images(), {}, {}), source, client);
    std::stop_source late;
    late.request_stop();
    const oci::Digest blob = job.set().blobs.begin()->first;
    EXPECT_THROW(job.place_blob(blob, late.get_token()), Cancelled);
    job.place_blob(blob, {});
    EXPECT_TRUE(job.has_blob(blob, {}));
}

TEST(PushSteps, WaitLongerForWhatIsSentSlowlyAndOften) {
    const TempFolder folder;
    family().write_layout(folder / "l");
    const auto source = oci::open_layout_folder(folder / "l");
    oci::RegistryClient client({.host = "127.0.0.1:1", .plain_http = true});
    const auto job =
        std::make_shared<Push>(read_push_set(*source, source->images(), {}, {}), *source, client);
    const auto longest = [&](std::uint64_t slowest) {
        Millis out{0};
        for (const engine::Step& step : push_steps(job, slowest))
            out = std::max(out, step.deadline);
        return out;
    };
    // The base layer of 400 kB, in three repositories.
    EXPECT_GT(longest(1000), longest(kSlowestRate) + std::chrono::seconds(1100));
}

TEST_F(Pushes, ADigestInTheNewNameIsADemand) {
    FakeRegistry fake;
    PushOptions copy = options(fake.host());
    copy.only = {"registry.k8s.io/pause:3.10"};
    const auto name = [&](const std::string& tag, const std::string& digest) {
        return fake.host() + "/x/y" + tag + "@" + digest;
    };
    const std::string wrong = "sha256:" + std::string(64, '1');
    for (const char* tag : {"", ":1"}) {
        copy.exactly = name(tag, wrong);
        EXPECT_EQ(error_of([&] { push(copy); }), "DIGEST-MISMATCH");
    }
    EXPECT_EQ(fake.seen().size(), 0u);
    copy.exactly = name(":1", family().roots()[1].digest.str());
    EXPECT_TRUE(push(copy).is_whole());
    EXPECT_TRUE(fake.has_tag("x/y", "1"));
}

TEST_F(Pushes, SyncTakesEveryTagOfARegistry) {
    const DockerRegistry from, to;
    EXPECT_TRUE(push(options(from.host())).is_whole());
    PushOptions sync{.source = from.host(),
                     .all_tags = true,
                     .registry = to.host(),
                     .to = {.plain_http = true},
                     .from = {.plain_http = true}};
    const PushReport report = push(sync);
    EXPECT_TRUE(report.is_whole());
    EXPECT_EQ(count(report, ImageState::pushed), 3u);
    oci::RegistryClient client({.host = to.host(), .plain_http = true});
    EXPECT_EQ(client.referrers("k8s/team/app", family().roots()[0].digest).size(), 1u);
    EXPECT_EQ(count(push(sync), ImageState::present), 3u);
}

TEST_F(Pushes, SyncTakesSignaturesByTagAndPassesOverWhatHasNoTags) {
    const DockerRegistry from, to;
    EXPECT_TRUE(push(options(from.host())).is_whole());
    oci::RegistryClient client({.host = from.host(), .plain_http = true});
    const auto pause = client.get_manifest("k8s/pause", "3.10");
    const std::string signature = oci::referrers_tag(pause->digest) + ".sig";  // as cosign does
    client.put_manifest("k8s/pause", signature, *pause);
    PushOptions bare = options(from.host());
    bare.only = {"registry.k8s.io/pause:3.10"};
    bare.exactly = from.host() + "/bare@" + pause->digest.str();
    EXPECT_TRUE(push(bare).is_whole());
    const PushOptions sync{.source = from.host(),
                           .all_tags = true,
                           .registry = to.host(),
                           .to = {.plain_http = true},
                           .from = {.plain_http = true}};
    EXPECT_EQ(count(push(sync), ImageState::pushed), 4u);
    oci::RegistryClient there({.host = to.host(), .plain_http = true});
    EXPECT_TRUE(there.head_manifest("k8s/pause", signature));
}

TEST_F(Pushes, ADamagedBundleIsFoundOutByTheRegistry) {
    const oci::BundleReader reader(folder_ / "x.bundle");
    std::string bytes = read_file(folder_ / "x.bundle", 64u << 20);
    for (std::size_t i = 0; i < reader.content().blobs.size(); ++i) {
        const oci::BundleBlob& blob = reader.content().blobs[i];
        if (blob.kind == oci::BlobKind::blob && blob.size > 100'000) {
            bytes[reader.index().offsets[i] + 1000] ^= 1;
        }
    }
    folder_.write("bad.bundle", bytes);
    FakeRegistry fake;
    PushOptions bad = options(fake.host());
    bad.source = (folder_ / "bad.bundle").string();
    const PushReport report = push(bad);
    EXPECT_EQ(count(report, ImageState::failed), 3u);
    EXPECT_EQ(report.images[0].error, "REGISTRY-REFUSED");
    EXPECT_FALSE(fake.has_tag("k8s/pause", "3.10"));
}

// One image for two platforms; a bundle of some of them.
class SparsePushes : public Pushes {
  protected:
    void SetUp() override {
        Pushes::SetUp();
        bundle("one", "linux/amd64");
        bundle("two", "linux/amd64, linux/arm64");
    }
    void bundle(const std::string& name, const std::string& platforms) {
        const std::string text = fmt::format(
            "apiVersion: slipway.dev/v1\nkind: Recipe\nmetadata: {{name: x}}\n"
            "spec: {{images: [{{oci-layout: layout, platforms: [{}], "
            "only: [\"registry.k8s.io/team/app:v1\"]}}]}}\n",
            platforms);
        oci::build_bundle(oci::load_recipe({(folder_ / "recipe.yaml").string(), text}),
                          folder_ / (name + ".bundle"));
    }
    PushOptions from(const std::string& name, const std::string& host) const {
        PushOptions out = options(host);
        out.source = (folder_ / (name + ".bundle")).string();
        return out;
    }
    static oci::Index index() {
        const SmallImages images = family();
        return oci::parse_index(images.blobs().at(images.roots()[0].digest));
    }
};

TEST_F(SparsePushes, APlatformThatCameLaterIsPushed) {
    FakeRegistry fake;
    EXPECT_TRUE(push(from("one", fake.host())).is_whole());
    const oci::Digest arm = index().manifests[1].digest;
    EXPECT_FALSE(fake.has_manifest("k8s/team/app", arm));
    const PushReport report = push(from("two", fake.host()));
    EXPECT_EQ(count(report, ImageState::pushed), 1u);
    EXPECT_TRUE(fake.has_manifest("k8s/team/app", arm));
    EXPECT_EQ(count(push(from("two", fake.host())), ImageState::present), 1u);
}

TEST_F(SparsePushes, ARegistryThatWantsAllGetsAnIndexOfWhatThereIs) {
    const DockerRegistry registry;
    const PushReport report = push(from("one", registry.host()));
    ASSERT_TRUE(report.is_whole()) << report.images[0].message;
    EXPECT_TRUE(report.images[0].reduced);
    oci::RegistryClient client({.host = registry.host(), .plain_http = true});
    const auto found = client.get_manifest("k8s/team/app", "v1");
    ASSERT_TRUE(found);
    EXPECT_EQ(found->digest, report.images[0].digest);
    EXPECT_NE(found->digest, family().roots()[0].digest);
    const std::vector<oci::Descriptor> children = oci::parse_index(found->text).manifests;
    ASSERT_EQ(children.size(), 1u);
    EXPECT_EQ(children[0].digest, index().manifests[0].digest);
    EXPECT_EQ(children[0].platform.str(), "linux/amd64");
    const PushReport second = push(from("one", registry.host()));
    EXPECT_EQ(count(second, ImageState::present), 1u);
    EXPECT_TRUE(second.images[0].reduced);
    // With all platforms the tag gets what it should have had.
    const PushReport both = push(from("two", registry.host()));
    EXPECT_FALSE(both.images[0].reduced);
    EXPECT_EQ(client.get_manifest("k8s/team/app", "v1")->digest, family().roots()[0].digest);
}

TEST_F(SparsePushes, TheDigestIsKeptWhereThatIsWanted) {
    FakeRegistry fake;
    PushOptions options = from("one", fake.host());
    options.keep_digest = true;
    fake.faults([](Faults& f) { f.whole_indexes = true; });
    EXPECT_EQ(push(options).images[0].error, "PUSH-SPARSE");
    EXPECT_FALSE(fake.has_tag("k8s/team/app", "v1"));
    fake.faults([](Faults& f) { f.whole_indexes = false; });
    EXPECT_FALSE(push(options).images[0].reduced);
}

TEST_F(SparsePushes, ADeltaIsNotTakenForFewerPlatforms) {
    // The base has one of the two manifests, and not the index.
    SmallImages old;
    old.name("registry.k8s.io/team/old:v1",
             old.image({.files = {{"base", net::testing::pattern(400'000)}, {"own", "app"}}}));
    old.write_layout(folder_ / "old");
    const auto build = [&](const std::string& layout, const oci::BuildOptions& how) {
        const std::string text = fmt::format(
            "apiVersion: slipway.dev/v1\nkind: Recipe\nmetadata: {{name: x}}\n"
            "spec: {{images: [{{oci-layout: {}}}]}}\n",
            layout);
        oci::build_bundle(oci::load_recipe({(folder_ / "recipe.yaml").string(), text}),
                          folder_ / (layout + ".bundle"), how);
    };
    build("old", {});
    build("layout", {.since = oci::read_inventory(folder_ / "old.bundle")});
    FakeRegistry fake;
    EXPECT_EQ(error_of([&] { push(from("layout", fake.host())); }), "BUNDLE-BLOB-MISSING");
}

TEST_F(Pushes, WhatARegistryLostIsSentAgain) {
    FakeRegistry fake;
    EXPECT_TRUE(push(options(fake.host())).is_whole());
    const PushSet set = PushRun(options(fake.host()), {}, system_clock()).set();
    const oci::Digest lost = set.images[0].blobs.back();
    fake.lose_blob("k8s/pause", lost);
    const PushReport report = push(options(fake.host()));
    EXPECT_TRUE(report.is_whole());
    EXPECT_EQ(report.images[0].state, ImageState::pushed);
    EXPECT_EQ(count(report, ImageState::present), 2u);
    EXPECT_TRUE(fake.has_blob("k8s/pause", lost));
    // Likewise when a full disk has cut it short.
    fake.damage_blob("k8s/pause", lost, "short");
    EXPECT_EQ(push(options(fake.host())).images[0].state, ImageState::pushed);
    EXPECT_EQ(count(push(options(fake.host())), ImageState::present), 3u);
}

TEST_F(Pushes, AskForEachBlobOnceARepository) {
    FakeRegistry fake;
    EXPECT_TRUE(push(options(fake.host())).is_whole());
    const int before = fake.count("HEAD", "/blobs/");
    EXPECT_EQ(count(push(options(fake.host())), ImageState::present), 3u);
    std::size_t places = 0;
    const PushRun run(options(fake.host()), {}, system_clock());
    for (const auto& [digest, blob] : run.set().blobs) places += blob.repositories.size();
    EXPECT_EQ(static_cast<std::size_t>(fake.count("HEAD", "/blobs/") - before), places);
    EXPECT_EQ(fake.count("GET", "/blobs/"), 0);
}

TEST_F(Pushes, AListOfReferrersThatWasNotWrittenIsWrittenByTheNext) {
    FakeRegistry fake;
    fake.faults([](Faults& f) { f.no_referrers_api = true; });
    EXPECT_TRUE(push(options(fake.host())).is_whole());
    const std::string tag = oci::referrers_tag(family().roots()[0].digest);
    fake.lose_manifest("k8s/team/app", tag);
    const PushReport report = push(options(fake.host()));
    EXPECT_EQ(count(report, ImageState::pushed), 1u);
    EXPECT_TRUE(fake.has_tag("k8s/team/app", tag));
}

TEST_F(Pushes, ARepositoryThatIsForbiddenDoesNotStopTheOthers) {
    FakeRegistry fake;
    fake.faults([](Faults& f) { f.forbid = "k8s/pause"; });
    const PushReport report = push(options(fake.host()));
    EXPECT_EQ(count(report, ImageState::pushed), 2u);
    EXPECT_EQ(report.images[0].state, ImageState::failed);
    EXPECT_EQ(report.images[0].error, "REGISTRY-DENIED");
}

}  // namespace
}  // namespace slipway::images
