// Recipes with `rpm:`, over small repositories.
#include "base/error.hpp"
#include "base/files.hpp"
#include "oci/bundle_build.hpp"
#include "oci/manifest.hpp"
#include "oci/packages/rpm_metadata.hpp"
#include "oci/packages/xml_reader.hpp"
#include "oci/sbom.hpp"
#include "oci/testing/package_repository.hpp"
#include "oci/testing/raw_tar.hpp"
#include "oci/testing/temp_folder.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::oci::packages {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::TempFolder;
namespace fs = std::filesystem;

class Rpms : public ::testing::Test {
  protected:
    std::vector<std::string> names(const std::string& wanted, const std::string& more = "",
                                   const std::string& trust = "unsigned: true") {
        const std::string text = fmt::format(
            "apiVersion: slipway.dev/v1\nkind: Recipe\nmetadata: {{name: p}}\nspec:\n  packages:\n"
            "    - os: rocky-9\n      rpm: [{}]\n      repositories: [{{file: repo, {}}}]\n{}",
            wanted, trust, more);
        const fs::path path = folder_ / fmt::format("{}.bundle", ++built_);
        build_bundle(load_recipe({(folder_ / "recipe.yaml").string(), text}), path);
        const BundleReader bundle(path);
        std::vector<std::string> out;
        const Manifest manifest = parse_manifest(bundle.manifest(
            bundle.content().find_name("slipway.local/packages/rocky-9:amd64")->digest));
        for (const Descriptor& layer : manifest.layers) {
            std::string title = layer.annotations.at(kTitle);
            EXPECT_EQ(layer.annotations.at(kPackageKind), "rpm");
            out.push_back(title.substr(0, title.find(".x86_64")));
        }
        return out;
    }

    std::string error(const std::string& wanted, const std::string& more = "",
                      const std::string& trust = "unsigned: true") {
        try {
            names(wanted, more, trust);
        } catch (const Error& e) {
            return e.id() + ": " + e.message() + "\n" + e.cause();
        }
        return "none";
    }

    TempFolder folder_;
    testing::RpmRepository repo_{folder_ / "repo"};
    int built_ = 0;
};

TEST_F(Rpms, BringsWhatIsNeededButNotTheBase) {
    repo_
        .add({.name = "conntrack-tools",
              .needs = {"libc.so.6(GLIBC_2.34)(64bit)", "libnfct.so.3()(64bit)",
                        "rpmlib(FileDigests) <= 4.6.0-1", "/bin/sh"}})
        .add({.name = "libnfct", .provides = {"libnfct.so.3()(64bit)"}})
        .add({.name = "glibc", .provides = {"libc.so.6(GLIBC_2.34)(64bit)"}})
        .add({.name = "bash", .needs = {"glibc"}, .files = {"/bin/sh", "/bin/bash"}})
        .add({.name = "libnfct", .arch = "i686", .provides = {"libnfct.so.3()(64bit)"}})
        .add({.name = "src-only", .arch = "src"})
        .write();
    EXPECT_THAT(names("conntrack-tools"),
                ElementsAre("conntrack-tools-1.0-1.el9", "libnfct-1.0-1.el9"));
    EXPECT_THAT(names("conntrack-tools", "      installed: [libnfct]\n"),
                ElementsAre("conntrack-tools-1.0-1.el9"));
    EXPECT_THAT(error("src-only"), HasSubstr("no repository has it"));
    EXPECT_THAT(error("contrack-tools"), HasSubstr("did you mean 'conntrack-tools'"));
}

TEST_F(Rpms, ReadsEveryFormOfIndex) {
    repo_.add({.name = "a"});
    for (const char* ending : {".gz", ".zst", ".xz", ""}) {
        repo_.write(ending);
        EXPECT_THAT(names("a"), ElementsAre("a-1.0-1.el9")) << ending;
    }
}

TEST_F(Rpms, VersionsDecide) {
    repo_.add({.name = "lib", .version = "1.9"})
        .add({.name = "lib", .version = "1.10"})
        .add({.name = "lib", .version = "1.10~rc1"})
        .add({.name = "new", .needs = {"lib >= 1.10"}})
        .add({.name = "old", .needs = {"lib < 1.10~"}})
        .add({.name = "exact", .needs = {"lib = 1.10~rc1-1.el9"}})
        .add({.name = "never", .needs = {"lib >= 1:0"}})
        .write();
    EXPECT_THAT(names("new"), ElementsAre("lib-1.10-1.el9", "new-1.0-1.el9"));
    EXPECT_THAT(names("old"), ElementsAre("lib-1.9-1.el9", "old-1.0-1.el9"));
    EXPECT_THAT(names("exact"), ElementsAre("exact-1.0-1.el9", "lib-1.10~rc1-1.el9"));
    EXPECT_THAT(names("lib = 1.9"), ElementsAre("lib-1.9-1.el9"));
    EXPECT_THAT(error("never"), HasSubstr("never-1.0-1.el9 → lib >= 1:0: no package has it"));
}

