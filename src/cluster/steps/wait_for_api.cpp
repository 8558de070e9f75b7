#include "cluster/steps/kubectl.hpp"
#include "cluster/steps/steps.hpp"
#include "cluster/topology.hpp"

namespace slipway::cluster {

namespace {

constexpr std::string_view kAdministrators = R"(apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata:
  name: kubeadm:cluster-admins
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: ClusterRole
  name: cluster-admin
subjects:
- apiGroup: rbac.authorization.k8s.io
  kind: Group
  name: kubeadm:cluster-admins
)";

bool answers(const Kubectl& kubectl) {
    return kubectl.try_run({"get", "--raw", "/readyz"}).exit_code == 0;
}

std::vector<engine::Step> make(const StepInput& in) {
    const std::string host = in.host->name;
    engine::Step step{.id = "wait-for-api", .inputs = "1"};
    step.deadline = std::chrono::minutes(10);
    step.probe = [host](engine::Context& c) {
        engine::Probe answer{.done = answers(Kubectl(c, host))};
        if (!answer.done) answer.changes.push_back({"run", "wait for the API server", ""});
        return answer;
    };
    step.act = [host](engine::Context& c) {
        const Kubectl kubectl(c, host);
        kubectl.wait_until("the API server did not answer", std::chrono::minutes(8),
                           [&] { return answers(kubectl); });
        kubectl.apply(std::string(kAdministrators));
    };
    step.undo = [](engine::Context&) {};
    return {std::move(step)};
}

}  // namespace

StepKind wait_for_api() {
    return {
        .id = "wait-for-api",
        .title = "Wait until the API server answers",
        .part = "kubernetes",
        .needs = {"start-kubelet"},
        .weight = 10,
        .delegable = false,
        .why_not_skippable = "what follows talks to it",
        .make = make,
    };
}

}  // namespace slipway::cluster
