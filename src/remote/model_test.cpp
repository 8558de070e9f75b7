#include "remote/model.hpp"

#include "base/error.hpp"
#include "remote/fresh_machine.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace slipway::remote {
namespace {

using ::testing::ElementsAre;

std::shared_ptr<const Values> small_machine() {
    Values values;
    values[{Section::sysctl, "a"}] = "1";
    values[{Section::sysctl, "c"}] = "3";
    values[{Section::package, "b"}] = "not a sysctl";
    return std::make_shared<const Values>(std::move(values));
}

TEST(Model, NamesMergeBothLayersInOrderWithoutTheRemoved) {
    Model model(small_machine());
    model.set({Section::sysctl, "b"}, "2");
    model.set({Section::sysctl, "c"}, "4");
    model.remove({Section::sysctl, "a"});
    EXPECT_THAT(model.names(Section::sysctl), ElementsAre("b", "c"));
    EXPECT_EQ(*model.text(Section::sysctl, "c"), "4");
    EXPECT_EQ(model.text(Section::sysctl, "a"), nullptr);
}

TEST(Model, RollBackLeavesNoTrace) {
    Model model(small_machine());
    model.set({Section::sysctl, "b"}, "2");
    model.commit();
    const std::string before = model.fingerprint();
    model.set({Section::sysctl, "b"}, "5");
    model.set({Section::sysctl, "b"}, "6");
    model.set({Section::sysctl, "d"}, "7");
    model.remove({Section::sysctl, "a"});
    model.roll_back();
    EXPECT_EQ(model.fingerprint(), before);
    EXPECT_TRUE(model.pending().empty());
    EXPECT_FALSE(model.touched());
}

TEST(Model, SettingWhatIsThereIsATouchButNoChange) {
    Model model(small_machine());
    model.set({Section::sysctl, "a"}, "1");
    EXPECT_TRUE(model.pending().empty());
    EXPECT_TRUE(model.touched());
}

TEST(Model, HostsThatBeganAlikeDoNotSeeEachOthersChanges) {
    const auto fresh = small_machine();
    Model one(fresh), other(fresh);
    one.set({Section::sysctl, "a"}, "9");
    EXPECT_EQ(*other.text(Section::sysctl, "a"), "1");
}

TEST(Model, WhatRanAndWhatFailedIsNotState) {
    Model model(small_machine());
    const std::string before = model.fingerprint();
    model.set({Section::script, "000001"}, "/tmp/a 00 0");
    model.set({Section::fault, "x"}, "1");
    EXPECT_EQ(model.fingerprint(), before);
}

TEST(Model, ChangeThatCannotBeReadIsDamage) {
    for (const char* text :
         {R"([])", R"({"in":"nothing","name":"x"})", R"({"in":"files","name":"/a","value":"text"})",
          R"({"in":"sysctls"})", R"({"in":"files","name":"/a","value":{"mode":"x"}})",
          R"({"in":"files","name":"/a","value":{"content":{"hex":"zz"}}})"}) {
        EXPECT_THROW(change_from_json(json::parse(text), "test"), StateError) << text;
    }
}

// Any bytes a file may hold, and any state, survive the way through the history file.
RC_GTEST_PROP(Model, ChangesSurviveJson, ()) {
    const auto content = *rc::gen::arbitrary<std::string>();
    const FileState file{.content = content,
                         .mode = *rc::gen::inRange(0u, 010000u),
                         .owner = "root",
                         .group = "adm"};
    const UnitState unit{*rc::gen::arbitrary<bool>(), *rc::gen::arbitrary<bool>(),
                         *rc::gen::arbitrary<bool>(), *rc::gen::arbitrary<bool>()};
    const std::vector<Change> changes = {
        {{Section::file, "/x"}, file},
        {{Section::file, "/l"}, FileState{.content = "", .mode = 0777, .link_target = "/x"}},
        {{Section::file, "/f"}, FileState{.content = "", .mode = 0700, .folder = true}},
        {{Section::unit, "a.service"}, unit},
        {{Section::user, "u"}, UserState{"/home/u", "/bin/sh", false}},
        {{Section::sysctl, "k"}, content},
        {{Section::sysctl, "gone"}, std::nullopt}};
    for (const Change& change : changes) {
        const Change back =
            change_from_json(json::parse(json::serialize(to_json(change))), "property");
        RC_ASSERT(back.key.section == change.key.section);
        RC_ASSERT(back.key.name == change.key.name);
        RC_ASSERT(back.value == change.value);
    }
}

TEST(FreshMachine, LooksLikeANewDebian) {
    const Model model(fresh_machine({}));
    EXPECT_EQ(model.file("/etc/hostname")->content, "debian\n");
    EXPECT_THAT(model.file("/etc/fstab")->content, ::testing::HasSubstr("/dev/vda2 none swap"));
    EXPECT_EQ(*model.text(Section::swap, "/dev/vda2"), "on");
    EXPECT_EQ(*model.text(Section::sysctl, "net.ipv4.ip_forward"), "0");
    EXPECT_EQ(*model.text(Section::module, "br_netfilter"), "available");
    EXPECT_TRUE(model.unit("ssh.service")->active);
    EXPECT_TRUE(model.unit("systemd-timesyncd.service")->active);
    // Every file stands in a folder that is there.
    for (const std::string& path : model.names(Section::file)) {
        const std::string parent = path.substr(0, path.rfind('/'));
        if (parent.empty()) continue;
        EXPECT_TRUE(model.file(parent) && model.file(parent)->folder) << path;
    }
}

}  // namespace
}  // namespace slipway::remote
