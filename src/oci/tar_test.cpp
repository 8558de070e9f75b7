#include "base/error.hpp"
#include "oci/decompress.hpp"
#include "oci/safe_extract.hpp"
#include "oci/tar_fields.hpp"
#include "oci/tar_writer.hpp"
#include "oci/testing/hostile_archives.hpp"
#include "oci/testing/raw_tar.hpp"
#include "oci/testing/temp_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <sys/stat.h>

namespace slipway::oci {
namespace {

using ::testing::ElementsAre;
using testing::gzip;
using testing::Hostile;
using testing::RawTar;
using testing::TempFolder;
namespace fs = std::filesystem;

std::unique_ptr<ByteStream> bytes(std::string text) {
    return std::make_unique<MemoryStream>(std::move(text));
}

// Gives a byte or three at a time, as pipes do.
class Dribble : public ByteStream {
  public:
    explicit Dribble(std::string text) : inner_(std::move(text)) {}
    std::size_t read(char* into, std::size_t max) override {
        return inner_.read(into, std::min<std::size_t>(max, 1 + turn_++ % 3));
    }

  private:
    MemoryStream inner_;
    std::size_t turn_ = 0;
};

struct Seen {
    std::string name;
    std::string content;
    bool operator==(const Seen&) const = default;
};

std::vector<Seen> read_all_of(ByteStream& stream) {
    TarReader tar(stream);
    std::vector<Seen> out;
    while (const auto entry = tar.next()) {
        out.push_back({entry->name, read_whole(tar.content(), 1u << 20, "content")});
    }
    return out;
}

std::string error_of(const std::function<void()>& act) {
    try {
        act();
    } catch (const Error& e) {
        EXPECT_FALSE(e.message().empty());
        EXPECT_EQ(e.message().find('\x1b'), std::string::npos);
        return e.id();
    }
    return "accepted";
}

TEST(HostileArchives, AreManyAndEachIsRefusedByName) {
    const std::vector<Hostile> all = testing::hostile_archives();
    EXPECT_GE(all.size(), 60u);
    for (const Hostile& hostile : all) {
        const std::string id = error_of([&] { read_all_of(*decompress(bytes(hostile.bytes))); });
        EXPECT_EQ(id, hostile.only_extracted ? "accepted" : hostile.id) << hostile.what;
    }
}

TEST(HostileArchives, LeaveNothingBehindWhenExtracted) {
    const TempFolder folder;
    for (const Hostile& hostile : testing::hostile_archives()) {
        const std::string id =
            error_of([&] { safe_extract(*decompress(bytes(hostile.bytes)), folder / "inner"); });
        EXPECT_EQ(id, hostile.id) << hostile.what;
        EXPECT_TRUE(fs::is_empty(folder.path())) << hostile.what;
    }
}

TEST(TarReader, ReadsWhatOthersWrite) {
    const std::string long_name = std::string(90, 'd') + "/" + std::string(90, 'f');
    const std::string tar = RawTar()
                                .add({.name = "./", .type = '5'})
                                .add({.name = "./a/", .type = '5'})
                                .add({.name = "./a/b"}, "1")
                                .add({.name = "a/", .type = '5'})  // again: tar does so
                                .long_name(long_name)
                                .add({.name = long_name.substr(0, 100)}, "22")
                                .pax(pax_record("path", "p/ü") + pax_record("mtime", "1.5"))
                                .add({}, "333")
                                .pax(pax_record("comment", "x"), 'g')
                                .add({.name = "tail", .prefix = "pre/fix"}, "")
                                .add({.name = "gnu", .prefix = "17", .magic = "ustar  "}, "4")
                                .add({.name = "v7", .magic = ""}, "5")
                                .end();
    const std::vector<Seen> wanted = {
        {".", ""},         {"a", ""},      {"a/b", "1"},         {"a", ""},
        {long_name, "22"}, {"p/ü", "333"}, {"pre/fix/tail", ""}, {"gnu", "4"},
        {"v7", "5"}};
    EXPECT_EQ(read_all_of(*bytes(tar)), wanted);
    Dribble slow(tar);
    EXPECT_EQ(read_all_of(slow), wanted);
}

TEST(TarReader, KnowsWhereContentsLie) {
    const std::string tar = RawTar().add({.name = "a"}, "1").add({.name = "b"}, "hello").end();
    MemoryStream stream(tar);
    TarReader reader(stream);
    reader.next();
    const auto b = reader.next();
    EXPECT_EQ(tar.substr(b->offset, b->size), "hello");
}

TEST(TarReader, HasLimits) {
    RawTar tar;
    for (int i = 0; i < 20; ++i) tar.add({.name = "f" + std::to_string(i)}, "0123456789");
    const auto drain = [&](TarLimits limits) {
        return error_of([&] {
            MemoryStream stream(tar.end());
            TarReader reader(stream, limits);
            while (reader.next()) {
            }
        });
    };
    EXPECT_EQ(drain({.entries = 20, .bytes = 200}), "accepted");
    EXPECT_EQ(drain({.entries = 19}), "ARCHIVE-TOO-LARGE");
    EXPECT_EQ(drain({.bytes = 199}), "ARCHIVE-TOO-LARGE");
}

RC_GTEST_PROP(TarWriter, IsReadBackAsItWas, ()) {
    const auto content = *rc::gen::container<std::string>(rc::gen::arbitrary<char>());
    const auto length = *rc::gen::inRange<std::size_t>(1, 250);
    const std::string name = "d/" + std::string(length, 'n');
    StringSink sink;
    TarWriter writer(sink);
    writer.add_other({.name = "d", .type = TarEntry::Type::folder, .mode = 0755});
    writer.add_file({.name = name, .mode = 0755, .uid = 7}, content);
    writer.finish();
    MemoryStream stream(sink.text);
    RC_ASSERT(read_all_of(stream) == (std::vector<Seen>{{"d", ""}, {name, content}}));
}

TEST(TarWriter, PutsContentsWhereTheyAreWanted) {
    for (std::uint64_t position = 0; position < 3 * 4096; position += 512) {
        for (const std::uint64_t size : {5ull, 1ull << 40}) {
            const TarEntry entry{.name = "blobs/x", .size = size};
            const std::string header = tar_header(entry, position, 4096);
            EXPECT_EQ((position + header.size()) % 4096, 0u) << position;
            EXPECT_EQ(header.size(), tar_header_size(entry, position, 4096));
            MemoryStream stream(header);
            TarReader reader(stream);
            EXPECT_EQ(reader.next()->size, size);
        }
    }
}

TEST(Decompress, OpensGzipAndZstdAlsoInPieces) {
    const std::string text(300'000, 'x');
    for (const std::string& packed :
         {gzip(text), testing::zstd(text), text,
          gzip(text.substr(0, 1000)) + gzip(text.substr(1000)), gzip(text) + std::string(700, '\0'),
          testing::zstd(text.substr(0, 1000)) + testing::zstd(text.substr(1000))}) {
        EXPECT_EQ(read_whole(*decompress(bytes(packed)), 1u << 20, "text"), text);
        EXPECT_EQ(read_whole(*decompress(std::make_unique<Dribble>(packed)), 1u << 20, "text"),
                  text);
    }
}

TEST(Decompress, RefusesBombs) {
    const std::string zeros(8u << 20, '\0');
    for (const std::string& packed : {gzip(zeros, 9), testing::zstd(zeros)}) {
        const auto drain = [&](DecompressLimits limits) {
            return error_of([&] { decompress(bytes(packed), limits)->skip(zeros.size() + 1); });
        };
        EXPECT_EQ(drain({}), "accepted");
        EXPECT_EQ(drain({.free_bytes = 1u << 20}), "ARCHIVE-TOO-LARGE");
        EXPECT_EQ(drain({.bytes = 7u << 20}), "ARCHIVE-TOO-LARGE");
    }
}

TEST(SafeExtract, MakesFilesWithPlainModes) {
    const TempFolder folder;
    const std::string tar = RawTar()
                                .add({.name = "bin/tool", .mode = "0006755"}, "#!")
                                .add({.name = "etc/", .type = '5'})
                                .add({.name = "etc/conf", .mode = "0000600"}, "x=1")
                                .end();
    EXPECT_THAT(safe_extract(*bytes(tar), folder / "out"), ElementsAre("bin/tool", "etc/conf"));
    struct stat info{};
    ASSERT_EQ(::stat((folder / "out/bin/tool").c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 07777, 0755u);
    ASSERT_EQ(::stat((folder / "out/etc/conf").c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 07777, 0644u);
}

TEST(SafeExtract, TouchesNothingThatIsThere) {
    const TempFolder folder;
    folder.write("out/mine", "1");
    EXPECT_EQ(error_of([&] { safe_extract(*bytes(RawTar().end()), folder / "out"); }),
              "BUNDLE-WRITE");
    EXPECT_TRUE(fs::exists(folder / "out/mine"));
}

}  // namespace
}  // namespace slipway::oci
