#include "base/error.hpp"
#include "base/files.hpp"
#include "base/subprocess.hpp"
#include "base/testing/error_of.hpp"
#include "oci/bundle_build.hpp"
#include "oci/bundle_signature.hpp"
#include "oci/layout_source.hpp"
#include "oci/manifest.hpp"
#include "oci/media_types.hpp"
#include "oci/sbom.hpp"
#include "oci/testing/hostile_archives.hpp"
#include "oci/testing/raw_tar.hpp"
#include "oci/testing/small_images.hpp"
#include "oci/testing/temp_folder.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::oci {
namespace {

using slipway::testing::error_of;
using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::Field;
using testing::gzip;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::layer_tar;
using ::testing::Not;
using testing::sample_images;
using testing::SmallImages;
using testing::tar_of;
using testing::TempFolder;
namespace fs = std::filesystem;

std::string file_bytes(const fs::path& path) { return read_file(path, 64u << 20); }

Recipe recipe_of(const TempFolder& folder, const std::string& spec) {
    const std::string head =
        "apiVersion: slipway.dev/v1\nkind: Recipe\nmetadata: {name: sample, version: v1}\nspec:\n";
    return load_recipe({(folder / "recipe.yaml").string(), head + spec});
}

fs::path build(const TempFolder& folder, const std::string& spec,
               std::string_view name = "x.bundle", const BuildOptions& options = {}) {
    build_bundle(recipe_of(folder, spec), folder / name, options);
    return folder / name;
}

std::vector<std::string> names_in(const fs::path& bundle) {
    std::vector<std::string> out;
    const BundleReader reader(bundle);
    for (const BundleRoot& root : reader.content().roots) out.push_back(root.name);
    return out;
}

std::string run(std::vector<std::string> argv) {
    Subprocess process({.argv = std::move(argv)});
    process.close_in();
    const std::string out = read_all(process.out(), "output");
    const std::string err = read_all(process.err(), "errors");
    return process.wait() == 0 ? out : "FAILED: " + err;
}

// `docker save` before Docker 25, with a layer two images share by a link.
std::string old_docker_tar() {
    const std::string base = layer_tar("base", std::string(3000, 'b')), top = layer_tar("top", "1");
    const auto config = [&](const std::vector<std::string>& layers) {
        json::array ids;
        for (const std::string& layer : layers) ids.emplace_back(digest_of(layer).str());
        return json::serialize(
            json::object{{"architecture", "amd64"},
                         {"os", "linux"},
                         {"rootfs", json::object{{"type", "layers"}, {"diff_ids", ids}}}});
    };
    const std::string one = config({base, top}), two = config({base});
    const std::string manifest = fmt::format(
        R"([{{"Config":"{0}.json","RepoTags":["one:v1","quay.io/x/one:v1"],"Layers":["a/layer.tar","b/layer.tar"]}},
            {{"Config":"{1}.json","RepoTags":["two:v1"],"Layers":["c/layer.tar"]}}])",
        digest_of(one).hex, digest_of(two).hex);
    return testing::RawTar()
        .add({.name = "a/", .type = '5'})
        .add({.name = "a/layer.tar"}, base)
        .add({.name = "b/layer.tar"}, top)
        .add({.name = "c/layer.tar", .type = '2', .link = "../a/layer.tar"})
        .add({.name = digest_of(one).hex.substr(0, 60) + ".json"}, "{}")
        .long_name(digest_of(one).hex + ".json")
        .add({}, one)
        .long_name(digest_of(two).hex + ".json")
        .add({.name = "x"}, two)
        .add({.name = "manifest.json"}, manifest)
        .end();
}

