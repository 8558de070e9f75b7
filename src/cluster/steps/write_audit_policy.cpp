#include "base/files.hpp"
#include "cluster/kubernetes_config.hpp"
#include "cluster/steps/steps.hpp"

namespace slipway::cluster {

namespace {

// Who did what and when, without what was said: a log of every body would hold every secret.
constexpr std::string_view kMetadata =
    "apiVersion: audit.k8s.io/v1\n"
    "kind: Policy\n"
    "omitStages:\n"
    "- RequestReceived\n"
    "rules:\n"
    "- level: None\n"
    "  nonResourceURLs: [\"/healthz*\", \"/livez*\", \"/readyz*\", \"/version\"]\n"
    "- level: None\n"
    "  users: [\"system:kube-proxy\", \"system:kube-scheduler\"]\n"
    "  verbs: [get, list, watch]\n"
    "- level: Metadata\n";

std::vector<ResourcePtr> resources(const StepInput& in) {
    const std::string& policy = in.spec.kubernetes.audit.policy_file;
    const bool own = !policy.empty() && !in.around.undo;
    const std::string& log = in.spec.kubernetes.audit.log_path;
    return {kept_folder(log.substr(0, log.rfind('/')), 0700),
            file(std::string(kAuditPolicy),
                 {.content = own ? read_file(policy) : std::string(kMetadata), .mode = 0600})};
}

}  // namespace

StepKind write_audit_policy() {
    return {
        .id = "write-audit-policy",
        .title = "Write the audit policy",
        .part = "kubernetes.audit",
        .enabled = [](const config::Spec& spec) { return spec.kubernetes.audit.enabled; },
        .needs = {kAfterPreInstall, "create-users-and-folders"},
        .why_not_skippable = "the API server does not start without it",
        .make = step_of("write-audit-policy", resources),
    };
}

}  // namespace slipway::cluster
