#include "cluster/kubelet_patches.hpp"

#include "base/files.hpp"
#include "cluster/testing/simulated_cluster.hpp"
#include "store/testing/sample_journal.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::cluster {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class KubeletPatches : public ::testing::Test {
  protected:
    KubeletPatches() { loaded_.spec = testing::cluster_spec(1, 1); }

    std::vector<std::string> problems(const std::string& text) {
        const std::string path = (folder_.path() / "kubelet.yaml").string();
        atomic_write(path, text);
        loaded_.spec.kubernetes.tuning.kubelet.patches = {path};
        std::vector<std::string> out;
        for (const config::Problem& one : check_kubelet_patches(loaded_))
            out.push_back(one.path + ": " + one.what);
        return out;
    }

    store::testing::TemporaryFolder folder_;
    config::LoadedSpec loaded_;
};

TEST_F(KubeletPatches, WhatFitsHasNoProblem) {
    EXPECT_THAT(problems("maxPods: 200\n"), IsEmpty());
    EXPECT_THAT(problems("- {op: replace, path: /maxPods, value: 200}\n"), IsEmpty());
    EXPECT_THAT(problems("- {op: remove, path: /failCgroupV1}\n"), IsEmpty())
        << "whether it is there only the hosts can tell";
}

TEST_F(KubeletPatches, OneThatFitsNotEveryNodeIsNamedBeforeAnythingIsDone) {
    EXPECT_THAT(problems("- {op: remove, path: /maxPodz}\n"),
                ElementsAre(HasSubstr("kubelet.yaml: '/maxPodz' of a JSON patch is not there")));
    // Only control planes have taints.
    EXPECT_THAT(problems("- {op: remove, path: /registerWithTaints/0}\n"),
                ElementsAre(HasSubstr("kubernetes.tuning.kubelet.patches[0]: ")));
}

TEST_F(KubeletPatches, WhatIsNoPatchIsSaidByOthers) { EXPECT_THAT(problems("text\n"), IsEmpty()); }

}  // namespace
}  // namespace slipway::cluster
