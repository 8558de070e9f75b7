#include "cluster/steps/rollout.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <charconv>
#include <vector>

namespace slipway::cluster {

namespace {

// "True", "False" or "Unknown", one a node.
std::vector<std::string> ready_conditions(const Kubectl& kubectl) {
    const remote::CommandResult seen = kubectl.try_run(
        {"get", "nodes", "-o",
         R"(jsonpath={range .items[*]}{.status.conditions[?(@.type=="Ready")].status}{"\n"}{end})"});
    if (seen.exit_code != 0) return {};
    return split(trim(seen.out), '\n');
}

std::size_t number_in(const std::string& word) {
    std::size_t out = 0;  // "" for none
    std::from_chars(word.data(), word.data() + word.size(), out);
    return out;
}

}  // namespace

std::size_t nodes_not_ready(const Kubectl& kubectl) {
    const std::vector<std::string> all = ready_conditions(kubectl);
    return all.size() - static_cast<std::size_t>(std::ranges::count(all, "True"));
}

std::size_t nodes_silent(const Kubectl& kubectl) {
    return static_cast<std::size_t>(std::ranges::count(ready_conditions(kubectl), "Unknown"));
}

bool daemon_set_is_out(const Kubectl& kubectl, const std::string& space, const std::string& name,
                       std::size_t away) {
    const std::string numbers =
        "jsonpath={.metadata.generation} {.status.observedGeneration} "
        "{.status.desiredNumberScheduled} {.status.updatedNumberScheduled} "
        "{.status.numberAvailable}";
    const remote::CommandResult seen =
        kubectl.try_run({"get", "daemonset", name, "-n", space, "-o", numbers});
    const std::vector<std::string> words = split(seen.out, ' ');
    if (seen.exit_code != 0 || words.size() != 5 || words[0] != words[1]) return false;
    const std::size_t wanted = number_in(words[2]);
    const std::size_t enough = wanted - std::min(wanted, away);
    return number_in(words[3]) >= enough && number_in(words[4]) >= enough;
}

}  // namespace slipway::cluster
