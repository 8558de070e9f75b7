#include "base/text.hpp"
#include "cluster/roles.hpp"
#include "cluster/steps/kubectl.hpp"
#include "cluster/steps/steps.hpp"
#include "cluster/topology.hpp"

#include <fmt/format.h>

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

// False as long as nobody listens at the API server's port: to see that costs nothing, kubectl
// costs as much as the server that is starting. True also where this cannot be seen.
bool may_answer(engine::Context& c) {
    const std::string port = fmt::format(":{:04X} ", kApiPort);
    bool seen = false;
    for (const char* path : {"/proc/net/tcp6", "/proc/net/tcp"}) {
        const auto sockets = c.host().read_file(path, c.call());
        if (!sockets) continue;
        seen = true;
        for (const std::string& line : split(sockets->content, '\n')) {
            const bool listens = line.find(" 0A ") != std::string::npos;
            if (listens && line.find(port) != std::string::npos) return true;
        }
    }
    return !seen;
}

std::vector<engine::Step> make(const StepInput& in) {
    const std::string host = in.host->name;
    engine::Step step{.id = "wait-for-api", .inputs = "1"};
    step.deadline = std::chrono::minutes(10);
    step.probe = [host](engine::Context& c) {
        engine::Probe answer{.done = may_answer(c) && answers(Kubectl(c, host))};
        if (!answer.done) answer.changes.push_back({"run", "wait for the API server", ""});
        return answer;
    };
    step.act = [host](engine::Context& c) {
        const Kubectl kubectl(c, host);
        kubectl.wait_until("the API server did not answer", std::chrono::minutes(8),
                           [&] { return may_answer(c) && answers(kubectl); });
        kubectl.apply(std::string(kAdministrators));
    };
    step.verify = [](engine::Context&) {};  // it has just answered
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