TEST(Build, TakesAllImagesOfALayoutUnderTheirNames) {
    const TempFolder folder;
    const SmallImages images = sample_images();
    images.write_layout(folder / "images");
    const fs::path bundle = build(folder, "  images:\n    - oci-layout: images\n");
    EXPECT_THAT(names_in(bundle),
                ElementsAre("", "docker.io/library/plain:latest", "quay.io/folder/two:v2",
                            "registry.k8s.io/one:v1", "slipway.local/sbom:latest"));
    const BundleReader reader(bundle);
    for (const auto& [digest, bytes] : images.blobs()) {
        EXPECT_EQ(read_whole(*reader.open(digest), 1u << 20, ""), bytes);
    }
    EXPECT_THAT(verify(reader), IsEmpty());
}

TEST(Build, GivesTheSameFileFromFolderAndArchivesAndInAnyOrder) {
    const TempFolder folder;
    SmallImages second;
    second.name("a.b/other:1", second.image({.files = {{"o", "o"}}}));
    sample_images().write_layout(folder / "one");
    second.write_layout(folder / "two");
    folder.write("one.tar", sample_images().layout_tar());
    folder.write("one.tar.gz", gzip(sample_images().layout_tar()));
    folder.write("one.tar.zst", testing::zstd(sample_images().layout_tar()));
    const std::string wanted =
        file_bytes(build(folder, "  images:\n    - oci-layout: one\n    - oci-layout: two\n", "a"));
    for (const char* archive : {"one.tar", "one.tar.gz", "one.tar.zst"}) {
        EXPECT_EQ(file_bytes(build(folder,
                                   fmt::format("  images:\n    - oci-layout: two\n"
                                               "    - oci-archive: {}\n",
                                               archive),
                                   "b")),
                  wanted);
    }
    std::vector<std::string> left;
    for (const auto& entry : fs::directory_iterator(folder.path())) {
        left.push_back(entry.path().filename());
    }
    EXPECT_THAT(left, Not(Contains(HasSubstr("spool"))));
}

TEST(Build, ReadsOldDockerArchivesPlainAndPacked) {
    const TempFolder folder;
    folder.write("d.tar", old_docker_tar());
    folder.write("d.tar.gz", gzip(old_docker_tar()));
    const fs::path bundle = build(folder, "  images:\n    - docker-archive: d.tar\n", "a");
    EXPECT_THAT(names_in(bundle),
                ElementsAre("docker.io/library/one:v1", "docker.io/library/two:v1",
                            "quay.io/x/one:v1", "slipway.local/sbom:latest"));
    EXPECT_TRUE(BundleReader(bundle).find(digest_of(layer_tar("top", "1"))));
    EXPECT_THAT(verify(BundleReader(bundle)), IsEmpty());
    EXPECT_EQ(file_bytes(build(folder, "  images:\n    - docker-archive: d.tar.gz\n", "b")),
              file_bytes(bundle));
    EXPECT_THAT(run({"skopeo", "inspect", "--config",
                     "oci-archive:" + bundle.string() + ":docker.io/library/one:v1"}),
                HasSubstr(digest_of(layer_tar("top", "1")).str()));
}

TEST(Build, ReadsDockerArchivesOfSkopeoAndNewDocker) {
    const TempFolder folder;
    sample_images().write_layout(folder / "images");
    const std::string copied =
        run({"skopeo", "copy", "--insecure-policy",
             "oci:" + (folder / "images").string() + ":quay.io/folder/two:v2",
             "docker-archive:" + (folder / "s.tar").string() + ":quay.io/folder/two:v2"});
    ASSERT_THAT(copied, Not(HasSubstr("FAILED")));
    const fs::path bundle = build(folder, "  images:\n    - docker-archive: s.tar\n");
    EXPECT_THAT(names_in(bundle), Contains("quay.io/folder/two:v2"));
    EXPECT_THAT(verify(BundleReader(bundle)), IsEmpty());
    auto files = sample_images().layout_files();  // Docker 25: a layout and manifest.json
    files["manifest.json"] = "[]";
    folder.write("new.tar", tar_of(files));
    EXPECT_THAT(names_in(build(folder, "  images:\n    - docker-archive: new.tar\n", "n")),
                Contains("registry.k8s.io/one:v1"));
}

