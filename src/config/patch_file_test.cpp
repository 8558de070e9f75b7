#include "config/patch_file.hpp"

#include "base/error.hpp"
#include "base/files.hpp"

#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>

namespace slipway::config {
namespace {

class PatchFiles : public ::testing::Test {
  protected:
    PatchFiles() {
        std::string pattern =
            (std::filesystem::temp_directory_path() / "slipway-patches-XXXXXX").string();
        folder_ = ::mkdtemp(pattern.data());
    }
    ~PatchFiles() override { std::filesystem::remove_all(folder_); }

    PatchFile read(const std::string& name, const std::string& text) {
        atomic_write(folder_ / name, text);
        return read_patch((folder_ / name).string());
    }
    std::filesystem::path folder_;
};

TEST_F(PatchFiles, AMapIsMergedAListIsAJsonPatchAndTheNameMaySaySo) {
    EXPECT_EQ(read("a.yaml", "maxPods: 200\n").type, "strategic");
    EXPECT_EQ(read("a+merge.yaml", "maxPods: 200\n").type, "merge");
    EXPECT_EQ(read("a.json", R"([{"op": "remove", "path": "/x"}])").type, "json");
    json::value document = json::object{{"maxPods", 110}, {"x", 1}};
    read("b.yaml", "maxPods: 200\ny: {z: \"1\", mode: 0600, on: no}\n").apply_to(document);
    read("c.yaml", "- {op: remove, path: /x}\n").apply_to(document);
    EXPECT_EQ(document,
              parse_json(R"({"maxPods": 200, "y": {"z": "1", "mode": 384, "on": false}})", "test"));
}

TEST_F(PatchFiles, OneThatDoesNotFitIsNamed) {
    json::value document = json::object{{"maxPods", 110}};
    try {
        read("gone.yaml", "- {op: remove, path: /x}\n").apply_to(document);
        FAIL();
    } catch (const UserError& error) {
        EXPECT_EQ(error.id(), "PATCH-INVALID");
        EXPECT_NE(error.message().find("gone.yaml: '/x'"), std::string::npos) << error.message();
    }
}

TEST_F(PatchFiles, WhatIsNoPatchIsRefusedByName) {
    for (const auto& [name, text] :
         std::vector<std::pair<std::string, std::string>>{{"a.yaml", "just text"},
                                                          {"b.yaml", ""},
                                                          {"c.yaml", "a: [1"},
                                                          {"d.yaml", "a: 1\na: 2\n"},
                                                          {"e+json.yaml", "a: 1\n"},
                                                          {"f+merge.yaml", "- {op: test}\n"}}) {
        try {
            read(name, text);
            ADD_FAILURE() << name;
        } catch (const UserError& error) {
            EXPECT_EQ(error.id(), "PATCH-INVALID") << name;
        }
    }
    EXPECT_THROW(read_patch((folder_ / "none.yaml").string()), UserError);
}

}  // namespace
}  // namespace slipway::config
