#include "cluster/steps/kubectl.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "cluster/steps/waiting.hpp"

#include <fmt/format.h>

namespace slipway::cluster {

std::string last_words(const remote::CommandResult& result) {
    constexpr std::size_t kMost = 1200;
    const std::string said(trim(result.err.empty() ? result.out : result.err));
    return printable(said.substr(said.size() > kMost ? said.size() - kMost : 0));
}

bool is_transient(const std::string& said) {
    for (const char* sign :
         {"connection refused", "i/o timeout", "EOF", "TLS handshake timeout", "etcdserver",
          "ServiceUnavailable", "InternalError", "timed out", "the server is currently unable",
          "connection reset", "net/http: request canceled", "not yet ready",
          "ensure CRDs are installed first"}) {
        if (said.find(sign) != std::string::npos) return true;
    }
    return false;
}

remote::CommandResult run_if_there(remote::Host& host, const remote::Command& command,
                                   const remote::CallOptions& call) {
    try {
        return host.run(command, call);
    } catch (const RemoteError& error) {
        if (error.id() != "HOST-FILE") throw;
        return {.exit_code = 127, .out = "", .err = error.message()};
    }
}

remote::CommandResult Kubectl::try_run(std::vector<std::string> words,
                                       const std::string& input) const {
    std::vector<std::string> argv = {"/usr/local/bin/kubectl", "--kubeconfig",
                                     "/etc/kubernetes/super-admin.conf", "--request-timeout=20s",
                                     "--cache-dir=/var/lib/slipway/kubectl"};
    argv.insert(argv.end(), words.begin(), words.end());
    return run_if_there(context_.host(control_plane_), {.argv = std::move(argv), .input = input},
                        context_.call());
}

std::string Kubectl::run(std::vector<std::string> words, const std::string& input) const {
    const std::string command = join(words, " ");
    const remote::CommandResult result = try_run(std::move(words), input);
    if (result.exit_code == 0) return result.out;
    const std::string said = last_words(result);
    throw ApiError("API-FAILED", fmt::format("'kubectl {}' failed on {}", command, control_plane_),
                   {.cause = said,
                    .remedy = "see `slipway logs`; solve what the API server reports, then resume",
                    .recovery = is_transient(said) ? Recovery::transient : Recovery::fatal});
}

void Kubectl::apply(const std::string& manifest) const {
    // The API server refuses fields it does not know by itself. kubectl would first get and read
    // its whole schema, which costs several times as much as all the rest.
    run({"apply", "--server-side", "--validate=false", "--force-conflicts", "--field-manager",
         "slipway", "-f", "-"},
        manifest);
}

void Kubectl::wait_until(const std::string& what, Millis most,
                         const std::function<bool()>& holds) const {
    if (cluster::wait_until(context_, most, holds)) return;
    throw ApiError("API-WAIT", fmt::format("{} within {} s", what, most.count() / 1000),
                   {.cause = "the cluster did not get there in time",
                    .remedy = "see `kubectl get pods -A -o wide` on a control plane, and "
                              "journalctl -u kubelet; then resume"});
}

}  // namespace slipway::cluster
