#include "config/local_files.hpp"

#include "base/files.hpp"
#include "config/load.hpp"

#include <cstdlib>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>

namespace slipway::config {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class LocalFilesTest : public ::testing::Test {
  protected:
    LocalFilesTest() {
        std::string pattern = (fs::temp_directory_path() / "slipway-files-XXXXXX").string();
        folder_ = ::mkdtemp(pattern.data());
    }
    ~LocalFilesTest() override { fs::remove_all(folder_); }

    fs::path put(const std::string& name, const std::string& content, mode_t mode = 0644) {
        const fs::path path = folder_ / name;
        fs::create_directories(path.parent_path());
        atomic_write(path, content, mode);
        ::chmod(path.c_str(), mode);
        return path;
    }

    CopyListing list(const std::string& from, const std::string& to, const std::string& mode = "") {
        FileCopy copy;
        copy.from = (folder_ / from).string();
        copy.to = to;
        copy.mode = mode;
        return list_copy(copy);
    }

    // A spec in the folder, with these hooks.
    LoadedSpec load(const std::string& hooks) {
        return load_spec({{(folder_ / "s.yaml").string(),
                           "apiVersion: slipway.dev/v1\nkind: Cluster\nmetadata: {name: demo}\n"
                           "spec:\n  hosts:\n"
                           "  - {name: a, address: 10.0.0.1, roles: [control-plane]}\n"
                           "  - {name: b, address: 10.0.0.2, roles: [worker]}\n"
                           "  hooks:\n" +
                               hooks}});
    }

    std::vector<std::string> problems(const std::string& hooks) {
        const LoadedSpec loaded = load(hooks);
        std::vector<std::string> out;
        for (const Problem& p : loaded.problems) out.push_back(p.id + " " + p.line());
        for (const Problem& p : check_local_files(loaded)) {
            std::string line = p.id + " " + p.line();
            for (std::size_t at = 0; (at = line.find(folder_.string() + "/")) != std::string::npos;)
                line.erase(at, folder_.string().size() + 1);
            out.push_back(line);
        }
        return out;
    }