TEST(Build, NeedsANameWhereTheSourceHasNone) {
    const TempFolder folder;
    SmallImages images;
    images.unnamed(images.image({}));
    images.write_layout(folder / "i");
    EXPECT_EQ(error_of([&] { build(folder, "  images:\n    - oci-layout: i\n"); }),
              "IMAGE-WITHOUT-NAME");
    EXPECT_THAT(names_in(build(folder, "  images:\n    - {oci-layout: i, name: a.b/c:d}\n")),
                Contains("a.b/c:d"));
    EXPECT_EQ(error_of([&] { build(folder, "  images:\n    - {oci-layout: i, only: [x.y/z]}\n"); }),
              "IMAGE-NOT-FOUND");
}

TEST(Build, KeepsSignaturesWithTheImagesThatAreTaken) {
    const TempFolder folder;
    SmallImages images;
    const Descriptor one = images.image({.files = {{"a", "1"}}});
    const Descriptor two = images.image({.files = {{"a", "2"}}});
    images.name("x.y/one:1", one);
    images.name("x.y/two:1", two);
    const Descriptor signature = images.referrer(one, "signed");
    images.unnamed(signature);
    images.unnamed(images.referrer(signature, "countersigned"));
    images.unnamed(images.referrer(two, "signed as well"));
    images.write_layout(folder / "i");
    const auto referrers = [&](const std::string& item, std::string_view name) {
        const BundleReader bundle(build(folder, "  images:\n    - " + item + "\n", name));
        return std::ranges::count(bundle.content().roots, RootKind::referrer, &BundleRoot::kind);
    };
    EXPECT_EQ(referrers("oci-layout: i", "all"), 3);
    EXPECT_EQ(referrers("{oci-layout: i, only: ['x.y/one:1']}", "one"), 2);
    EXPECT_EQ(referrers("{oci-layout: i, only: ['x.y/two:1'], name: 'a.b/c:d'}", "two"), 1);
}

TEST(Build, APlatformAskedForIsADemand) {
    const TempFolder folder;
    SmallImages images;
    const auto image = [&](const std::string& arch) {
        return images.image({.files = {{"f", arch}}, .architecture = arch});
    };
    images.name("x.y/both:1", images.index({image("amd64"), image("arm64")}));
    images.name("x.y/plain:1", image("amd64"));
    Descriptor artifact = images.referrer(image("amd64"), "no platform");
    images.name("x.y/artifact:1", artifact);
    images.write_layout(folder / "i");
    const auto message = [&](const std::string& item) -> std::string {
        try {
            build(folder, "  images:\n    - " + item + "\n");
        } catch (const Error& e) {
            return e.id() + ": " + e.message();
        }
        return "none";
    };
    EXPECT_EQ(message("{oci-layout: i, platforms: [linux/amd64]}"), "none");
    // All that is missing is said at once.
    EXPECT_THAT(message("{oci-layout: i, platforms: [linux/amd64, linux/arm64, linux/s390x]}"),
                AllOf(HasSubstr("IMAGE-NO-PLATFORM"), HasSubstr("x.y/both:1 (linux/s390x)"),
                      HasSubstr("x.y/plain:1 (linux/arm64)"),
                      HasSubstr("x.y/plain:1 (linux/s390x)"), Not(HasSubstr("artifact"))));
    EXPECT_THAT(message("{oci-layout: i, only: ['x.y/plain:1'], platforms: [linux/arm64]}"),
                HasSubstr("x.y/plain:1 (linux/arm64)"));
}

