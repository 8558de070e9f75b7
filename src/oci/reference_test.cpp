#include "oci/reference.hpp"

#include "base/error.hpp"

#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace slipway::oci {
namespace {

const std::string kSha = "sha256:" + std::string(64, 'a');

TEST(Reference, FillsInWhatWasLeftOut) {
    const std::vector<std::pair<std::string, std::string>> cases = {
        {"nginx", "docker.io/library/nginx:latest"},
        {"nginx:1.27", "docker.io/library/nginx:1.27"},
        {"bench/img01:v1", "docker.io/bench/img01:v1"},
        {"index.docker.io/library/nginx", "docker.io/library/nginx:latest"},
        {"docker.io/nginx", "docker.io/library/nginx:latest"},
        {"registry.k8s.io/pause:3.9", "registry.k8s.io/pause:3.9"},
        {"localhost/a", "localhost/a:latest"},
        {"localhost:5000/a/b__c/d--e:V_1.x", "localhost:5000/a/b__c/d--e:V_1.x"},
        {"[fd00::1]:5000/a", "[fd00::1]:5000/a:latest"},
        {"Registry/a", "Registry/a:latest"},
        {"quay.io/a/b@" + kSha, "quay.io/a/b@" + kSha},
        {"quay.io/a/b:t@" + kSha, "quay.io/a/b:t@" + kSha},
    };
    for (const auto& [text, full] : cases) {
        EXPECT_EQ(Reference::parse(text).str(), full) << text;
        EXPECT_EQ(Reference::parse(full).str(), full);
    }
}

TEST(Reference, RefusesWhatNoRegistryWouldTake) {
    const std::vector<std::string> cases = {
        "",
        ":tag",
        "@" + kSha,
        "a/",
        "/a",
        "a//b",
        "a/../b",
        "-a",
        "a-",
        "a___b",
        "a..b",
        "A",
        "docker.io/A",
        "a:",
        "a:-x",
        "a:x y",
        "a@sha256:1",
        "a@" + kSha + "0",
        "a b",
        "a\nb",
        "host.:1/a",
        "h.x:/a",
        "h.x:123456/a",
        "h.x:1a/a",
        "[::1/a",
        "[::g]/a",
        "[::1]x/a",
        "-h.x/a",
        "h..x/a",
        "a:" + std::string(129, 't'),
        "a.b/" + std::string(252, 'a'),
        "../etc/passwd",
        "http://a.b/c",
    };
    for (const std::string& text : cases) {
        try {
            ADD_FAILURE() << "'" << text << "' became " << Reference::parse(text).str();
        } catch (const UserError& e) {
            EXPECT_EQ(e.id(), "REFERENCE-INVALID");
        }
    }
}

}  // namespace
}  // namespace slipway::oci
