#include "cluster/steps/kubeadm.hpp"

#include <gtest/gtest.h>

namespace slipway::cluster {
namespace {

TEST(Kubeadm, TokensAreNotInItsLog) {
    EXPECT_EQ(without_tokens("[bootstrap-token] Using token: owdopn.uvxdycfsnv8b1js2"),
              "[bootstrap-token] Using token: (hidden)");
    EXPECT_EQ(without_tokens("--token abcdef.0123456789abcdef --x abcdef.0123456789abcdef"),
              "--token (hidden) --x (hidden)");
}

TEST(Kubeadm, EverythingElseIs) {
    for (const char* line : {"", ".", "abcdef.", "abcdef", "kubelet version 1.34.11, image:v1.12.1",
                             "abcdef.0123456789abcde", "abcdef.0123456789abcdef0",
                             "xabcdef.0123456789abcdef", "[kubelet] ConfigMap \"kubelet-config\""})
        EXPECT_EQ(without_tokens(line), line);
}

}  // namespace
}  // namespace slipway::cluster