TEST(Build, TakesOnlyThePlatformsAskedForAndKeepsTheIndex) {
    const TempFolder folder;
    sample_images().write_layout(folder / "i");
    const fs::path bundle = build(folder,
                                  "  images:\n    - {oci-layout: i, only: "
                                  "['registry.k8s.io/one:v1'], platforms: [linux/arm64]}\n");
    const BundleReader reader(bundle);
    const BundleReader whole(build(folder, "  images:\n    - oci-layout: i\n", "w"));
    EXPECT_EQ(reader.content().find_name("registry.k8s.io/one:v1")->digest,
              whole.content().find_name("registry.k8s.io/one:v1")->digest);
    EXPECT_LT(reader.content().blobs.size(), whole.content().blobs.size());
    EXPECT_THAT(verify(reader), IsEmpty());
    EXPECT_EQ(error_of([&] {
                  build(folder, "  images:\n    - {oci-layout: i, platforms: [linux/s390x]}\n");
              }),
              "IMAGE-NO-PLATFORM");
}

TEST(Build, JoinsPlatformsOfOneNameAndRefusesTwoImagesOfOne) {
    const TempFolder folder;
    SmallImages amd, arm, other;
    amd.name("a.b/c:1", amd.image({}));
    arm.name("a.b/c:1", arm.image({.architecture = "arm64"}));
    other.name("a.b/c:1", other.image({.files = {{"other", "1"}}}));
    amd.write_layout(folder / "amd");
    arm.write_layout(folder / "arm");
    other.write_layout(folder / "other");
    const BundleReader joined(
        build(folder, "  images:\n    - oci-layout: arm\n    - oci-layout: amd\n"));
    const BundleRoot* root = joined.content().find_name("a.b/c:1");
    const Index index = parse_index(joined.manifest(root->digest));
    ASSERT_EQ(index.manifests.size(), 2u);
    EXPECT_EQ(index.manifests[0].platform.str(), "linux/amd64");
    EXPECT_EQ(error_of([&] {
                  build(folder, "  images:\n    - oci-layout: amd\n    - oci-layout: other\n");
              }),
              "BUNDLE-CONFLICT");
}

// What skopeo and, in the same form, `ctr images export` write: a layout in a tar, packed or not.
TEST(Build, ReadsOciArchivesOfOtherTools) {
    const TempFolder folder;
    sample_images().write_layout(folder / "i");
    const std::string copied =
        run({"skopeo", "copy", "--all", "--insecure-policy",
             "oci:" + (folder / "i").string() + ":registry.k8s.io/one:v1",
             "oci-archive:" + (folder / "s.tar").string() + ":registry.k8s.io/one:v1"});
    ASSERT_THAT(copied, Not(HasSubstr("FAILED")));
    const std::string bytes = file_bytes(folder / "s.tar");
    folder.write("s.tar.xz", testing::xz(bytes));
    folder.write("s.tar.gz", gzip(bytes));
    const std::string whole =
        file_bytes(build(folder, "  images:\n    - oci-archive: s.tar\n", "a"));
    EXPECT_THAT(names_in(folder / "a"), Contains("registry.k8s.io/one:v1"));
    for (const char* name : {"s.tar.xz", "s.tar.gz"}) {
        const std::string spec = fmt::format("  images:\n    - oci-archive: {}\n", name);
        EXPECT_EQ(file_bytes(build(folder, spec, "b")), whole) << name;
    }
    const std::string packed = testing::xz(bytes);
    folder.write("cut.tar.xz", packed.substr(0, packed.size() / 2));
    EXPECT_EQ(error_of([&] { build(folder, "  images:\n    - oci-archive: cut.tar.xz\n", "c"); }),
              "ARCHIVE-DAMAGED");
}

