#include "cluster/steps/helm.hpp"

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/text.hpp"

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

constexpr auto kMost = std::chrono::minutes(10);

[[noreturn]] void failed(const std::string& what, const std::string& name,
                         const remote::CommandResult& result) {
    const std::string said = last_words(result);
    // Pods that did not start in all that time will not in a second one.
    const bool again =
        is_transient(said) && said.find("waiting for the condition") == std::string::npos;
    throw RemoteError(
        "COMPONENT-FAILED", fmt::format("{} {} failed", what, name),
        {.cause = said.empty() ? "helm said nothing" : said,
         .remedy = "see `kubectl get pods -A` and `helm history`; correct the values, then resume",
         .recovery = again ? Recovery::transient : Recovery::fatal});
}

}  // namespace

remote::CommandResult Helm::try_run(std::vector<std::string> words, std::string input,
                                    Millis deadline) const {
    std::vector<std::string> argv = {"/usr/local/bin/helm"};
    argv.insert(argv.end(), words.begin(), words.end());
    argv.insert(argv.end(), {"--kubeconfig", "/etc/kubernetes/super-admin.conf"});
    const std::string folder(kHelmFolder);
    return run_if_there(context_.host(control_plane_),
                        {.argv = std::move(argv),
                         .env = {{"HOME", folder},
                                 {"HELM_CACHE_HOME", folder + "/cache"},
                                 {"HELM_CONFIG_HOME", folder + "/config"},
                                 {"HELM_DATA_HOME", folder + "/data"},
                                 {"KUBECACHEDIR", folder + "/kube"}},
                         .input = std::move(input),
                         .deadline = deadline},
                        context_.call());
}

bool Helm::is_deployed(const std::string& name, const std::string& space) const {
    const remote::CommandResult said =
        try_run({"status", name, "--namespace", space, "-o", "json"}, "", std::chrono::minutes(1));
    if (said.exit_code != 0) return false;
    const json::value release = parse_json(said.out, "what helm says");
    const json::value* info =
        release.is_object() ? release.as_object().if_contains("info") : nullptr;
    return info != nullptr && info->is_object() &&
           string_at(info->as_object(), "status") == "deployed";
}

// A helm that was cut off leaves a note that it is at work, and no other would begin. What it has
// made carries the release's name and is taken over.
void Helm::forget_cut_off(const std::string& name, const std::string& space) const {
    Kubectl(context_, control_plane_)
        .run({"delete", "secret", "-n", space, "-l",
              fmt::format("owner=helm,name={},status in (pending-install,pending-upgrade,"
                          "pending-rollback)",
                          name)});
}

void Helm::install(const Release& release) const {
    forget_cut_off(release.name, release.space);
    std::vector<std::string> words = {"upgrade",
                                      "--install",
                                      release.name,
                                      release.chart,
                                      "--namespace",
                                      release.space,
                                      "--create-namespace",
                                      "--timeout",
                                      "9m",
                                      "-f",
                                      "-"};
    if (release.wait) words.insert(words.end(), {"--atomic", "--wait"});
    const remote::CommandResult result = try_run(std::move(words), release.values, kMost);
    if (result.exit_code != 0) failed("installing the chart of", release.name, result);
}

void Helm::uninstall(const std::string& name, const std::string& space) const {
    const remote::CommandResult result =
        try_run({"uninstall", name, "--namespace", space, "--ignore-not-found", "--wait",
                 "--timeout", "3m"},
                "", std::chrono::minutes(4));
    if (result.exit_code != 0) failed("removing the chart of", name, result);
}

}  // namespace slipway::cluster
