#include "config/init.hpp"

#include "base/error.hpp"
#include "config/csv.hpp"
#include "config/load.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::config {

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

Spec loaded(const InitRequest& request) {
    const LoadedSpec spec = load_spec({{"init.yaml", render_spec(request)}});
    EXPECT_TRUE(spec.ok());
    return spec.spec;
}

std::string problems(const InitRequest& request) {
    try {
        return "made: " + render_spec(request);
    } catch (const UserError& e) {
        EXPECT_EQ(e.id(), "INIT-INVALID");
        return e.cause();
    }
}

TEST(Init, WritesASmallSpecThatLoads) {
    EXPECT_EQ(
        render_spec({.name = "demo",
                     .hosts = {"cp1=10.0.0.11:control-plane,worker", "w1=ops@10.0.0.21:worker"}}),
        "# Every other field has a default: `slipway explain` shows them.\n"
        "apiVersion: slipway.dev/v1\n"
        "kind: Cluster\n"
        "metadata:\n"
        "  name: demo\n"
        "spec:\n"
        "  hosts:\n"
        "  - {name: cp1, address: 10.0.0.11, roles: [control-plane, worker]}\n"
        "  - {name: w1, address: 10.0.0.21, user: ops, roles: [worker]}\n");
}

TEST(Init, ReadsEveryFormOfAHost) {
    const Spec spec =
        loaded({.name = "x",
                .hosts = {"a=[fd00::1]:control-plane", "b=ops@[fd00::2]", "c=c.example.org:worker",
                          "d=local", "null=10.0.0.5", "on=yes"}});
    EXPECT_EQ(spec.hosts[0].address, "fd00::1");
    EXPECT_EQ(spec.hosts[1].user, "ops");
    EXPECT_THAT(spec.hosts[1].roles, ElementsAre(Role::worker));
    EXPECT_EQ(spec.hosts[2].address, "c.example.org");
    EXPECT_EQ(spec.hosts[4].name, "null");
    EXPECT_EQ(spec.hosts[5].address, "yes");
}

TEST(Init, ChoosesRolesThatAreLeftOut) {
    EXPECT_THAT(loaded({.name = "x", .hosts = {"a=10.0.0.1"}}).hosts[0].roles,
                ElementsAre(Role::control_plane, Role::worker));
    const Spec two = loaded({.name = "x", .hosts = {"a=10.0.0.1", "b=10.0.0.2"}});
    EXPECT_THAT(two.hosts[0].roles, ElementsAre(Role::control_plane));
    EXPECT_THAT(two.hosts[1].roles, ElementsAre(Role::worker));
    const Spec led = loaded({.name = "x", .hosts = {"a=10.0.0.1", "b=10.0.0.2:control-plane"}});
    EXPECT_THAT(led.hosts[0].roles, ElementsAre(Role::worker));
}

TEST(Init, HintsAtTheEndpointForSeveralControlPlanes) {
    const std::string yaml =
        render_spec({.name = "x",
                     .hosts = {"a=10.0.0.1:control-plane", "b=10.0.0.2:control-plane",
                               "c=10.0.0.3:control-plane"}});
    EXPECT_THAT(yaml, HasSubstr("#   endpoint: {kind: kube-vip, address: ADDRESS}"));
    EXPECT_LE(std::ranges::count(yaml, '\n'), 15);
}

TEST(Init, ReadsACsvAsSpreadsheetsWriteIt) {
    const std::string csv =
        "\xef\xbb\xbfName,address,port,user,roles,labels,bastion,arch\r\n"
        "gate,203.0.113.5,22,root,control-plane,,,\r\n"
        "\r\n"
        "w1,10.0.0.21,2222,ops,worker;registry,\"disk=ssd; rack=\"\"r1\"\"\",gate,arm64\r\n";
    try {
        render_spec({.name = "x", .csv = Source{"hosts.csv", csv}});
        FAIL();
    } catch (const UserError& e) {
        EXPECT_THAT(e.cause(),
                    HasSubstr("hosts.csv:4: labels.rack: \"\"r1\"\" is not a label value"));
    }
    const std::string good =
        csv.substr(0, csv.find("\"disk")) + "\"disk=ssd; rack=r1\",gate,arm64\r\n";
    const Spec spec = loaded({.name = "x", .csv = Source{"hosts.csv", good}});
    const Host& w1 = spec.hosts.at(1);
    EXPECT_EQ(w1.port, 2222);
    EXPECT_THAT(w1.roles, ElementsAre(Role::worker, Role::registry));
    EXPECT_EQ(w1.labels, (StringMap{{"disk", "ssd"}, {"rack", "r1"}}));
    EXPECT_EQ(w1.bastion, "gate");
    EXPECT_EQ(w1.arch, "arm64");
}