TEST(Build, RefusesSourcesWithWrongOrMissingBlobs) {
    const TempFolder folder;
    const SmallImages images = sample_images();
    for (const auto& [digest, bytes] : images.blobs()) {
        auto files = images.layout_files();
        std::string wrong = bytes;
        wrong[wrong.size() / 2] = static_cast<char>(wrong[wrong.size() / 2] ^ 4);
        files[digest.layout_path()] = wrong;
        folder.write("bad.tar", tar_of(files));
        EXPECT_THAT(error_of([&] { build(folder, "  images:\n    - oci-archive: bad.tar\n"); }),
                    AnyOf("DIGEST-MISMATCH", "MANIFEST-INVALID"))
            << digest.str();
        EXPECT_FALSE(fs::exists(folder / "x.bundle"));
        files[digest.layout_path()] = bytes + "x";
        folder.write("bad.tar", tar_of(files));
        EXPECT_EQ(error_of([&] { build(folder, "  images:\n    - oci-archive: bad.tar\n"); }),
                  "DIGEST-MISMATCH");
    }
    auto files = images.layout_files();
    std::erase_if(files, [](const auto& file) { return file.second.size() > 9000; });
    for (const auto& [digest, bytes] : images.blobs()) {
        if (bytes.starts_with("\x1f\x8b")) files.erase(digest.layout_path());
    }
    folder.write("bad.tar", tar_of(files));
    EXPECT_EQ(error_of([&] { build(folder, "  images:\n    - oci-archive: bad.tar\n"); }),
              "SOURCE-BLOB-MISSING");
}

TEST(Build, RefusesHostileArchivesThroughEverySource) {
    const TempFolder folder;
    for (const testing::Hostile& hostile : testing::hostile_archives()) {
        folder.write("h", hostile.bytes);
        for (const char* spec :
             {"  images:\n    - oci-archive: h\n", "  images:\n    - docker-archive: h\n",
              "  charts:\n    - chart: h\n"}) {
            const std::string id = error_of([&] { build(folder, spec); });
            if (hostile.only_extracted) {
                EXPECT_NE(id, "none") << hostile.what;  // there is no image in it
            } else {
                EXPECT_EQ(id, hostile.id) << hostile.what << spec;
            }
            EXPECT_FALSE(fs::exists(folder / "x.bundle"));
        }
    }
}

TEST(Build, RefusesIndexesInIndexesWithoutEnd) {
    const TempFolder folder;
    SmallImages images;
    Descriptor nested = images.image({});
    for (int i = 0; i < 20; ++i) nested = images.index({nested});
    images.name("a.b/c:1", nested);
    images.write_layout(folder / "i");
    EXPECT_EQ(error_of([&] { build(folder, "  images:\n    - oci-layout: i\n"); }),
              "MANIFEST-INVALID");
}

TEST(Build, HoldsBinariesChartsAndPackages) {
    const TempFolder folder;
    folder.write("bin/kubeadm", "ELF");
    folder.write("bin/kubeadm-arm", "ELF arm");
    folder.write("c/Chart.yaml",
                 "apiVersion: v2\nname: server\nversion: 1.0.0+b1\nkeywords: [a]\n");
    folder.write("c/templates/x.yaml", "a: b\n");
    folder.write("d/socat_1.7.4-1_amd64.deb", "deb");
    folder.write("d/libfoo-2.0-1.el9.x86_64.rpm", "rpm");
    const std::string spec =
        "  binaries:\n"
        "    - {file: bin/kubeadm, version: v1.34.1}\n"
        "    - {file: bin/kubeadm-arm, name: kubeadm, version: v1.34.1, arch: arm64}\n"
        "  charts:\n    - chart: c\n"
        "  packages:\n    - {os: debian-12, files: [d]}\n";
    const fs::path path = build(folder, spec);
    EXPECT_EQ(file_bytes(path), file_bytes(build(folder, spec, "again")));
    EXPECT_THAT(names_in(path),
                ElementsAre("slipway.local/binaries/kubeadm:v1.34.1",
                            "slipway.local/charts/server:1.0.0_b1",
                            "slipway.local/packages/debian-12:amd64", "slipway.local/sbom:latest"));
    const BundleReader bundle(path);
    EXPECT_THAT(verify(bundle), IsEmpty());
    const Manifest sbom = parse_manifest(
        bundle.manifest(bundle.content().find_name("slipway.local/sbom:latest")->digest));
    std::vector<std::string> purls;
    for (const SbomComponent& c :
         parse_sbom(read_whole(*bundle.open(sbom.layers.at(0).digest), 1u << 20, "sbom"))) {
        purls.push_back(c.purl);
    }
    EXPECT_THAT(purls,
                ElementsAre("pkg:generic/kubeadm@v1.34.1", "pkg:generic/kubeadm@v1.34.1",
                            "pkg:helm/server@1.0.0%2Bb1", "pkg:rpm/libfoo@2.0-1.el9?arch=x86_64",
                            "pkg:deb/socat@1.7.4-1?arch=amd64"));
    extract(bundle, "server:1.0.0_b1", folder / "out.tgz");
    EXPECT_THAT(run({"tar", "-tzf", (folder / "out.tgz").string()}),
                HasSubstr("server/templates/x.yaml"));
    EXPECT_EQ(extract(bundle, "kubeadm:v1.34.1", folder / "tools").size(), 2u);
    EXPECT_EQ(file_bytes(folder / "tools/kubeadm-linux-arm64"), "ELF arm");
    EXPECT_EQ(extract(bundle, "packages/debian-12:amd64", folder / "debs").size(), 2u);
}

