#include "config/decode.hpp"

#include "base/error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::config::test {

struct Disk {
    std::string path;
    std::int64_t size_mib = 100;
};
enum class Speed { slow, fast };
struct Machine {
    double scale = 1;
    bool on = true;
    int cpus = 2;
    Speed speed = Speed::slow;
    std::vector<Disk> disks;
    std::map<std::string, Disk> named;
    std::map<std::string, std::string> labels;
};

void describe(Describe<Disk>& d) {
    d.field("path", &Disk::path, "Where it is mounted.").example("/data").required();
    d.field("sizeMib", &Disk::size_mib, "How large it is.").range(1, 1000);
    d.check([](const Disk& disk, Scope& scope) {
        if (disk.path == "/") scope.error("TEST-ROOT", "path", "is the root", "use another");
    });
}
void describe(Choices<Speed>& c) {
    c.add("slow", Speed::slow, "Slow.");
    c.add("fast", Speed::fast, "Fast.");
}
void describe(Describe<Machine>& d) {
    d.field("scale", &Machine::scale, "A number.").range(0, 100);
    d.field("on", &Machine::on, "A switch.");
    d.field("cpus", &Machine::cpus, "How many.").range(1, 64);
    d.field("speed", &Machine::speed, "How fast.");
    d.field("disks", &Machine::disks, "Disks.");
    d.field("named", &Machine::named, "Disks by name.");
    d.field("labels", &Machine::labels, "Labels.");
}

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> problems(const std::string& text) {
    std::vector<std::string> lines;
    for (const Problem& p : decode_yaml<Machine>({{"m.yaml", text}}).problems)
        lines.push_back(p.line());
    return lines;
}

TEST(Decode, ReadsEveryKindOfMember) {
    const auto d = decode_yaml<Machine>({{"m.yaml",
                                          "scale: 0.25\non: false\ncpus: 8\nspeed: fast\n"
                                          "disks: [{path: /a}, {path: /b, sizeMib: 7}]\n"
                                          "named: {x: {path: /c}}\nlabels: {tier: 1}\n"}});
    ASSERT_TRUE(d.ok()) << d.problems[0].line();
    EXPECT_EQ(
        json::serialize(to_json(d.value)),
        R"({"scale":2.5E-1,"on":false,"cpus":8,"speed":"fast","disks":[{"path":"/a","sizeMib":100},)"
        R"({"path":"/b","sizeMib":7}],"named":{"x":{"path":"/c","sizeMib":100}},"labels":{"tier":"1"}})");
    EXPECT_EQ(d.places.at("disks[1].sizeMib").line, 5);
    EXPECT_EQ(d.places.at("disks[1].sizeMib").column, 41);
}

TEST(Decode, ScalarsAreTypedByWhatIsWantedNotByYaml) {
    EXPECT_THAT(
        problems("cpus: 010"),
        ElementsAre("m.yaml:1:7: cpus: is \"010\", wanted a whole number; write it in decimal "
                    "digits, without quotes"));
    EXPECT_THAT(problems("on: yes"),
                ElementsAre("m.yaml:1:5: on: is \"yes\", wanted true or false; write "
                            "true or false, without quotes"));
    EXPECT_EQ(problems("cpus: \"4\"").size(), 1u);
    EXPECT_EQ(problems("cpus: 0x10").size(), 1u);
    EXPECT_EQ(problems("cpus: 1e1").size(), 1u);
    EXPECT_EQ(problems("cpus: 99999999999999999999").size(), 1u);
    EXPECT_EQ(problems("scale: .nan").size(), 1u);
    EXPECT_EQ(problems("scale: inf").size(), 1u);
    EXPECT_THAT(problems("scale: 1e1"), IsEmpty());
}

TEST(Decode, ChecksOfAnObjectRunOnlyWhenItsFieldsAreSound) {
    EXPECT_THAT(problems("disks: [{path: /}]"),
                ElementsAre("m.yaml:1:16: disks[0].path: is the root; use another"));
    EXPECT_THAT(problems("disks: [{path: /, sizeMib: 0}]"),
                ElementsAre("m.yaml:1:28: disks[0].sizeMib: is 0; use a number from 1 to 1000"));
}

TEST(Decode, AllProblemsAtOnceInFileOrder) {
    EXPECT_THAT(
        problems("speed: fastt\ndisks:\n- sizeMib: 5\n- path: /x\n  szieMib: 3\ncpus: 100\n"),
        ElementsAre("m.yaml:1:8: speed: is \"fastt\"; did you mean fast?",
                    "m.yaml:3:3: disks[0].path: is missing; add it, for example path: /data",
                    "m.yaml:5:3: disks[1].szieMib: unknown key; did you mean sizeMib?",
                    "m.yaml:6:7: cpus: is 100; use a number from 1 to 64"));
}

TEST(Decode, EndlessProblemsAreCut) {
    std::string text = "labels: {a: b}\ndisks:\n";
    for (int i = 0; i < 5000; ++i) text += "- {path: /x, sizeMib: 0}\n";
    const std::vector<std::string> lines = problems(text);
    EXPECT_EQ(lines.size(), 1001u);
    EXPECT_THAT(lines.back(), HasSubstr("only the first 1000 problems"));
}

TEST(Decode, ThrowingFormCarriesTheList) {
    try {
        decode_yaml_or_throw<Machine>({"m.yaml", "cpus: x\non: 1\n"}, "TEST-INVALID");
        FAIL() << "did not throw";
    } catch (const UserError& e) {
        EXPECT_EQ(e.id(), "TEST-INVALID");
        EXPECT_THAT(e.cause(), HasSubstr("m.yaml:1:7: cpus"));
        EXPECT_THAT(e.cause(), HasSubstr("m.yaml:2:5: on"));
    }
}

}  // namespace

}  // namespace slipway::config::test
