// Recipes with `deb:`, over small repositories.
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/subprocess.hpp"
#include "net/http_server.hpp"
#include "oci/bundle_build.hpp"
#include "oci/digest.hpp"
#include "oci/manifest.hpp"
#include "oci/packages/deb_control.hpp"
#include "oci/packages/deb_relation.hpp"
#include "oci/packages/openpgp.hpp"
#include "oci/sbom.hpp"
#include "oci/testing/package_repository.hpp"
#include "oci/testing/raw_tar.hpp"
#include "oci/testing/temp_folder.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::oci::packages {
namespace {

using ::testing::AllOf;
using testing::DebRepository;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::TempFolder;
namespace fs = std::filesystem;

const std::string kUnsigned = "{file: repo, suite: bookworm, unsigned: true}";

class Debs : public ::testing::Test {
  protected:
    // Builds and gives the titles of the packages' layers, but the index.
    std::vector<std::string> names(const std::string& wanted,
                                   const std::string& repositories = kUnsigned,
                                   const std::string& more = "") {
        const fs::path path = folder_ / fmt::format("{}.bundle", ++built_);
        build(path, wanted, repositories, more);
        const BundleReader bundle(path);
        std::vector<std::string> out;
        for (const Descriptor& layer : manifest(bundle).layers) {
            const std::string title = layer.annotations.at(kTitle);
            if (title == "Packages") {
                index_ = read_whole(*bundle.open(layer.digest), 1u << 20, "");
            } else {
                out.push_back(title);
            }
        }
        return out;
    }

    void build(const fs::path& path, const std::string& wanted, const std::string& repositories,
               const std::string& more = "") {
        const std::string text = fmt::format(
            "apiVersion: slipway.dev/v1\nkind: Recipe\nmetadata: {{name: p}}\nspec:\n  packages:\n"
            "    - os: debian-12\n      deb: [{}]\n      repositories: [{}]\n{}",
            wanted, repositories, more);
        build_bundle(load_recipe({(folder_ / "recipe.yaml").string(), text}), path);
    }

    static Manifest manifest(const BundleReader& bundle) {
        return parse_manifest(bundle.manifest(
            bundle.content().find_name("slipway.local/packages/debian-12:amd64")->digest));
    }

    // The error's id, then its cause.
    std::string error(const std::string& wanted, const std::string& repositories = kUnsigned,
                      const std::string& more = "") {
        try {
            names(wanted, repositories, more);
        } catch (const Error& e) {
            return e.id() + ": " + e.message() + "\n" + e.cause();
        }
        return "none";
    }