TEST(Build, ChecksTheSha256OfBinaries) {
    const TempFolder folder;
    folder.write("tool", "tool");
    const auto with = [&](const std::string& sum) {
        return error_of([&] {
            build(folder, fmt::format("  binaries:\n    - {{file: tool, sha256: '{}'}}\n", sum));
        });
    };
    EXPECT_EQ(with(digest_of("tool").hex), "none");
    EXPECT_EQ(with(digest_of("other").hex), "DIGEST-MISMATCH");
    EXPECT_EQ(with("abc"), "RECIPE-INVALID");
}

TEST(Build, MakesImagesOfFiles) {
    const TempFolder folder;
    sample_images().write_layout(folder / "base");
    folder.write("app/run", "#!/bin/sh\n");
    folder.write("app/data/x", "x");
    const std::string spec =
        "  images:\n"
        "    - name: a.b/app:1\n"
        "      image-from-files:\n"
        "        base: {oci-layout: base, image: 'registry.k8s.io/one:v1'}\n"
        "        files:\n"
        "          - {file: app/run, to: /usr/bin/run, mode: '0755', uid: 7, gid: 8}\n"
        "          - {file: app/data, to: /data}\n"
        "        user: '7'\n"
        "        entrypoint: [/usr/bin/run]\n"
        "        env: {A: '1'}\n";
    const fs::path path = build(folder, spec);
    EXPECT_EQ(file_bytes(path), file_bytes(build(folder, spec, "again")));
    const BundleReader bundle(path);
    EXPECT_THAT(verify(bundle), IsEmpty());
    const Manifest manifest =
        parse_manifest(bundle.manifest(bundle.content().find_name("a.b/app:1")->digest));
    EXPECT_EQ(manifest.layers.size(), 3u);
    const std::string config = read_whole(*bundle.open(manifest.config.digest), 1u << 20, "");
    EXPECT_THAT(config, HasSubstr(R"("Entrypoint":["/usr/bin/run"])"));
    EXPECT_THAT(config, Not(HasSubstr("/hello")));
    const std::string copied =
        run({"skopeo", "copy", "--insecure-policy", "oci-archive:" + path.string() + ":a.b/app:1",
             "dir:" + (folder / "out").string()});
    EXPECT_THAT(copied, Not(HasSubstr("FAILED")));
    const std::string listed =
        run({"tar", "-tvf", (folder / "out" / manifest.layers[2].digest.hex).string()});
    EXPECT_THAT(listed, HasSubstr("-rwxr-xr-x 7/8"));
    EXPECT_THAT(listed, HasSubstr("data/x"));
}

