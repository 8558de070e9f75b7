#include "base/files.hpp"
#include "base/testing/source_tree.hpp"
#include "config/load.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace slipway::config {

namespace {

template <class T>
std::vector<T> shuffled(std::vector<T> list) {
    for (std::size_t i = list.size(); i > 1; --i)
        std::swap(list[i - 1], list[*rc::gen::inRange<std::size_t>(0, i)]);
    return list;
}

std::string braces(const std::vector<std::string>& members, char open, char close) {
    return fmt::format("{}{}{}", open, fmt::join(members, ", "), close);
}

struct Item {
    std::string name;
    std::vector<std::string> members;
    std::vector<std::string> roles;
};

// The same cluster, its keys, hosts and sets in whatever order `order` gives them.
std::string write(const std::vector<Item>& hosts, auto order) {
    std::vector<std::string> lines;
    for (const Item& item : order(hosts)) {
        std::vector<std::string> members = item.members;
        members.push_back("roles: " + braces(order(item.roles), '[', ']'));
        lines.push_back(braces(order(members), '{', '}'));
    }
    const std::vector<std::string> os = order(std::vector<std::string>{
        "swapOff: false",
        "extraPorts: " + braces(order(std::vector<std::string>{"1/tcp", "2/udp"}), '[', ']'),
        "extraModules: " + braces(order(std::vector<std::string>{"b", "a"}), '[', ']')});
    const std::vector<std::string> spec =
        order(std::vector<std::string>{"hosts: " + braces(lines, '[', ']'),
                                       "os: " + braces(os, '{', '}'), "limits: {retries: 2}"});
    return braces(
        order(std::vector<std::string>{"apiVersion: slipway.dev/v1", "kind: Cluster",
                                       "metadata: {name: x}", "spec: " + braces(spec, '{', '}')}),
        '{', '}');
}

RC_GTEST_PROP(CanonicalJson, DoesNotDependOnOrderInTheFile, ()) {
    const int count = *rc::gen::inRange(1, 12);
    std::vector<Item> hosts;
    for (int i = 0; i < count; ++i) {
        Item item{fmt::format("n{}", i), {}, {i == 0 ? "control-plane" : "worker", "registry"}};
        item.members = {"name: " + item.name, fmt::format("address: 10.0.0.{}", i + 1),
                        fmt::format("labels: {{z: {}, a: b}}", *rc::gen::inRange(0, 9))};
        hosts.push_back(std::move(item));
    }
    const LoadedSpec plain = load_spec({{"a", write(hosts, [](auto list) { return list; })}});
    const LoadedSpec mixed =
        load_spec({{"b", write(hosts, [](auto list) { return shuffled(std::move(list)); })}});
    RC_ASSERT(plain.ok());
    RC_ASSERT(mixed.ok());
    RC_ASSERT(to_canonical_json(plain.spec) == to_canonical_json(mixed.spec));
}

TEST(CanonicalJson, LoadsBackToTheSameSpec) {
    for (const char* file :
         {"examples/single.yaml", "examples/ha.yaml", "src/config/testdata/full.yaml"}) {
        const LoadedSpec loaded =
            load_spec({{file, read_file(::slipway::testing::source_file(file))}});
        const std::string text = to_canonical_json(loaded.spec);
        const LoadedSpec again = load_spec({{"<stdin>", text}});
        ASSERT_TRUE(again.ok()) << again.problems[0].line() << "\n" << text;
        EXPECT_EQ(to_canonical_json(again.spec), text);
    }
}

TEST(CanonicalJson, ShowsDefaultsAndNoUnsetReferences) {
    const std::string text = to_canonical_json(
        load_spec({{"examples/single.yaml",
                    read_file(::slipway::testing::source_file("examples/single.yaml"))}})
            .spec);
    EXPECT_NE(text.find(R"("port":22,"user":"root")"), std::string::npos) << text;
    EXPECT_NE(text.find(R"("pods":["10.244.0.0/16"])"), std::string::npos);
    EXPECT_NE(text.find(R"("components":[])"), std::string::npos);
    EXPECT_EQ(text.find("password"), std::string::npos) << "unset references are left out";
}

TEST(CanonicalJson, OrderThatMeansSomethingIsKept) {
    const auto pods = [](const std::string& list) {
        return to_canonical_json(
            load_spec({{"a",
                        "apiVersion: slipway.dev/v1\nkind: Cluster\nmetadata: {name: x}\nspec:\n"
                        "  hosts: [{name: a, address: local, roles: [control-plane]}]\n"
                        "  kubernetes: {networks: {pods: " +
                            list + "}}\n"}})
                .spec);
    };
    EXPECT_NE(pods("[10.244.0.0/16, \"fd00::/56\"]"), pods("[\"fd00::/56\", 10.244.0.0/16]"));
}

}  // namespace

}  // namespace slipway::config
