#include "oci/testing/hostile_archives.hpp"

#include "oci/tar_fields.hpp"
#include "oci/testing/raw_tar.hpp"

#include <fmt/format.h>

namespace slipway::oci::testing {

namespace {

using List = std::vector<Hostile>;

void unsafe(List& out, std::string what, std::string bytes) {
    out.push_back({std::move(what), std::move(bytes), "ARCHIVE-UNSAFE"});
}
void damaged(List& out, std::string what, std::string bytes) {
    out.push_back({std::move(what), std::move(bytes), "ARCHIVE-DAMAGED"});
}
void too_large(List& out, std::string what, std::string bytes) {
    out.push_back({std::move(what), std::move(bytes), "ARCHIVE-TOO-LARGE"});
}

std::string one(const std::string& name) { return RawTar().add({.name = name}, "x").end(); }

void add_names(List& out) {
    const std::vector<std::string> names = {
        "../evil",      "..",          "a/../../evil",   "a/..",     "/etc/passwd",
        "//etc/passwd", "./../evil",   "a/b/../../../c", "a\nb",     "a\x1b[2Jb",
        "a\x7f",        "a\\..\\evil", "C:\\evil",       "\xff\xfe", "a\xc0\xaf..",
        "./",  // as a file
    };
    for (const std::string& name : names) {
        RawTar tar;
        tar.add({.name = name, .type = '0'}, "x");
        unsafe(out, "name " + name, tar.end());
    }
    unsafe(out, "no name", one(""));
    unsafe(out, "prefix that leaves", RawTar().add({.name = "evil", .prefix = ".."}, "x").end());
    unsafe(out, "prefix at the root", RawTar().add({.name = "evil", .prefix = "/etc"}, "x").end());
    unsafe(out, "GNU long name that leaves",
           RawTar().long_name("../" + std::string(120, 'a')).add({}, "x").end());
    unsafe(out, "GNU long name without a name", RawTar().long_name("").add({}, "x").end());
    unsafe(out, "pax path that leaves",
           RawTar().pax(pax_record("path", "../evil")).add({}, "x").end());
    unsafe(out, "pax path at the root",
           RawTar().pax(pax_record("path", "/evil")).add({}, "x").end());
    unsafe(out, "empty pax path", RawTar().pax(pax_record("path", "")).add({}, "x").end());
    unsafe(out, "name without end", RawTar().long_name(std::string(5000, 'a')).add({}, "x").end());
    unsafe(out, "part of a name without end",
           RawTar().long_name(std::string(300, 'a')).add({}, "x").end());
    std::string deep;
    for (int i = 0; i < 100; ++i) deep += "a/";
    unsafe(out, "folders without end", RawTar().long_name(deep + "b").add({}, "x").end());
    unsafe(out, "folder that leaves", RawTar().add({.name = "../evil/", .type = '5'}).end());
}

void add_kinds(List& out) {
    for (const char type : std::string_view("346SMDVN7A")) {
        unsafe(out, fmt::format("kind {}", type), RawTar().add({.type = type}).end());
    }
    unsafe(out, "kind 0xff", RawTar().add({.type = '\xff'}).end());
    unsafe(out, "folder with content", RawTar().add({.name = "a/", .type = '5'}, "x").end());
    unsafe(out, "symbolic link with content", RawTar().add({.type = '2', .link = "a"}, "x").end());
    unsafe(out, "hard link with content", RawTar().add({.type = '1', .link = "a"}, "x").end());
    unsafe(out, "sparse by pax",
           RawTar().pax(pax_record("GNU.sparse.major", "1")).add({}, "x").end());
    unsafe(out, "sparse by size",
           RawTar().pax(pax_record("GNU.sparse.realsize", "99999999999")).add({}, "x").end());
    unsafe(out, "sparse by pax name",
           RawTar().pax(pax_record("GNU.sparse.name", "/etc/x")).add({}, "x").end());
}

void add_links(List& out) {
    const auto extracted = [&](std::string what, std::string bytes) {
        out.push_back({std::move(what), std::move(bytes), "ARCHIVE-UNSAFE", true});
    };
    extracted("symbolic link out", RawTar().add({.name = "a", .type = '2', .link = "/etc"}).end());
    extracted("symbolic link, then a file through it",
              RawTar()
                  .add({.name = "a", .type = '2', .link = "/tmp"})
                  .add({.name = "a/evil"}, "x")
                  .end());
    extracted("symbolic link inside", RawTar().add({.type = '2', .link = "other"}).end());
    extracted("hard link out",
              RawTar().add({.name = "a", .type = '1', .link = "/etc/passwd"}).end());
    extracted("hard link by pax", RawTar()
                                      .pax(pax_record("linkpath", "../../etc/passwd"))
                                      .add({.name = "a", .type = '1', .link = "b"})
                                      .end());
    extracted("case twins", RawTar().add({.name = "File"}, "1").add({.name = "file"}, "2").end());
    extracted("case twins of folders",
              RawTar().add({.name = "Dir/a"}, "1").add({.name = "dir/b"}, "2").end());
    extracted("a file where a folder is needed",
              RawTar().add({.name = "a"}, "1").add({.name = "a/b"}, "2").end());
}

void add_doubles(List& out) {
    unsafe(out, "a name twice", RawTar().add({}, "1").add({}, "2").end());
    unsafe(out, "a name twice, spelled differently",
           RawTar().add({.name = "a/b"}, "1").add({.name = "./a//b"}, "2").end());
    unsafe(out, "a folder, then a file of its name",
           RawTar().add({.name = "a/", .type = '5'}).add({.name = "a"}, "2").end());
    unsafe(out, "a link, then a file of its name",
           RawTar().add({.name = "a", .type = '2', .link = "/x"}).add({.name = "a"}, "2").end());
    unsafe(out, "pax and GNU name",
           RawTar().long_name("a").pax(pax_record("path", "b")).add({}, "x").end());
    unsafe(out, "two pax headers",
           RawTar().pax(pax_record("path", "a")).pax(pax_record("path", "b")).add({}, "x").end());
    unsafe(out, "two GNU names", RawTar().long_name("a").long_name("b").add({}, "x").end());
    unsafe(out, "global name", RawTar().pax(pax_record("path", "a"), 'g').add({}, "x").end());
    unsafe(out, "global size", RawTar().pax(pax_record("size", "1"), 'g').add({}, "x").end());
}

void add_numbers(List& out) {
    const std::string binary_negative = std::string(12, '\xff');
    const std::string binary_huge = "\x80" + std::string(11, '\x7f');
    damaged(out, "negative size", RawTar().add({.size = binary_negative}, "x").end());
    damaged(out, "size past all numbers", RawTar().add({.size = binary_huge}, "x").end());
    damaged(out, "size of letters", RawTar().add({.size = "0000000000x"}, "x").end());
    damaged(out, "size with a minus", RawTar().add({.size = "-0000000001"}, "x").end());
    damaged(out, "size of nines", RawTar().add({.size = "00000000099"}, "x").end());
    damaged(out, "user of letters", RawTar().add({.uid = "root"}, "x").end());
    damaged(out, "mode of letters", RawTar().add({.mode = "rwxr-xr"}, "x").end());
    damaged(out, "pax size of letters", RawTar().pax(pax_record("size", "x")).add({}, "x").end());
    damaged(out, "negative pax size", RawTar().pax(pax_record("size", "-1")).add({}, "x").end());
    damaged(out, "size larger than the file", RawTar().add({.size = "00000077777"}, "x").end());
    too_large(out, "size of exabytes",
              RawTar().pax(pax_record("size", "1000000000000000000")).add({}, "x").end());
    too_large(out, "pax header of gigabytes",
              RawTar().add({.name = "pax", .type = 'x', .size = "17777777777"}).end());
    too_large(out, "GNU name of gigabytes",
              RawTar().add({.name = "l", .type = 'L', .size = "17777777777"}).end());
}

void add_damage(List& out) {
    damaged(out, "wrong checksum", RawTar().add({.checksum = "000001"}, "x").end());
    damaged(out, "checksum of letters", RawTar().add({.checksum = "abcdef"}, "x").end());
    damaged(out, "no tar at all", std::string(2048, 'A'));
    damaged(out, "empty file", "");
    damaged(out, "cut in the header", RawTar().add({}, "x").cut().substr(0, 300));
    damaged(out, "cut in the content",
            RawTar().add({}, std::string(2000, 'x')).cut().substr(0, 900));
    damaged(out, "cut in the padding", RawTar().add({}, "x").cut().substr(0, 600));
    damaged(out, "no end mark", RawTar().add({}, "x").cut());
    damaged(out, "an archive behind the archive",
            RawTar().add({}, "x").end() + RawTar().add({.name = "evil"}, "x").end());
    damaged(out, "header without entry", RawTar().pax(pax_record("path", "a")).end());
    damaged(out, "long name cut", RawTar().long_name(std::string(900, 'a')).cut().substr(0, 800));
    for (const char* records : {"x", "5 a=b\n", "99 path=a\n", "0 a=b\n", "6 ab=c\n", " 7 a=b\n",
                                "7 ab=cd", "5 ab\n", "18446744073709551616 a=b\n"}) {
        damaged(out, fmt::format("pax record {}", records),
                RawTar().pax(records).add({}, "x").end());
    }
    damaged(out, "NUL in a pax path",
            RawTar().pax(pax_record("path", std::string("a\0/../b", 7))).add({}, "x").end());
    const std::string good = RawTar().add({}, std::string(5000, 'x')).end();
    const std::string packed = gzip(good), squeezed = zstd(good);
    damaged(out, "gzip cut", packed.substr(0, packed.size() / 2));
    damaged(out, "gzip without its end", packed.substr(0, packed.size() - 4));
    damaged(out, "gzip with a wrong sum", packed.substr(0, packed.size() - 8) + "12345678");
    damaged(out, "gzip and something else", packed + "hello");
    damaged(out, "zstd cut", squeezed.substr(0, squeezed.size() - 3));
    damaged(out, "zstd with a window of gigabytes", zstd(good, 31));
    damaged(out, "zip", "PK\x03\x04" + std::string(600, 'x'));
    damaged(out, "bzip2", "BZh9" + std::string(600, 'x'));
}

}  // namespace

std::vector<Hostile> hostile_archives() {
    List out;
    add_names(out);
    add_kinds(out);
    add_links(out);
    add_doubles(out);
    add_numbers(out);
    add_damage(out);
    return out;
}

}  // namespace slipway::oci::testing