    fs::path folder_;
};

TEST_F(LocalFilesTest, WhatIsThereIsFine) {
    put("a.sh", "echo {{ not a template }}\n");
    put("t.sh", "echo {{ host.name }} {{ values.site }}\n");
    put("motd", "x");
    put("bin/notify", "#!/bin/sh\n", 0755);
    EXPECT_THAT(problems("    values: {site: berlin}\n"
                         "    files: [{from: motd, to: /etc/motd}]\n"
                         "    preInstall: [{name: a, file: a.sh}, {name: t, file: t.sh, template: "
                         "true, env: {A: '{{ cluster.name }}'}}]\n"
                         "    operatorPreInstall: [{name: n, command: [./bin/notify]}, {name: s, "
                         "command: [sh, -c, 'true']}]\n"),
                IsEmpty());
}

TEST_F(LocalFilesTest, ScriptsAndProgramsThatAreNotThereAreNamedAllAtOnce) {
    fs::create_directories(folder_ / "folder");
    put("plain", "#!/bin/sh\n", 0644);
    EXPECT_THAT(
        problems("    preInstall:\n"
                 "    - {name: a, file: a.sh}\n"
                 "    - {name: b, file: folder}\n"
                 "    operatorPostInstall:\n"
                 "    - {name: c, command: [./plain]}\n"
                 "    - {name: d, command: [no-such-program-x]}\n"),
        ElementsAre(
            "SPEC-LOCAL-FILE s.yaml:10:23: hooks.preInstall[0].file: a.sh is not there; correct "
            "the path",
            "SPEC-LOCAL-FILE s.yaml:11:23: hooks.preInstall[1].file: folder is not a regular "
            "file; name a script",
            "SPEC-LOCAL-FILE s.yaml:13:27: hooks.operatorPostInstall[0].command[0]: plain is not "
            "there, or not executable; correct the path, or chmod +x",
            "SPEC-LOCAL-FILE s.yaml:14:27: hooks.operatorPostInstall[1].command[0]: there is no "
            "program no-such-program-x in PATH; install it, or write its path"));
}

TEST_F(LocalFilesTest, UndefinedNamesAreFoundInFilesTextsAndEnvironmentsWithTheirPlace) {
    put("t.sh", "#!/bin/sh\necho {{ host.nmae }}\n");
    put("conf/x.conf", "a = {{ values.site }}\nb = {{ what }}\n");
    EXPECT_THAT(
        problems("    values: {site: berlin}\n"
                 "    files: [{from: conf, to: /etc/conf, template: true}]\n"
                 "    preInstall:\n"
                 "    - {name: t, file: t.sh, template: true}\n"
                 "    - name: u\n"
                 "      template: true\n"
                 "      script: |\n"
                 "        echo one\n"
                 "        echo {{ cluster.nam }}\n"
                 "    operatorPreInstall:\n"
                 "    - {name: n, command: [sh], env: {HOST: '{{ host.name }}'}}\n"),
        ElementsAre(
            "SPEC-TEMPLATE conf/x.conf:2:5: hooks.files[0]: there is no value named \"what\"; add "
            "it to hooks.values and write values.NAME, or correct the name",
            "SPEC-TEMPLATE t.sh:2:6: hooks.preInstall[0]: there is no value named \"host.nmae\"; "
            "did you mean host.name?",
            "SPEC-TEMPLATE s.yaml:15:15: hooks.preInstall[1].script: line 2 of the text: there is "
            "no value named \"cluster.nam\"; did you mean cluster.name?",
            "SPEC-TEMPLATE s.yaml:19:44: hooks.operatorPreInstall[0].env.HOST: there is no value "
            "named \"host.name\"; values of a host are for what runs on hosts; leave it out"));
}

TEST_F(LocalFilesTest, AFolderMeansEveryRegularFileBelowIt) {
    put("conf/b.conf", "bb");
    put("conf/sub/run.sh", "#!/bin/sh\n", 0755);
    const CopyListing listing = list("conf", "/etc/x");
    ASSERT_THAT(listing.files, SizeIs(2));
    EXPECT_EQ(listing.files[0].to, "/etc/x/b.conf");
    EXPECT_EQ(listing.files[0].mode, 0644u);
    EXPECT_EQ(listing.files[0].size, 2u);
    EXPECT_EQ(listing.files[1].to, "/etc/x/sub/run.sh");
    EXPECT_EQ(listing.files[1].mode, 0755u);
    const CopyListing given = list("conf", "/etc/x", "0600");
    EXPECT_EQ(given.files[1].mode, 0600u);
}

TEST_F(LocalFilesTest, ASlashAtTheEndNamesTheFolderAFileGoesInto) {
    put("motd", "x");
    EXPECT_EQ(list("motd", "/etc/site/").files.at(0).to, "/etc/site/motd");
    EXPECT_EQ(list("motd", "/etc/site").files.at(0).to, "/etc/site");
}

TEST_F(LocalFilesTest, LinksEmptyFoldersAndLargeFilesAreRefused) {
    put("conf/a", "x");
    fs::create_symlink("/etc/passwd", folder_ / "conf/link");
    EXPECT_THAT(list("conf", "/x").faults, SizeIs(1));
    fs::create_directories(folder_ / "empty");
    EXPECT_THAT(list("empty", "/x").faults, SizeIs(1));
    put("large", "");
    fs::resize_file(folder_ / "large", kLargestCopy + 1);
    const CopyListing large = list("large", "/x");
    ASSERT_THAT(large.faults, SizeIs(1));
    EXPECT_THAT(large.faults[0].what, HasSubstr("is larger than 8 MiB"));
    EXPECT_THAT(list("none", "/x").faults, SizeIs(1));
}

TEST_F(LocalFilesTest, TwoFilesForOnePlaceOnOneHostAreRefusedOnTwoHostsTheyAreFine) {
    put("a", "x");
    put("b", "y");
    EXPECT_THAT(problems("    files: [{from: a, to: /x, roles: [worker]}, {from: b, to: /x, roles: "
                         "[control-plane]}]\n"),
                IsEmpty());
    EXPECT_THAT(problems("    files: [{from: a, to: /x, roles: [worker]}, {from: b, to: /x}]\n"),
                ElementsAre(HasSubstr("/x is already written by hooks.files[0]")));
}

TEST_F(LocalFilesTest, AProgramWithASlashIsTakenFromTheSpecsFolder) {
    const LoadedSpec loaded =
        load("    operatorPreInstall: [{name: n, command: [./notify, ./x]}]\n");
    EXPECT_THAT(loaded.spec.hooks.operator_pre_install[0].command,
                ElementsAre((folder_ / "notify").string(), "./x"));
}

}  // namespace
}  // namespace slipway::config