TEST(Build, ImagesOfFilesMayHaveLinksNewFoldersAndAWholeTree) {
    const TempFolder folder;
    folder.write("tree/usr/bin/tool", "tool");
    folder.write("tree/etc/passwd", "root:x:0:0::/:\n");
    const fs::path path = build(folder,
                                "  images:\n"
                                "    - name: a.b/tree:1\n"
                                "      image-from-files:\n"
                                "        files:\n"
                                "          - {file: tree, to: /}\n"
                                "          - {link: tool, to: /usr/bin/other}\n"
                                "          - {folder: true, to: /tmp, mode: '1777'}\n"
                                "          - {folder: true, to: /var/lib/x, uid: 3}\n");
    const BundleReader bundle(path);
    const Manifest manifest =
        parse_manifest(bundle.manifest(bundle.content().find_name("a.b/tree:1")->digest));
    folder.write("layer", read_whole(*bundle.open(manifest.layers.at(0).digest), 1u << 20, ""));
    const std::string listed = run({"tar", "-tvf", (folder / "layer").string()});
    EXPECT_THAT(listed, ContainsRegex("-rw-r--r-- 0/0 .* usr/bin/tool\n"));
    EXPECT_THAT(listed, HasSubstr(" etc/passwd\n"));
    EXPECT_THAT(listed, HasSubstr(" usr/bin/other -> tool\n"));
    EXPECT_THAT(listed, ContainsRegex("drwxrwxrwt 0/0 .* tmp/\n"));
    EXPECT_THAT(listed, ContainsRegex("drwxr-xr-x 3/0 .* var/lib/x/\n"));
}

TEST(Build, AFileOfAnImageComesFromOnePlace) {
    const TempFolder folder;
    folder.write("tool", "tool");
    for (const std::string file :
         {"{to: /a}", "{file: tool, link: b, to: /a}", "{link: b, folder: true, to: /a}"}) {
        EXPECT_EQ(error_of([&] {
                      build(folder,
                            "  images:\n    - name: a.b/c:1\n      image-from-files:\n"
                            "        files: [" +
                                file + "]\n");
                  }),
                  "RECIPE-INVALID")
            << file;
    }
}

TEST(Build, DeltaAndBaseMergeToTheWholeByteForByte) {
    const TempFolder folder;
    SmallImages first = sample_images(), second = sample_images();
    second.name("a.b/new:1",
                second.image({.files = {{"a/base", std::string(9000, 'b')}, {"n", "n"}}}));
    first.write_layout(folder / "one");
    second.write_layout(folder / "two");
    const fs::path old = build(folder, "  images:\n    - oci-layout: one\n", "old");
    const std::string spec = "  images:\n    - oci-layout: two\n";
    const fs::path whole = build(folder, spec, "whole");
    const fs::path delta = build(folder, spec, "delta", {.since = read_inventory(old)});
    EXPECT_LT(fs::file_size(delta), fs::file_size(whole) / 2);
    folder.write("inventory.json", to_text(inventory_of(BundleReader(old))));
    EXPECT_EQ(file_bytes(build(folder, spec, "delta2",
                               {.since = read_inventory(folder / "inventory.json")})),
              file_bytes(delta));
    merge_bundles({old, delta}, folder / "merged");
    EXPECT_EQ(file_bytes(folder / "merged"), file_bytes(whole));
    EXPECT_EQ(error_of([&] { merge_bundles({delta}, folder / "no"); }), "BUNDLE-BLOB-MISSING");
    EXPECT_FALSE(fs::exists(folder / "no"));
    const SigningKey key = SigningKey::generate();
    sign_bundle(delta, key);
    merge_bundles({delta, old}, folder / "signed");
    EXPECT_EQ(require_signature(BundleReader(folder / "signed"), {key.public_key()}),
              key.public_key().id());
}

TEST(Build, DamagedBaseIsFoundByMerge) {
    const TempFolder folder;
    sample_images().write_layout(folder / "one");
    const std::string spec = "  images:\n    - oci-layout: one\n";
    const fs::path old = build(folder, spec, "old");
    const fs::path delta = build(folder, spec, "delta", {.since = read_inventory(old)});
    const BundleReader reader(old);
    std::string bytes = file_bytes(old);
    bytes[reader.index().offsets[0]] = static_cast<char>(bytes[reader.index().offsets[0]] ^ 1);
    folder.write("old", bytes);
    EXPECT_EQ(error_of([&] { merge_bundles({old, delta}, folder / "m"); }), "DIGEST-MISMATCH");
    EXPECT_FALSE(fs::exists(folder / "m"));
}