TEST_F(Rpms, ConflictsObsoletesAndAlternatives) {
    repo_.add({.name = "app", .needs = {"(web-a or web-b)", "mta"}})
        .add({.name = "web-a", .conflicts = {"app"}})
        .add({.name = "web-b"})
        .add({.name = "postfix-extra", .provides = {"mta"}})
        .add({.name = "postfix", .provides = {"mta"}})
        .add({.name = "next", .obsoletes = {"web-b < 2"}})
        .add({.name = "strange", .needs = {"(a if b else c)"}})
        .add({.name = "maybe", .needs = {"(web-b if not-to-be-had)", "(web-a if web-b)"}})
        .write();
    EXPECT_THAT(names("app"), ElementsAre("app-1.0-1.el9", "postfix-1.0-1.el9", "web-b-1.0-1.el9"));
    EXPECT_THAT(error("web-b, next"), HasSubstr("conflicts with"));
    EXPECT_THAT(error("strange"), HasSubstr("(a if b else c): such a rich dependency"));
    EXPECT_THAT(names("maybe"), ElementsAre("maybe-1.0-1.el9", "web-a-1.0-1.el9"));
}

TEST_F(Rpms, FilesAreLookedUpInTheLongListWhenTheyHaveToBe) {
    repo_.add({.name = "app", .needs = {"/usr/share/deep/file"}})
        .add({.name = "owner", .needs = {"/opt/other"}, .hidden_files = {"/usr/share/deep/file"}})
        .add({.name = "other", .hidden_files = {"/opt/other"}})
        .add({.name = "broken", .needs = {"/no/such/file"}})
        .write();
    EXPECT_THAT(names("app"), ElementsAre("app-1.0-1.el9", "other-1.0-1.el9", "owner-1.0-1.el9"));
    EXPECT_THAT(error("broken"), HasSubstr("/no/such/file: no package has it"));
}

TEST_F(Rpms, TheListOfAHostSaysExactlyWhatIsThere) {
    folder_.write("qa", "lib-1.0-1.el9.x86_64\nunknown-thing-3-4.noarch\ngpg-pubkey-123-456\n");
    repo_
        .add({.name = "lib",
              .version = "1.0",
              .epoch = "2",
              .provides = {"lib.so()(64bit)"},
              .files = {"/usr/bin/lib"}})
        .add({.name = "lib", .version = "1.1", .epoch = "2", .provides = {"lib.so()(64bit)"}})
        .add({.name = "easy", .needs = {"lib >= 2:1.0", "lib.so()(64bit)", "/usr/bin/lib"}})
        .add({.name = "hard", .needs = {"lib >= 2:1.1"}})
        .add({.name = "odd", .needs = {"unknown-thing >= 3"}})
        .write();
    const std::string base = "      base: qa\n";
    EXPECT_THAT(names("easy", base), ElementsAre("easy-1.0-1.el9"));
    EXPECT_THAT(names("hard", base), ElementsAre("hard-1.0-1.el9", "lib-1.1-1.el9"));
    EXPECT_THAT(names("odd", base), ElementsAre("odd-1.0-1.el9"));
}

TEST_F(Rpms, RefusesWhatIsNotWhatWasSaid) {
    repo_.add({.name = "a"}).write();
    folder_.write("repo/repodata/primary.xml.gz", testing::gzip(repo_.primary() + " "));
    EXPECT_THAT(error("a"), HasSubstr("DIGEST-MISMATCH"));
    repo_.write();
    folder_.write("repo/Packages/a-1.0-1.el9.x86_64.rpm", "rpm a 1.0-1.elX");
    EXPECT_THAT(error("a"), HasSubstr("DIGEST-MISMATCH"));
    folder_.write("k.gpg", "");
    EXPECT_THAT(error("a", "", "keyring: k.gpg"), HasSubstr("REPOSITORY-UNSIGNED"));
    fs::remove(folder_ / "repo/repodata/repomd.xml");
    EXPECT_THAT(error("a"), HasSubstr("it has no file repodata/repomd.xml"));
}

std::string xml_error(const std::string& text) {
    try {
        MemoryStream stream{text};
        read_xml(stream, "x", {});
    } catch (const UserError& e) {
        return e.message();
    }
    return "none";
}

TEST(Xml, IsReadWithoutDtds) {
    EXPECT_EQ(xml_error("<a><b c='1'>&lt;</b></a>"), "none");
    EXPECT_THAT(xml_error("<!DOCTYPE a [<!ENTITY e 'x'>]><a>&e;</a>"), HasSubstr("DTD"));
    EXPECT_THAT(xml_error("<a>"), HasSubstr("cannot be used"));
    EXPECT_THAT(xml_error("<a>&e;</a>"), HasSubstr("cannot be used"));
    std::string deep;
    for (int i = 0; i < 1000; ++i) deep += "<a>";
    EXPECT_THAT(xml_error(deep), HasSubstr("too deep"));
    EXPECT_THAT(xml_error("<a>" + std::string(3u << 20, 'x') + "</a>"), HasSubstr("too long"));
}

TEST(Repomd, IsRefusedWithoutTrustworthyChecksums) {
    const auto error_of = [](const std::string& data) -> std::string {
        try {
            parse_repomd("<repomd>" + data + "</repomd>", "x");
        } catch (const UserError& e) {
            return e.message();
        }
        return "none";
    };
    const std::string sum(64, 'a');
    EXPECT_EQ(error_of("<data type='primary'><checksum type='sha256'>" + sum +
                       "</checksum><location href='repodata/p.xml'/><size>3</size></data>"),
              "none");
    EXPECT_THAT(error_of("<data type='primary'><checksum type='md5'>" + sum + "</checksum></data>"),
                HasSubstr("md5"));
    EXPECT_THAT(error_of("<data type='primary'><checksum type='sha256'>" + sum +
                         "</checksum><location href='../p.xml'/><size>3</size></data>"),
                HasSubstr("leaves the folder"));
    EXPECT_THAT(error_of(""), HasSubstr("names no primary"));
}

}  // namespace
}  // namespace slipway::oci::packages
