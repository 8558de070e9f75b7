// The client against a registry that misbehaves.
#include "oci/client/registry_client.hpp"

#include "base/error.hpp"
#include "net/testing/temporary_file.hpp"
#include "oci/client/testing/fake_registry.hpp"
#include "oci/client/testing/jump_clock.hpp"
#include "oci/media_types.hpp"
#include "oci/testing/small_images.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::oci {
namespace {

using testing::FakeRegistry;
using testing::Faults;
using ::testing::HasSubstr;
using testing::JumpClock;
using ::testing::Not;
using testing::Seen;

constexpr const char* kRepository = "team/app";

std::string error_of(const std::function<void()>& act) {
    try {
        act();
    } catch (const Error& e) {
        EXPECT_FALSE(e.message().empty());
        EXPECT_THAT(e.what(), Not(HasSubstr("secret")));
        return e.id();
    }
    return "none";
}

class Client : public ::testing::Test {
  protected:
    RegistryOptions options(const char* password = nullptr) {
        RegistryOptions out{.host = fake_.host(), .plain_http = true, .clock = &clock_};
        if (password != nullptr) out.login = {"ops", Secret(password)};
        return out;
    }
    Descriptor keep_blob(const std::string& bytes) {
        fake_.keep_blob(kRepository, bytes);
        return {.digest = digest_of(bytes), .size = bytes.size()};
    }
    std::string keep_manifest(const std::string& tag) {
        const std::string text = to_text(
            Manifest{.media_type = std::string(media::kManifest),
                     .config = {.media_type = "a/b", .digest = digest_of("{}"), .size = 2}});
        fake_.keep_manifest(kRepository, tag, text, std::string(media::kManifest));
        return text;
    }
    static std::string fetched(RegistryClient& client, const Descriptor& blob) {
        return read_whole(*client.open_blob(kRepository, blob), 64u << 20, "a blob");
    }
    BlobBody body(const std::string& bytes) {
        return {.size = bytes.size(),
                .file = {net::testing::temporary_file("front" + bytes), 5, bytes.size()}};
    }