TEST(Build, BundlesMergeIntoOne) {
    const TempFolder folder;
    SmallImages one, two;
    one.name("a.b/one:1", one.image({.files = {{"1", "1"}}}));
    two.name("a.b/two:1", two.image({.files = {{"2", "2"}}}));
    one.write_layout(folder / "one");
    two.write_layout(folder / "two");
    const fs::path a = build(folder, "  images:\n    - oci-layout: one\n", "a");
    const fs::path b = build(folder, "  images:\n    - oci-layout: two\n", "b");
    const fs::path both =
        build(folder, "  images:\n    - oci-layout: one\n    - oci-layout: two\n", "both");
    merge_bundles({b, a}, folder / "merged");
    EXPECT_EQ(file_bytes(folder / "merged"), file_bytes(both));
    const BundleDiff changes = diff(BundleReader(a).content(), BundleReader(both).content());
    EXPECT_THAT(changes.names, Contains(Field(&BundleDiff::Change::name, "a.b/two:1")));
}

TEST(Build, ExtractsAnImageAsALayout) {
    const TempFolder folder;
    sample_images().write_layout(folder / "i");
    const BundleReader bundle(build(folder, "  images:\n    - oci-layout: i\n"));
    extract(bundle, "registry.k8s.io/one:v1", folder / "out");
    EXPECT_THAT(run({"skopeo", "inspect", "--raw", "oci:" + (folder / "out").string()}),
                HasSubstr("arm64"));
    const Digest some = bundle.content().blobs[0].digest;
    extract(bundle, some.str(), folder / "blob");
    EXPECT_EQ(digest_of(file_bytes(folder / "blob")), some);
    EXPECT_EQ(error_of([&] { extract(bundle, "registry.k8s.io/on:v1", folder / "no"); }),
              "IMAGE-NOT-FOUND");
    EXPECT_EQ(error_of([&] { extract(bundle, some.str(), folder / "blob"); }), "BUNDLE-WRITE");
}

TEST(Recipe, SaysEverythingThatIsWrong) {
    const TempFolder folder;
    try {
        recipe_of(folder,
                  "  images:\n    - {}\n    - {oci-layout: a, oci-archive: b}\n    - registry: X/\n"
                  "    - {oci-layuot: a}\n    - image-from-files: {entrypoint: [a]}\n"
                  "  binaries:\n    - {version: '1'}\n    - {url: 'https://a/b'}\n"
                  "  charts: [{url: 'http://a/'}]\n"
                  "  registries: [{host: 'https://a.b'}, {host: a.b, mirror: 'c/D'}]\n");
        FAIL();
    } catch (const UserError& e) {
        EXPECT_EQ(e.id(), "RECIPE-INVALID");
        for (const char* part :
             {"names no source", "several sources", "images[2].registry", "did you mean",
              "oci-layout", "images[4].name", "binaries[0]", "binaries[1].sha256", "charts[0].url",
              "registries[0].host", "registries[1].mirror"}) {
            EXPECT_THAT(e.cause(), HasSubstr(part));
        }
    }
}

TEST(Inventory, IsRefusedWhenItIsNotOne) {
    const std::string good =
        to_text(Inventory{.content_digest = digest_of("x"), .blobs = {digest_of("y")}});
    EXPECT_EQ(parse_inventory(good).blobs.size(), 1u);
    for (const std::string& bad :
         {std::string("{}"), std::string("["), good.substr(0, 40), good + "x",
          std::string(
              R"({"apiVersion":"slipway.dev/v1","kind":"Inventory","contentDigest":"x"})")}) {
        EXPECT_EQ(error_of([&] { parse_inventory(bad); }), "INVENTORY-INVALID");
    }
}

}  // namespace
}  // namespace slipway::oci