    TempFolder folder_;
    DebRepository repo_{folder_ / "repo"};
    std::string index_;
    int built_ = 0;
};

TEST_F(Debs, BringsWhatIsNeededButNotTheBase) {
    repo_.add({.name = "socat", .version = "1.7-1", .depends = "libc6 (>= 2.3), libwrap0"})
        .add({.name = "libwrap0", .depends = "libnsl2"})
        .add({.name = "libnsl2", .version = "2:1.3", .arch = "all"})
        .add({.name = "libc6", .version = "2.36"})
        .add({.name = "bash", .depends = "libc6", .more = "Essential: yes\n"})
        .add({.name = "vim", .depends = "nothing-has-this"})
        .add({.name = "foreign", .arch = "arm64"})
        .write();
    EXPECT_THAT(names("socat"), ElementsAre("libnsl2_2%3a1.3_all.deb", "libwrap0_1.0_amd64.deb",
                                            "socat_1.7-1_amd64.deb"));
    EXPECT_THAT(index_, AllOf(HasSubstr("Package: socat\nVersion: 1.7-1\n"),
                              HasSubstr("Filename: ./libnsl2_2%3a1.3_all.deb\n"),
                              HasSubstr("Depends: libc6 (>= 2.3), libwrap0\n"),
                              Not(HasSubstr("Package: libc6"))));
    EXPECT_THAT(names("socat", kUnsigned, "      installed: [libwrap0, not-in-any-repository]\n"),
                ElementsAre("socat_1.7-1_amd64.deb"));
    EXPECT_THAT(error("foreign"), HasSubstr("foreign: no repository has it"));
}

TEST_F(Debs, BuildsTheSameTwiceWithoutTheIndexInTheSbom) {
    repo_.add({.name = "a"}).write();
    build(folder_ / "one", "a", kUnsigned);
    build(folder_ / "two", "a", kUnsigned);
    EXPECT_EQ(read_file(folder_ / "one"), read_file(folder_ / "two"));
    const BundleReader bundle(folder_ / "one");
    EXPECT_THAT(verify(bundle), ::testing::IsEmpty());
    const Manifest sbom = parse_manifest(
        bundle.manifest(bundle.content().find_name("slipway.local/sbom:latest")->digest));
    const auto parts = parse_sbom(read_whole(*bundle.open(sbom.layers[0].digest), 1u << 20, ""));
    ASSERT_EQ(parts.size(), 1u);
    EXPECT_EQ(parts[0].purl, "pkg:deb/a@1.0?arch=amd64");
}

TEST_F(Debs, ChoosesTheFirstAlternativeThatCanBeHad) {
    repo_.add({.name = "app", .depends = "broken | good, mta"})
        .add({.name = "broken", .depends = "missing"})
        .add({.name = "good"})
        .add({.name = "exim", .more = "Provides: mta\n"})
        .add({.name = "dma", .more = "Provides: mta (= 2)\n"})
        .add({.name = "strict", .depends = "mta (>= 2)"})
        .write();
    EXPECT_THAT(names("app"),
                ElementsAre("app_1.0_amd64.deb", "dma_1.0_amd64.deb", "good_1.0_amd64.deb"));
    // What is named is taken where one of several would do.
    EXPECT_THAT(names("app, exim"),
                ElementsAre("app_1.0_amd64.deb", "exim_1.0_amd64.deb", "good_1.0_amd64.deb"));
    EXPECT_THAT(names("strict"), ElementsAre("dma_1.0_amd64.deb", "strict_1.0_amd64.deb"));
}

TEST_F(Debs, TakesTheNewestVersionThatFits) {
    repo_.add({.name = "lib", .version = "1.9"})
        .add({.name = "lib", .version = "1.10"})
        .add({.name = "lib", .version = "1.10~rc1"})
        .add({.name = "old", .depends = "lib (<< 1.10~)"})
        .add({.name = "any", .depends = "lib:any"})
        .add({.name = "other-arch", .depends = "lib:arm64"})
        .write();
    EXPECT_THAT(names("any"), ElementsAre("any_1.0_amd64.deb", "lib_1.10_amd64.deb"));
    EXPECT_THAT(names("old"), ElementsAre("lib_1.9_amd64.deb", "old_1.0_amd64.deb"));
    EXPECT_THAT(names("lib=1.9"), ElementsAre("lib_1.9_amd64.deb"));
    EXPECT_THAT(names("'lib (<< 1.10)'"), ElementsAre("lib_1.10~rc1_amd64.deb"));
    EXPECT_THAT(error("other-arch"), HasSubstr("lib:arm64"));
    for (const char* bad : {"'a | b'", "'a (>'", "'--help me'", "a="}) {
        EXPECT_THAT(error(bad), HasSubstr("RECIPE-PACKAGE")) << bad;
    }
}

TEST_F(Debs, SaysEveryChainThatEndsInNothing) {
    repo_.add({.name = "one", .depends = "two"})
        .add({.name = "two", .depends = "three (>= 5), four"})
        .add({.name = "three", .version = "4"})
        .add({.name = "other", .depends = "two"})
        .write();
    const std::string said = error("one, other, tow");
    EXPECT_THAT(said, AllOf(HasSubstr("PACKAGES-UNSATISFIED"),
                            HasSubstr("one 1.0 → two 1.0 → three (>= 5): the repositories have "
                                      "other versions only"),
                            HasSubstr("one 1.0 → two 1.0 → four: no package has it"),
                            HasSubstr("other 1.0 → two 1.0 → … →"),
                            HasSubstr("tow: no repository has it; did you mean 'two'?")));
}

TEST_F(Debs, PackagesThatStandAgainstEachOtherAreNotChosenTogether) {
    repo_.add({.name = "a", .depends = "x | y"})
        .add({.name = "x", .more = "Conflicts: b\n"})
        .add({.name = "y"})
        .add({.name = "b"})
        .add({.name = "c", .more = "Breaks: b (<< 2)\n"})
        .add({.name = "mta", .more = "Provides: mail\nConflicts: mail\n"})
        .write();
    EXPECT_THAT(names("a, b"),
                ElementsAre("a_1.0_amd64.deb", "b_1.0_amd64.deb", "y_1.0_amd64.deb"));
    EXPECT_THAT(error("b, c"), HasSubstr("c 1.0: conflicts with b 1.0"));
    EXPECT_THAT(names("mta"), ElementsAre("mta_1.0_amd64.deb"));
}

TEST_F(Debs, WhatANamedPackageLeftBehindIsMendedOrTold) {
    repo_.add({.name = "a", .depends = "b (>= 2) | c"})
        .add({.name = "b", .version = "2", .depends = "missing"})
        .add({.name = "b", .version = "1"})
        .add({.name = "c"})
        .add({.name = "strict", .depends = "b (>= 2)"})
        .write();
    // b 2 cannot be had, so b 1 stands for the wish, and a needs c.
    EXPECT_THAT(names("a, b"), ElementsAre("a_1.0_amd64.deb", "b_1_amd64.deb", "c_1.0_amd64.deb"));
    EXPECT_THAT(error("strict, b"), HasSubstr("strict 1.0 → b 2"));
    EXPECT_THAT(error("b=2, b=2"), HasSubstr("b 2 → missing"));
    EXPECT_THAT(names("c, c, 'c (>= 1)'"), ElementsAre("c_1.0_amd64.deb"));
}

TEST_F(Debs, CyclesEnd) {
    repo_.add({.name = "a", .depends = "b"})
        .add({.name = "b", .depends = "c"})
        .add({.name = "c", .depends = "a"})
        .write();
    EXPECT_THAT(names("c"), ElementsAre("a_1.0_amd64.deb", "b_1.0_amd64.deb", "c_1.0_amd64.deb"));
}

TEST_F(Debs, AStatusFileSaysExactlyWhatIsThere) {
    folder_.write("status",
                  "Package: libc6\nStatus: install ok installed\nVersion: 2.35\n"
                  "Architecture: amd64\n\n"
                  "Package: libc-bin\nStatus: install ok installed\nVersion: 2.35\n"
                  "Architecture: amd64\nDepends: libc6 (= 2.35)\n\n"
                  "Package: gone\nStatus: deinstall ok config-files\nVersion: 1\n"
                  "Architecture: amd64\n\n");
    repo_.add({.name = "libc6", .version = "2.36", .more = "Essential: yes\n"})
        .add({.name = "libc-bin", .version = "2.36", .depends = "libc6 (= 2.36)"})
        .add({.name = "easy", .depends = "libc6 (>= 2.35)"})
        .add({.name = "hard", .depends = "libc6 (>= 2.36)"})
        .add({.name = "needs-gone", .depends = "gone"})
        .add({.name = "downgrade", .depends = "libc6 (<< 2.35)"})
        .add({.name = "libc6", .version = "2.31"})
        .write();
    const std::string base = "      base: status\n";
    EXPECT_THAT(names("easy", kUnsigned, base), ElementsAre("easy_1.0_amd64.deb"));
    // The newer library takes along what needs the very version that is there.
    EXPECT_THAT(
        names("hard", kUnsigned, base),
        ElementsAre("hard_1.0_amd64.deb", "libc-bin_2.36_amd64.deb", "libc6_2.36_amd64.deb"));
    EXPECT_THAT(error("needs-gone", kUnsigned, base), HasSubstr("gone: no package has it"));
    EXPECT_THAT(error("downgrade", kUnsigned, base), HasSubstr("is in the base already"));
}

TEST_F(Debs, ReadsEveryFormOfIndex) {
    repo_.add({.name = "a"});
    for (const char* ending : {".xz", ".gz", ".zst", ""}) {
        fs::remove_all(folder_ / "repo/dists");
        repo_.write(ending);
        EXPECT_THAT(names("a"), ElementsAre("a_1.0_amd64.deb")) << ending;
    }
    fs::remove_all(folder_ / "repo/dists");
    folder_.write("repo/Packages.gz", testing::gzip(repo_.packages()));
    EXPECT_THAT(names("a", "{file: repo, unsigned: true}"), ElementsAre("a_1.0_amd64.deb"));
}

TEST_F(Debs, RefusesIndicesAndPackagesThatAreNotWhatWasSaid) {
    repo_.add({.name = "a"});
    repo_.write();
    folder_.write("repo/dists/bookworm/main/binary-amd64/Packages.xz", testing::xz("Package: b\n"));
    EXPECT_THAT(error("a"), HasSubstr("DIGEST-MISMATCH"));
    repo_.write();
    folder_.write("repo/pool/a_1.0_amd64.deb", "something els");  // as long as the right one
    EXPECT_THAT(error("a"), HasSubstr("DIGEST-MISMATCH"));
    folder_.write("repo/pool/a_1.0_amd64.deb", "more");
    EXPECT_THAT(error("a"), HasSubstr("DIGEST-MISMATCH"));
    EXPECT_THAT(error("a", "{file: repo, suite: trixie, unsigned: true}"),
                HasSubstr("REPOSITORY-INVALID"));
    EXPECT_THAT(error("a", "{file: repo, suite: bookworm, components: [x], unsigned: true}"),
                HasSubstr("has no x/binary-amd64/Packages"));
    EXPECT_THAT(error("a", "{file: repo, suite: bookworm}"),
                AllOf(HasSubstr("RECIPE-INVALID"), HasSubstr("unsigned: true")));
    DebRepository expired(folder_ / "old");
    expired.release_fields += "Valid-Until: Sat, 01 Jan 2022 00:00:00 UTC\n";
    expired.add({.name = "a"}).write();
    EXPECT_THAT(error("a", "{file: old, suite: bookworm, unsigned: true}"),
                HasSubstr("REPOSITORY-EXPIRED"));
    EXPECT_EQ(error("a", "{file: old, suite: bookworm, unsigned: true, expired: true}"), "none");
}

TEST_F(Debs, RefusesPathsThatLeaveTheRepository) {
    folder_.write("secret", "secret");
    folder_.write("repo/Packages",
                  fmt::format("Package: a\nVersion: 1\nArchitecture: amd64\nFilename: ../secret\n"
                              "Size: 6\nSHA256: {}\n",
                              digest_of("secret").hex));
    EXPECT_THAT(error("a", "{file: repo, unsigned: true}"), HasSubstr("ARCHIVE-UNSAFE"));
}

// Key and signature by gpg itself.
class Signed : public Debs {
  protected:
    void SetUp() override {
        repo_.add({.name = "a"}).write();
        fs::create_directory(folder_ / "gpg");
        fs::permissions(folder_ / "gpg", fs::perms::owner_all);
        gpg({"--quick-gen-key", "maker@example.com", "ed25519", "sign", "never"});
        gpg({"--quick-gen-key", "other@example.com", "ed25519", "sign", "never"});
        gpg({"--output", at("maker.gpg"), "--export", "maker@example.com"});
        gpg({"--output", at("other.gpg"), "--export", "other@example.com"});
        gpg({"--armor", "--output", at("maker.asc"), "--export", "maker@example.com"});
        gpg({"-u", "maker@example.com", "--output", dist("InRelease"), "--clearsign",
             dist("Release")});
    }
    void TearDown() override {
        Subprocess stop({.argv = {"gpgconf", "--homedir", at("gpg"), "--kill", "all"}});
        stop.close_in();
        stop.wait();
    }
    void gpg(std::vector<std::string> arguments) {
        std::vector<std::string> argv = {"gpg",      "--homedir",    at("gpg"), "--batch",
                                         "--quiet",  "--passphrase", "",        "--pinentry-mode",
                                         "loopback", "--yes"};
        argv.insert(argv.end(), arguments.begin(), arguments.end());
        Subprocess process({.argv = argv});
        process.close_in();
        const std::string said = read_all(process.err(), "gpg");
        ASSERT_EQ(process.wait(), 0) << said;
    }
    std::string at(std::string_view name) const { return (folder_ / name).string(); }
    std::string dist(const std::string& name) const { return at("repo/dists/bookworm/" + name); }
    static std::string with(const std::string& keyring) {
        return fmt::format("{{file: repo, suite: bookworm, keyring: {}}}", keyring);
    }
};

TEST_F(Signed, TheMakersKeyOpensTheRepository) {
    EXPECT_THAT(names("a", with("maker.gpg")), ElementsAre("a_1.0_amd64.deb"));
    EXPECT_THAT(names("a", with("maker.asc")), ElementsAre("a_1.0_amd64.deb"));
    EXPECT_THAT(error("a", with("other.gpg")),
                AllOf(HasSubstr("REPOSITORY-SIGNATURE"), HasSubstr("not in the keyring")));
    EXPECT_THAT(names("a"), ElementsAre("a_1.0_amd64.deb"));  // unsigned: true reads InRelease too
}

TEST_F(Signed, OnlyWhatWasSignedCounts) {
    const std::string text = read_file(dist("InRelease"));
    std::string changed = text;
    changed.replace(changed.find("bookworm"), 8, "bookwirm");
    folder_.write("repo/dists/bookworm/InRelease", changed);
    EXPECT_THAT(error("a", with("maker.gpg")), HasSubstr("changed after it was signed"));
    folder_.write("repo/dists/bookworm/InRelease", read_file(dist("Release")));
    EXPECT_THAT(error("a", with("maker.gpg")), HasSubstr("REPOSITORY-SIGNATURE"));
    fs::remove(dist("InRelease"));
    EXPECT_THAT(error("a", with("maker.gpg")), HasSubstr("REPOSITORY-UNSIGNED"));
    gpg({"-u", "maker@example.com", "--output", dist("Release.gpg"), "--detach-sign",
         dist("Release")});
    EXPECT_THAT(names("a", with("maker.gpg")), ElementsAre("a_1.0_amd64.deb"));
    EXPECT_THAT(error("a", with("other.gpg")), HasSubstr("REPOSITORY-SIGNATURE"));
}

TEST_F(Signed, AnotherSuiteIsNotTakenForTheOneAskedFor) {
    fs::copy(folder_ / "repo/dists/bookworm", folder_ / "repo/dists/trixie",
             fs::copy_options::recursive);
    EXPECT_THAT(error("a", "{file: repo, suite: trixie, keyring: maker.gpg}"),
                AllOf(HasSubstr("REPOSITORY-SIGNATURE"), HasSubstr("of another suite")));
    fs::copy(folder_ / "repo/dists/bookworm", folder_ / "repo/dists/stable",
             fs::copy_options::recursive);
    EXPECT_THAT(names("a", "{file: repo, suite: stable, keyring: maker.gpg}"),
                ElementsAre("a_1.0_amd64.deb"));
}

TEST_F(Signed, ManySignaturesDoNotKeepTheBuild) {
    fs::remove(dist("InRelease"));
    gpg({"-u", "other@example.com", "--output", at("one.sig"), "--detach-sign", dist("Release")});
    const std::string one = read_file(at("one.sig"));
    std::string many;
    for (int i = 0; i < 700; ++i) many += one;  // more lines about them than a pipe holds
    folder_.write("repo/dists/bookworm/Release.gpg", many);
    EXPECT_THAT(error("a", with("maker.gpg")), HasSubstr("REPOSITORY-SIGNATURE"));
}

TEST_F(Signed, NothingMayStandBesideWhatWasSigned) {
    const std::string good = read_file(dist("InRelease"));
    folder_.write("evil", "Suite: evil\n");
    gpg({"-u", "other@example.com", "--output", at("evil.asc"), "--clearsign", at("evil")});
    const std::string evil = read_file(at("evil.asc"));
    for (const std::string& text : {evil + good, good + evil, "Suite: evil\n\n" + good,
                                    good + "Suite: evil\n", good.substr(0, good.size() / 2)}) {
        folder_.write("repo/dists/bookworm/InRelease", text);
        EXPECT_THAT(error("a", with("maker.gpg")), HasSubstr("REPOSITORY-SIGNATURE"));
    }
    folder_.write("repo/dists/bookworm/InRelease", good + "\n");
    EXPECT_EQ(error("a", with("maker.gpg")), "none");
}

TEST_F(Debs, FetchesOverHttpAndGoesOnWhereItWasCut) {
    const std::string large(3'000'000, 'x');
    repo_.add({.name = "large", .depends = "b+c", .content = large}).add({.name = "b+c"}).write();
    std::atomic<int> cuts = 0, busy = 0, ranges = 0;
    net::HttpServer server(
        net::Listener("127.0.0.1:0"), {}, [&](net::Request& request, net::Response& response) {
            std::string path = request.target.path;
            if (busy++ == 0) {
                response.status = 503;
                return;
            }
            const fs::path file = folder_ / ("repo" + path.substr(std::string("/deb").size()));
            if (!fs::is_regular_file(file)) {
                response.status = 404;
                return;
            }
            std::string bytes = read_file(file);
            if (const auto range = request.headers.find("Range")) {
                bytes = bytes.substr(std::stoul(std::string(*range).substr(6)));
                response.status = 206;
                ++ranges;
            } else if (path.ends_with("large_1.0_amd64.deb") && cuts++ == 0) {
                response.body = net::Producer([left = 5](std::span<char> room) mutable {
                    if (left-- == 0) throw std::runtime_error("cut");
                    std::ranges::fill(room, 'x');
                    return std::min<std::size_t>(room.size(), 10'000);
                });
                return;
            }
            response.body = bytes;
        });
    const std::string url = fmt::format(
        "{{url: 'http://127.0.0.1:{}/deb', suite: bookworm, unsigned: true}}", server.port());
    EXPECT_THAT(names("large", url), ElementsAre("b+c_1.0_amd64.deb", "large_1.0_amd64.deb"));
    EXPECT_EQ(ranges, 1);
    server.stop(net::Millis(0));
    EXPECT_THAT(error("absent", fmt::format("{{url: 'http://127.0.0.1:{}/none', suite: x, "
                                            "unsigned: true}}",
                                            server.port())),
                HasSubstr("NET-CONNECT"));
}

TEST(Files, AnIndexBesidePackagesGoesWithThemAndNamesThemAll) {
    const TempFolder folder;
    folder.write("d/socat_1.7.4-1_amd64.deb", "deb");
    folder.write("d/Packages", "Package: socat\nVersion: 1.7.4-1\nDepends: libc6\n");
    const Recipe recipe = load_recipe(
        {(folder / "recipe.yaml").string(),
         "apiVersion: slipway.dev/v1\nkind: Recipe\nmetadata: {name: p}\nspec:\n  packages:\n"
         "    - {os: debian-12, files: [d]}\n"});
    build_bundle(recipe, folder / "one.bundle");
    const BundleReader bundle(folder / "one.bundle");
    const Manifest manifest = parse_manifest(bundle.manifest(
        bundle.content().find_name("slipway.local/packages/debian-12:amd64")->digest));
    ASSERT_EQ(manifest.layers.size(), 2u);
    EXPECT_EQ(manifest.layers[1].annotations.at(kTitle), "Packages");
    EXPECT_THAT(read_whole(*bundle.open(manifest.layers[1].digest), 1u << 20, ""),
                HasSubstr("Depends: libc6"));
    folder.write("d/haproxy_2.6-1_amd64.deb", "deb");
    EXPECT_THROW(build_bundle(recipe, folder / "more.bundle"), UserError);
}

TEST(Control, ReadsStanzasAndRefusesTheRest) {
    MemoryStream good("A: 1\nlong: x\n y\n\tz\n\n\n# c\nB: 2\r\n");
    ControlReader reader(good, "x");
    const auto first = reader.next();
    ASSERT_TRUE(first);
    EXPECT_EQ(first->get("a"), "1");
    EXPECT_EQ(first->get("Long"), "x\ny\nz");
    EXPECT_EQ(reader.next()->get("B"), "2");
    EXPECT_FALSE(reader.next());
    for (const char* bad : {" starts with a space\n", "no colon\n", ": x\n", "A: 1\na: 2\n"}) {
        MemoryStream stream{bad};
        EXPECT_THROW(ControlReader(stream, "x").next(), UserError) << bad;
    }
    MemoryStream endless(std::string(3u << 20, 'x'));
    EXPECT_THROW(ControlReader(endless, "x").next(), UserError);
}

TEST(Relations, AreReadOrRefused) {
    const auto all = parse_relations("a (>= 1:2~), b:any | c ( << 3 ) ,d,", "x");
    ASSERT_EQ(all.size(), 3u);
    EXPECT_EQ(to_string(all[0]), "a (>= 1:2~)");
    EXPECT_EQ(to_string(all[1]), "b:any | c (<< 3)");
    for (const char* bad :
         {"a (", "a (>= )", "a (1)", "a b", "|", "a | ", "a:", "(= 1)", "a (= 1) x"}) {
        EXPECT_THROW(parse_relations(bad, "x"), UserError) << bad;
    }
}

}  // namespace
}  // namespace slipway::oci::packages
