#include "base/error.hpp"
#include "base/files.hpp"
#include "base/subprocess.hpp"
#include "base/testing/error_of.hpp"
#include "oci/bundle_reader.hpp"
#include "oci/bundle_signature.hpp"
#include "oci/bundle_writer.hpp"
#include "oci/pack.hpp"
#include "oci/tar_reader.hpp"
#include "oci/testing/small_images.hpp"
#include "oci/testing/temp_folder.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>

namespace slipway::oci {
namespace {

using slipway::testing::error_of;
using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::sample_images;
using testing::SmallImages;
using testing::TempFolder;
namespace fs = std::filesystem;

std::string file_bytes(const fs::path& path) { return read_file(path, 64u << 20); }

fs::path write_sample(const TempFolder& folder, std::string_view name = "x.bundle") {
    const SmallImages images = sample_images();
    write_bundle(folder / name, lay_out(images.content()), images.opener());
    return folder / name;
}

std::string run(std::vector<std::string> argv) {
    Subprocess process({.argv = std::move(argv)});
    process.close_in();
    const std::string out = read_all(process.out(), "output");
    const std::string err = read_all(process.err(), "errors");
    return process.wait() == 0 ? out : "FAILED: " + err;
}

TEST(Bundle, HoldsEverythingUnderItsNames) {
    const TempFolder folder;
    const SmallImages images = sample_images();
    const BundleReader bundle(write_sample(folder));
    EXPECT_EQ(bundle.content().blobs.size(), images.blobs().size());
    for (const auto& [digest, bytes] : images.blobs()) {
        const auto place = bundle.find(digest);
        ASSERT_TRUE(place);
        EXPECT_EQ(place->offset % kBundleAlignment, 0u);
        EXPECT_EQ(read_whole(*bundle.open(digest), 1u << 20, "blob"), bytes);
    }
    const BundleRoot* root = bundle.content().find_name("registry.k8s.io/one:v1");
    ASSERT_NE(root, nullptr);
    EXPECT_EQ(bundle.content().find(root->digest)->kind, BlobKind::index);
    EXPECT_EQ(bundle.content().find_name("registry.k8s.io/one:v2"), nullptr);
    EXPECT_FALSE(bundle.find(digest_of("nothing")));
    EXPECT_THAT(verify(bundle), IsEmpty());
}

TEST(Bundle, IsTheSameFileEachTime) {
    const TempFolder folder;
    EXPECT_EQ(file_bytes(write_sample(folder, "a")), file_bytes(write_sample(folder, "b")));
}

TEST(Bundle, IsAPlainTarWithAnOciLayout) {
    const TempFolder folder;
    std::map<std::string, std::string> files;
    const auto stream = stream_file(write_sample(folder));
    TarReader tar(*stream);
    std::vector<std::string> order;
    while (const auto entry = tar.next()) {
        order.push_back(entry->name);
        files[entry->name] = read_whole(tar.content(), 1u << 20, entry->name);
    }
    EXPECT_EQ(order.at(0), "oci-layout");
    EXPECT_EQ(order.at(1), "slipway-index");
    files.erase("slipway-index");
    files.erase("slipway-signatures");
    auto wanted = sample_images().layout_files();
    EXPECT_EQ(parse_index(files["index.json"]).manifests.size(), 4u);
    files.erase("index.json");
    wanted.erase("index.json");
    EXPECT_EQ(files, wanted);
}

TEST(Bundle, IsReadBySkopeoAndTar) {
    const TempFolder folder;
    const std::string bundle = write_sample(folder).string();
    const std::string seen = run({"skopeo", "inspect", "--override-arch=arm64",
                                  "oci-archive:" + bundle + ":registry.k8s.io/one:v1"});
    EXPECT_THAT(seen, HasSubstr("\"Architecture\": \"arm64\""));
    const std::string copied = run({"skopeo", "copy", "--all", "--insecure-policy",
                                    "oci-archive:" + bundle + ":quay.io/folder/two:v2",
                                    "oci:" + (folder / "copy").string() + ":two"});
    EXPECT_THAT(copied, Not(HasSubstr("FAILED")));
    const Index index = parse_index(file_bytes(folder / "copy/index.json"));
    const BundleReader reader(bundle);
    EXPECT_EQ(index.manifests.at(0).digest,
              reader.content().find_name("quay.io/folder/two:v2")->digest);
    EXPECT_THAT(run({"tar", "-tvf", bundle}), HasSubstr("blobs/sha256/"));
}

TEST(Bundle, HoldsSha512BlobsAndEmptyOnes) {
    const TempFolder folder;
    SmallImages images;
    const Descriptor longer = images.blob("text", "a/b", Algorithm::sha512);
    const Descriptor empty = images.blob("", "a/b");
    write_bundle(folder / "x", lay_out(images.content()), images.opener());
    const BundleReader bundle(folder / "x");
    EXPECT_EQ(read_whole(*bundle.open(longer.digest), 100, ""), "text");
    EXPECT_EQ(read_whole(*bundle.open(empty.digest), 100, ""), "");
    EXPECT_THAT(verify(bundle), IsEmpty());
}

TEST(Bundle, IsNotWrittenWhenABlobIsNotWhatItSays) {
    const TempFolder folder;
    SmallImages big = sample_images();
    big.blob(std::string(10'000, 'x'), "a/b");
    const OpenBlob wrong_big = [&](const BundleBlob& blob) {
        std::string bytes = big.blobs().at(blob.digest);
        if (blob.size >= 10'000) bytes[17] = 'y';
        return BlobInput{std::make_unique<MemoryStream>(bytes)};
    };
    EXPECT_EQ(error_of([&] { write_bundle(folder / "x", lay_out(big.content()), wrong_big); }),
              "DIGEST-MISMATCH");
    EXPECT_TRUE(fs::is_empty(folder.path()));
}

// As on a full disk: writing beyond a few kilobytes fails.
class SmallFiles {
  public:
    SmallFiles() {
        former_handler_ = ::signal(SIGXFSZ, SIG_IGN);
        ::getrlimit(RLIMIT_FSIZE, &former_);
        const rlimit small{16'384, former_.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &small);
    }
    ~SmallFiles() {
        ::setrlimit(RLIMIT_FSIZE, &former_);
        ::signal(SIGXFSZ, former_handler_);
    }
    SmallFiles(const SmallFiles&) = delete;
    SmallFiles& operator=(const SmallFiles&) = delete;

  private:
    rlimit former_{};
    sighandler_t former_handler_ = SIG_DFL;
};

TEST(Bundle, LeavesNothingBehindWhenTheDiskIsFullOrItIsStopped) {
    const TempFolder folder;
    {
        const SmallFiles full;
        EXPECT_EQ(error_of([&] { write_sample(folder); }), "BUNDLE-WRITE");
    }
    EXPECT_TRUE(fs::is_empty(folder.path()));
    const SmallImages images = sample_images();
    std::stop_source stop;
    const OnBytes after_some = [&](std::uint64_t bytes) {
        if (bytes > 20'000) stop.request_stop();
    };
    EXPECT_THROW(write_bundle(folder / "x", lay_out(images.content()), images.opener(),
                              {.on_bytes = after_some, .stop = stop.get_token()}),
                 Cancelled);
    EXPECT_TRUE(fs::is_empty(folder.path()));
}

// The name of the part a byte belongs to, as verify() must say it.
std::string part_of(const BundleReader& bundle, std::uint64_t at) {
    for (std::size_t i = 0; i < bundle.content().blobs.size(); ++i) {
        const BundleBlob& blob = bundle.content().blobs[i];
        const std::uint64_t begin = bundle.index().offsets[i];
        if (at >= begin && at < begin + blob.size) return blob.digest.str();
    }
    return "";
}

TEST(Bundle, TellsOfAFlippedBitAnywhere) {
    const TempFolder folder;
    const fs::path path = write_sample(folder);
    const std::string good = file_bytes(path);
    const BundleReader whole(path);
    std::size_t opened = 0;
    for (std::size_t at = 0; at < good.size(); at += at < 16'384 ? 127 : 1021) {
        std::string bad = good;
        bad[at] = static_cast<char>(bad[at] ^ (1 << at % 8));
        const fs::path file = folder.write("bad", bad);
        try {
            const std::vector<Damage> found = verify(BundleReader(file));
            ++opened;
            ASSERT_THAT(found, Not(IsEmpty())) << at;
            EXPECT_THAT(found, Contains(Field(&Damage::what, HasSubstr(part_of(whole, at))))) << at;
        } catch (const UserError& e) {
            EXPECT_THAT(e.id(),
                        ::testing::AnyOf("BUNDLE-DAMAGED", "BUNDLE-NOT-ONE", "BUNDLE-NEWER"))
                << at;
        }
    }
    EXPECT_GT(opened, 20u);
}

TEST(Bundle, TellsOfAFlippedBitInEveryBlobByName) {
    const TempFolder folder;
    const fs::path path = write_sample(folder);
    const std::string good = file_bytes(path);
    const BundleReader whole(path);
    for (std::size_t i = 0; i < whole.content().blobs.size(); ++i) {
        std::string bad = good;
        const std::uint64_t at = whole.index().offsets[i] + whole.content().blobs[i].size / 2;
        bad[at] = static_cast<char>(bad[at] ^ 0x10);
        const BundleReader bundle(folder.write("bad", bad));
        EXPECT_THAT(
            verify(bundle),
            Contains(Field(&Damage::what, HasSubstr(whole.content().blobs[i].digest.str()))));
    }
}

TEST(Bundle, IsRefusedWhenCutOrLonger) {
    const TempFolder folder;
    const std::string good = file_bytes(write_sample(folder));
    for (std::size_t size = 0; size < good.size(); size += 499) {
        const fs::path file = folder.write("bad", good.substr(0, size));
        EXPECT_THAT(error_of([&] { BundleReader{file}; }),
                    ::testing::AnyOf("BUNDLE-DAMAGED", "BUNDLE-NOT-ONE"))
            << size;
    }
    const fs::path longer = folder.write("bad", good + "x");
    EXPECT_EQ(error_of([&] { BundleReader{longer}; }), "BUNDLE-DAMAGED");
}

TEST(Bundle, RefusesSizesThatAddUpPastAllNumbers) {
    BundleContent content;
    for (int i = 0; i < 1 << 18; ++i) {
        content.blobs.push_back({digest_of(std::to_string(i)), 1ull << 43, "a/b"});
    }
    content.sort();
    EXPECT_EQ(error_of([&] { lay_out(content); }), "BUNDLE-DAMAGED");
}

// A table of media types with one more than are used says the same in other bytes: it would have
// two digests, and the signature covers only one of them.
TEST(Bundle, RefusesAContentWrittenInAnotherWay) {
    const SmallImages images = sample_images();
    const std::string good = encode(lay_out(images.content()));
    EXPECT_EQ(encode(decode_index(good)), good);

    Unpacker in(std::string_view(good).substr(kBundleHeader));
    in.text();
    const std::size_t at_count = good.size() - in.left();
    const auto types = in.number<std::uint32_t>();
    for (std::uint32_t i = 0; i < types; ++i) in.text();
    const std::size_t end_of_types = good.size() - in.left();
    Packer more, one;
    more.number(types + 1);
    one.text("zzz/unused");
    std::string body = good.substr(kBundleHeader, at_count - kBundleHeader) + more.take() +
                       good.substr(at_count + 4, end_of_types - at_count - 4);
    const std::size_t added = one.size();
    body += one.take() + good.substr(end_of_types);

    Unpacker header(std::string_view(good).substr(24, 8));
    Packer sizes;
    sizes.number(static_cast<std::uint64_t>(body.size()));
    sizes.number(header.number<std::uint64_t>() + added);
    const std::string bad = good.substr(0, 16) + sizes.take() + good.substr(32, 8) +
                            from_hex(digest_of(body).hex) + good.substr(72, kBundleHeader - 72) +
                            body;
    EXPECT_EQ(error_of([&] { decode_index(bad); }), "BUNDLE-DAMAGED");
}

TEST(Bundle, SaysWhenTwoBlobsWereSwapped) {
    const TempFolder folder;
    SmallImages images;
    images.blob("aaaa", "a/b");
    images.blob("bbbb", "a/b");
    write_bundle(folder / "x", lay_out(images.content()), images.opener());
    const BundleReader bundle(folder / "x");
    std::string bytes = file_bytes(folder / "x");
    for (int i = 0; i < 4; ++i) {
        std::swap(bytes[bundle.index().offsets[0] + i], bytes[bundle.index().offsets[1] + i]);
    }
    EXPECT_EQ(verify(BundleReader(folder.write("y", bytes))).size(), 2u);
}

TEST(Bundle, SaysWhenAnImageIsNotWhole) {
    const TempFolder folder;
    SmallImages images;
    images.name("a.b/c:d", images.image({}));
    BundleContent content = images.content();
    std::erase_if(content.blobs,
                  [](const BundleBlob& b) { return b.media_type.ends_with("gzip"); });
    write_bundle(folder / "x", lay_out(content), images.opener());
    EXPECT_THAT(verify(BundleReader(folder / "x")),
                Contains(Field(&Damage::why, HasSubstr("not there"))));
}

TEST(Bundle, DeltaHoldsOnlyWhatIsMissing) {
    const TempFolder folder;
    const SmallImages images = sample_images();
    std::vector<bool> left_out(images.blobs().size());
    for (std::size_t i = 0; i < left_out.size(); i += 2) left_out[i] = true;
    const std::string base = digest_of("base").hex;
    write_bundle(folder / "d", lay_out(images.content(), left_out, base), images.opener());
    const BundleReader delta(folder / "d");
    const BundleReader whole(write_sample(folder));
    EXPECT_TRUE(delta.index().is_delta());
    EXPECT_EQ(delta.index().content_digest, whole.index().content_digest);
    EXPECT_LT(delta.index().file_size, whole.index().file_size);
    EXPECT_EQ(error_of([&] { delta.open(delta.content().blobs[0].digest); }),
              "BUNDLE-BLOB-MISSING");
    EXPECT_THAT(verify(delta), IsEmpty());
}

TEST(Bundle, OpensFastHoweverLargeItIs) {
    // 1,000 images of 10 layers, 20 GB of holes: only the front is really there.
    const TempFolder folder;
    BundleContent content;
    for (int i = 0; i < 1000; ++i) {
        for (int layer = 0; layer < 10; ++layer) {
            content.blobs.push_back({digest_of(fmt::format("{}/{}", i, layer)), 2'000'000,
                                     "application/vnd.oci.image.layer.v1.tar+gzip"});
        }
        const Digest manifest = digest_of(fmt::format("manifest {}", i));
        content.blobs.push_back(
            {manifest, 2000, "application/vnd.oci.image.manifest.v1+json", BlobKind::manifest});
        content.roots.push_back(
            {fmt::format("registry.example.com/folder/image-{}:v1", i), manifest});
    }
    content.sort();
    const BundleIndex index = lay_out(content);
    const fs::path file = folder.write("large", front_matter(index));
    fs::resize_file(file, index.file_size);
    EXPECT_GT(index.file_size, 20'000'000'000u);
    const auto start = std::chrono::steady_clock::now();
    const BundleReader bundle(file);
    const auto took = std::chrono::steady_clock::now() - start;
    RecordProperty(
        "milliseconds",
        static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(took).count()));
    EXPECT_EQ(bundle.content().blobs.size(), 11'000u);
    EXPECT_TRUE(bundle.find(digest_of("7/7")));
}

TEST(BundleSignature, HoldsForItsKeyOnly) {
    const TempFolder folder;
    const fs::path path = write_sample(folder);
    const SigningKey key = SigningKey::generate(), other = SigningKey::generate();
    EXPECT_EQ(error_of([&] { require_signature(BundleReader(path), {key.public_key()}); }),
              "BUNDLE-UNSIGNED");
    sign_bundle(path, key);
    EXPECT_EQ(require_signature(BundleReader(path), {key.public_key()}), key.public_key().id());
    EXPECT_EQ(error_of([&] { require_signature(BundleReader(path), {other.public_key()}); }),
              "BUNDLE-SIGNER-UNKNOWN");
    EXPECT_EQ(error_of([&] { require_signature(BundleReader(path), {}); }),
              "BUNDLE-SIGNER-UNKNOWN");
    sign_bundle(path, other);
    sign_bundle(path, key);
    EXPECT_EQ(parse_signatures(BundleReader(path).signature_block()).size(), 2u);
    EXPECT_EQ(require_signature(BundleReader(path), {other.public_key()}), other.public_key().id());
    EXPECT_THAT(verify(BundleReader(path)), IsEmpty());
}

TEST(BundleSignature, OfAnotherContentIsRefused) {
    const TempFolder folder;
    const fs::path path = write_sample(folder);
    const SigningKey key = SigningKey::generate();
    sign_bundle(path, key);
    SmallImages changed = sample_images();
    changed.name("evil.example/x:1", changed.image({.files = {{"evil", "1"}}}));
    write_bundle(folder / "y", lay_out(changed.content()), changed.opener(),
                 {.signatures = BundleReader(path).signature_block()});
    EXPECT_EQ(error_of([&] { require_signature(BundleReader(folder / "y"), {key.public_key()}); }),
              "BUNDLE-SIGNATURE");
}

TEST(BundleSignature, WithAnyBitFlippedIsRefused) {
    const TempFolder folder;
    const fs::path path = write_sample(folder);
    const SigningKey key = SigningKey::generate();
    sign_bundle(path, key);
    const std::string good = file_bytes(path);
    const std::uint64_t at = signature_offset(BundleReader(path).index());
    for (std::size_t i = 0; i < 300; ++i) {
        std::string bad = good;
        bad[at + i] = static_cast<char>(bad[at + i] ^ (1 << i % 7));
        const fs::path file = folder.write("bad", bad);
        EXPECT_THAT(error_of([&] { require_signature(BundleReader(file), {key.public_key()}); }),
                    ::testing::AnyOf("BUNDLE-SIGNATURE", "BUNDLE-SIGNER-UNKNOWN", "BUNDLE-DAMAGED",
                                     "BUNDLE-UNSIGNED"))
            << i;
    }
}

TEST(BundleSignature, KeysAreReadFromFilesAndOpensslKnowsThem) {
    const TempFolder folder;
    const SigningKey key = SigningKey::generate();
    const fs::path secret = folder / "k.key", open = folder.write("k.pub", key.public_key().pem());
    atomic_write(secret, key.pem().reveal());
    EXPECT_EQ(read_signing_key(secret).public_key().id(), key.public_key().id());
    EXPECT_EQ(read_public_key(open).id(), key.public_key().id());
    EXPECT_EQ(run({"openssl", "pkey", "-in", secret.string(), "-pubout"}), key.public_key().pem());
    const fs::path junk = folder.write("junk", "-----BEGIN PUBLIC KEY-----\nxx\n");
    EXPECT_EQ(error_of([&] { read_public_key(junk); }), "BUNDLE-KEY");
    EXPECT_EQ(error_of([&] { read_public_key(secret); }), "BUNDLE-KEY");
    EXPECT_EQ(error_of([&] { read_signing_key(open); }), "BUNDLE-KEY");
    fs::permissions(secret, fs::perms::others_read, fs::perm_options::add);
    EXPECT_EQ(error_of([&] { read_signing_key(secret); }), "BUNDLE-KEY");
    const fs::path rsa = folder / "rsa";
    run({"openssl", "genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out",
         rsa.string()});
    EXPECT_EQ(error_of([&] { read_signing_key(rsa); }), "BUNDLE-KEY");
}

}  // namespace
}  // namespace slipway::oci