    FakeRegistry fake_;
    JumpClock clock_;
};

TEST_F(Client, AManifestIsFetchedByTagAndDigest) {
    const std::string text = keep_manifest("v1");
    RegistryClient client(options());
    for (const std::string& reference : {std::string("v1"), digest_of(text).str()}) {
        const auto found = client.get_manifest(kRepository, reference);
        ASSERT_TRUE(found);
        EXPECT_EQ(found->text, text);
        EXPECT_EQ(found->digest, digest_of(text));
        EXPECT_EQ(client.head_manifest(kRepository, reference)->digest, digest_of(text));
    }
    EXPECT_FALSE(client.get_manifest(kRepository, "v2"));
    EXPECT_FALSE(client.head_manifest(kRepository, "v2"));
    EXPECT_FALSE(client.head_blob(kRepository, digest_of("nothing")));
}

TEST_F(Client, ALieIsFoundOut) {
    const std::string text = keep_manifest("v1");
    const Descriptor blob = keep_blob(net::testing::pattern(100'000));
    fake_.faults([](Faults& f) { f.spoil_blobs = f.spoil_manifests = true; });
    RegistryClient client(options());
    EXPECT_EQ(error_of([&] { client.get_manifest(kRepository, "v1"); }), "DIGEST-MISMATCH");
    EXPECT_EQ(error_of([&] { client.get_manifest(kRepository, digest_of(text).str()); }),
              "DIGEST-MISMATCH");
    EXPECT_EQ(error_of([&] { fetched(client, blob); }), "DIGEST-MISMATCH");
    for (const int wrong : {-1, 1}) {
        Descriptor other = blob;
        other.size += static_cast<std::uint64_t>(wrong);
        EXPECT_EQ(error_of([&] { fetched(client, other); }), "REGISTRY-ANSWER");
    }
}

TEST_F(Client, ABlobThatBreaksOffGoesOnWhereItWas) {
    const std::string bytes = net::testing::pattern(1u << 20);
    const Descriptor blob = keep_blob(bytes);
    RegistryClient client(options());
    for (const std::uint64_t cut : {4096u, 37'000u, 64u << 10, (1u << 20) - 1}) {
        fake_.faults([&](Faults& f) { f.cut_blobs_after = cut; });
        EXPECT_EQ(fetched(client, blob), bytes) << cut;
    }
    // One that knows no ranges never gets further.
    fake_.faults([&](Faults& f) { f.no_ranges = true; });
    fake_.faults([&](Faults& f) { f.cut_blobs_after = 64u << 10; });
    EXPECT_EQ(error_of([&] { fetched(client, blob); }), "NET-LOST");
}

TEST_F(Client, ABusyRegistryIsGivenTheTimeItAsksFor) {
    const Descriptor blob = keep_blob("some bytes");
    RegistryClient client(options());
    fake_.faults([](Faults& f) { f.busy = 3; });
    EXPECT_EQ(fetched(client, blob), "some bytes");
    EXPECT_GE(clock_.passed(), std::chrono::seconds(21));
    fake_.faults([](Faults& f) { f.busy = 1000; });
    EXPECT_EQ(error_of([&] { client.head_blob(kRepository, blob.digest); }), "REGISTRY-BUSY");
    fake_.faults([](Faults& f) {
        f.busy = 0;
        f.broken = 3;
    });
    EXPECT_TRUE(client.head_blob(kRepository, blob.digest));
    fake_.faults([](Faults& f) { f.broken = 1000; });
    EXPECT_EQ(error_of([&] { client.get_manifest(kRepository, "v1"); }), "REGISTRY-FAILED");
}

TEST_F(Client, TokensAreFetchedKeptAndRenewed) {
    const std::string bytes = net::testing::pattern(300'000);
    const Descriptor blob = keep_blob(bytes);
    keep_manifest("v1");
    fake_.faults([](Faults& f) { f.wants_token = true; });
    RegistryClient client(options("secret"));
    client.ping();
    EXPECT_TRUE(client.get_manifest(kRepository, "v1"));
    EXPECT_EQ(fetched(client, blob), bytes);
    EXPECT_EQ(fake_.count("GET", "/token"), 2);  // of no repository, and of this one
    EXPECT_EQ(fake_.count("GET", "scope=repository%3Ateam%2Fapp%3Apull"), 1);
    // It runs out on the server while a blob is on its way, several times.
    fake_.faults([](Faults& f) {
        f.uses_of_token = 2;
        f.cut_blobs_after = 50'000;
    });
    EXPECT_EQ(fetched(client, blob), bytes);
    EXPECT_GE(fake_.count("GET", "/token"), 4);
}

TEST_F(Client, ATokenIsRenewedBeforeItRunsOut) {
    const Descriptor blob = keep_blob("bytes");
    fake_.faults([](Faults& f) {
        f.wants_token = true;
        f.token_seconds = 300;
    });
    RegistryClient client(options("secret"));
    client.head_blob(kRepository, blob.digest);
    clock_.advance(std::chrono::seconds(200));
    client.head_blob(kRepository, blob.digest);
    EXPECT_EQ(fake_.count("GET", "/token"), 1);
    clock_.advance(std::chrono::seconds(80));
    client.head_blob(kRepository, blob.digest);
    EXPECT_EQ(fake_.count("GET", "/token"), 2);
}

TEST_F(Client, AWrongLoginIsNamed) {
    fake_.faults([](Faults& f) { f.wants_token = true; });
    RegistryClient wrong(options("secret-but-wrong"));
    EXPECT_EQ(error_of([&] { wrong.ping(); }), "REGISTRY-LOGIN");
    RegistryClient none(options());
    EXPECT_EQ(error_of([&] { none.ping(); }), "REGISTRY-LOGIN");
    fake_.faults([](Faults& f) { f.realm = "http://192.0.2.1/token"; });
    RegistryClient right(options("secret"));
    EXPECT_EQ(error_of([&] { right.ping(); }), "REGISTRY-INSECURE");
}

TEST_F(Client, ALoginStaysWithItsRegistry) {
    FakeRegistry elsewhere;
    const Descriptor blob = keep_blob("bytes elsewhere");
    elsewhere.keep_blob(kRepository, "bytes elsewhere");
    fake_.faults([&](Faults& f) {
        f.wants_token = true;
        f.blobs_at = "http://" + elsewhere.host();
    });
    RegistryClient client(options("secret"));
    EXPECT_EQ(fetched(client, blob), "bytes elsewhere");
    ASSERT_FALSE(elsewhere.seen().empty());
    for (const Seen& one : elsewhere.seen()) EXPECT_EQ(one.authorization, "");
    // One that asks for a login there gets none either.
    elsewhere.faults([](Faults& f) { f.wants_token = true; });
    EXPECT_EQ(error_of([&] { fetched(client, blob); }), "REGISTRY-LOGIN");
    for (const Seen& one : elsewhere.seen()) EXPECT_EQ(one.authorization, "");
}

TEST_F(Client, RedirectsHaveAnEnd) {
    const Descriptor blob = keep_blob("bytes");
    fake_.faults([&](Faults& f) { f.blobs_at = "http://" + fake_.host(); });
    RegistryClient client(options());
    EXPECT_EQ(error_of([&] { fetched(client, blob); }), "REGISTRY-ANSWER");
    EXPECT_LE(fake_.count("GET", "/blobs/"), 7);
}

TEST_F(Client, WhatIsNoRegistryIsRefused) {
    const std::string text = keep_manifest("v1");
    RegistryClient client(options());
    fake_.faults([](Faults& f) { f.type = "text/html"; });
    EXPECT_EQ(error_of([&] { client.get_manifest(kRepository, "v1"); }), "REGISTRY-ANSWER");
    fake_.faults([](Faults& f) { f.type = std::string(media::kIndex); });
    EXPECT_EQ(error_of([&] { client.get_manifest(kRepository, "v1"); }), "MANIFEST-INVALID");
    fake_.faults([](Faults& f) {
        f.type = "";
        f.endless = UINT64_MAX;
    });
    EXPECT_EQ(error_of([&] { client.get_manifest(kRepository, "v1"); }), "NET-PROTOCOL");
    fake_.faults([](Faults& f) { f.answer = "<html>"; });
    EXPECT_EQ(error_of([&] { client.tags(kRepository); }), "MANIFEST-INVALID");
    EXPECT_EQ(error_of([&] { client.referrers(kRepository, digest_of(text)); }),
              "MANIFEST-INVALID");
    EXPECT_EQ(error_of([&] { client.upload(kRepository, digest_of("x"), body("x")); }),
              "REGISTRY-ANSWER");
}

TEST_F(Client, AnUploadGoesOnWhereItBrokeOff) {
    const std::string bytes = net::testing::pattern(2u << 20);
    for (const std::uint64_t cut : {1u, 65'536u, 1'000'000u, (2u << 20) - 1}) {
        FakeRegistry fake;
        fake.faults([&](Faults& f) { f.cut_uploads_after = cut; });
        RegistryClient client({.host = fake.host(), .plain_http = true, .clock = &clock_});
        EXPECT_EQ(client.upload(kRepository, digest_of(bytes), body(bytes)), Uploaded::sent);
        EXPECT_TRUE(fake.has_blob(kRepository, digest_of(bytes)));
        std::uint64_t received = 0;
        for (const Seen& one : fake.seen()) received += one.received;
        // One byte may be none: such an upload begins anew.
        EXPECT_EQ(received, bytes.size() + (cut == 1 ? 1 : 0)) << cut;
    }
}

TEST_F(Client, AStreamIsSentTooAndNeverWhenItIsDamaged) {
    const std::string bytes = net::testing::pattern(500'000);
    RegistryClient client(options());
    const auto stream = [&](const std::string& content) {
        return BlobBody{.size = bytes.size(), .open = [&, content] {
                            return std::make_unique<VerifyingStream>(
                                std::make_unique<MemoryStream>(content), digest_of(bytes),
                                bytes.size(), "a blob");
                        }};
    };
    fake_.faults([&](Faults& f) { f.cut_uploads_after = 100'000; });
    EXPECT_EQ(client.upload(kRepository, digest_of(bytes), stream(bytes)), Uploaded::sent);
    EXPECT_TRUE(fake_.has_blob(kRepository, digest_of(bytes)));
    std::string bad = bytes;
    bad[7] ^= 1;
    EXPECT_EQ(error_of([&] { client.upload("a/b", digest_of(bytes), stream(bad)); }),
              "DIGEST-MISMATCH");
    EXPECT_FALSE(fake_.has_blob("a/b", digest_of(bytes)));
}

TEST_F(Client, AStreamThatGoesInPiecesIsOpenedOnce) {
    const std::string bytes = net::testing::pattern(500'000);
    RegistryOptions pieces = options();
    pieces.piece = 60'000;
    RegistryClient client(std::move(pieces));
    int opened = 0;
    const BlobBody body{.size = bytes.size(), .open = [&] {
                            ++opened;
                            return std::make_unique<VerifyingStream>(
                                std::make_unique<MemoryStream>(bytes), digest_of(bytes),
                                bytes.size(), "a blob");
                        }};
    EXPECT_EQ(client.upload(kRepository, digest_of(bytes), body), Uploaded::sent);
    EXPECT_TRUE(fake_.has_blob(kRepository, digest_of(bytes)));
    EXPECT_EQ(opened, 1);
    EXPECT_EQ(fake_.count("PATCH", "/uploads/"), 9);
    // Again only after something broke.
    fake_.faults([](Faults& f) { f.cut_uploads_after = 30'000; });
    EXPECT_EQ(client.upload("a/b", digest_of(bytes), body), Uploaded::sent);
    EXPECT_TRUE(fake_.has_blob("a/b", digest_of(bytes)));
    EXPECT_EQ(opened, 3);
}

TEST_F(Client, AnUploadThatGainsWithEveryTryIsNotGivenUp) {
    const std::string bytes = net::testing::pattern(1'000'000);
    fake_.faults([](Faults& f) {
        f.cut_uploads_after = 50'000;
        f.cuts = 15;  // more than there are tries
    });
    RegistryClient client(options());
    EXPECT_EQ(client.upload(kRepository, digest_of(bytes), body(bytes)), Uploaded::sent);
    EXPECT_TRUE(fake_.has_blob(kRepository, digest_of(bytes)));
}

TEST_F(Client, OneWhoStopsStopsNoOther) {
    const Descriptor blob = keep_blob("shared layer");
    RegistryClient client(options());
    std::stop_source stop;
    RegistryClient mine = client.stopped_by(stop.get_token());
    EXPECT_TRUE(mine.head_blob(kRepository, blob.digest));
    stop.request_stop();
    EXPECT_THROW(mine.head_blob(kRepository, blob.digest), Cancelled);
    EXPECT_TRUE(client.head_blob(kRepository, blob.digest));
}

TEST_F(Client, ABlobIsMountedWhereThatWorks) {
    const Descriptor blob = keep_blob("shared layer");
    RegistryClient client(options());
    EXPECT_EQ(client.upload("a/b", blob.digest, body("shared layer"), kRepository),
              Uploaded::mounted);
    fake_.faults([](Faults& f) { f.no_mounts = true; });
    EXPECT_EQ(client.upload("c/d", blob.digest, body("shared layer"), kRepository), Uploaded::sent);
    EXPECT_EQ(client.counts().bytes_sent, 12u);
}

TEST_F(Client, TheRateIsKept) {
    RateLimit rate(100'000, clock_);
    RegistryOptions slow = options();
    slow.rate = &rate;
    RegistryClient client(std::move(slow));
    const std::string bytes = net::testing::pattern(1'000'000);
    client.upload(kRepository, digest_of(bytes), body(bytes));
    EXPECT_TRUE(fake_.has_blob(kRepository, digest_of(bytes)));
    EXPECT_EQ(rate.taken(), bytes.size());
    // What was in the bucket at the beginning is free.
    EXPECT_GE(clock_.passed(), Millis(9'700));
    EXPECT_LE(clock_.passed(), Millis(11'000));
}

}  // namespace
}  // namespace slipway::oci