TEST(Init, TellsEveryProblemInTheUsersTerms) {
    EXPECT_EQ(
        problems({.name = "x",
                  .hosts = {"a", "=10.0.0.1", "b=", "c=fd00::1:worker", "d=[::1",
                            "e=10.0.0.1:", "f=@h"}}),
        "--host \"a\": has no '='; write NAME=[USER@]ADDRESS[:ROLE,ROLE]\n"
        "--host \"b=\": has no address; write NAME=[USER@]ADDRESS[:ROLE,ROLE]\n"
        "--host \"c=fd00::1:worker\": has an IPv6 address without brackets; write "
        "NAME=[USER@]ADDRESS[:ROLE,ROLE]\n"
        "--host \"d=[::1\": has no ']'; write NAME=[USER@]ADDRESS[:ROLE,ROLE]\n"
        "--host \"e=10.0.0.1:\": has no role after ':'; write NAME=[USER@]ADDRESS[:ROLE,ROLE]\n"
        "--host \"f=@h\": has no user before '@'; write NAME=[USER@]ADDRESS[:ROLE,ROLE]");
    EXPECT_EQ(problems({.name = "-x", .hosts = {"A=10.0.0.1:control-plane", "b=10.0.0.1:wroker"}}),
              "metadata.name: \"-x\" begins with '-'; begin it with a letter or a digit\n"
              "--host \"A=10.0.0.1:control-plane\": name: \"A\" is not a name; use up to 63 of "
              "a-z, 0-9 and '-', a "
              "letter or digit at both ends\n"
              "--host \"b=10.0.0.1:wroker\": address: \"10.0.0.1\" is already the address of "
              "\"A\"; give each host an "
              "address of its own\n"
              "--host \"b=10.0.0.1:wroker\": roles[0]: is \"wroker\"; did you mean worker?");
    EXPECT_THAT(problems({.name = "x"}), HasSubstr("no host was given"));
}

TEST(Init, TellsWhatIsWrongWithACsv) {
    const auto csv = [](const std::string& text) {
        return problems({.name = "x", .csv = Source{"h.csv", text}});
    };
    EXPECT_THAT(csv(""), HasSubstr("h.csv: is empty"));
    EXPECT_THAT(csv("name,adress\n"),
                HasSubstr("h.csv:1: unknown column \"adress\"; did you mean address?"));
    EXPECT_THAT(csv("name\na\n"), HasSubstr("h.csv:1: no column address"));
    EXPECT_THAT(csv("name,address,name\n"), HasSubstr("h.csv:1: column name is there twice"));
    EXPECT_THAT(csv("name,address\na,10.0.0.1,x\n"),
                HasSubstr("h.csv:2: has 3 cells for 2 columns"));
    EXPECT_THAT(csv("name,address\n\n\"a,10.0.0.1\n"),
                HasSubstr("h.csv:3: a quote is never closed"));
    EXPECT_THAT(csv("name,address,port\na,10.0.0.1,ssh\n"),
                HasSubstr("h.csv:2: port: is \"ssh\", wanted a whole number"));
    EXPECT_THAT(csv("name,address,labels\na,10.0.0.1,x\n"),
                HasSubstr("h.csv:2: label \"x\" has no '='"));
    EXPECT_THAT(csv("name,address\na,\n"), HasSubstr("h.csv:2: address: \"\" is neither"));
    EXPECT_THAT(csv("name,address\n"), HasSubstr("no host was given"));
}

TEST(Csv, CellsMayHoldCommasQuotesAndLineBreaks) {
    int open_quote = 0;
    const auto rows = parse_csv("a,\"b,\"\"c\"\"\nd\",e\nf", open_quote);
    ASSERT_TRUE(rows);
    ASSERT_EQ(rows->size(), 2u);
    EXPECT_THAT((*rows)[0].cells, ElementsAre("a", "b,\"c\"\nd", "e"));
    EXPECT_EQ((*rows)[1].line, 3);
}

}  // namespace

}  // namespace slipway::config
