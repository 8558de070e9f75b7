// Names other installers have for what Slipway's steps do: the conditions and steps of TKE, the
// modules of KubeKey. steps.skip and steps.delegate take them, so that a list kept for one of those
// still means something here.
//
//     const StepAlias* alias = find_alias("ensuresysctl");
//     alias->step_ids();   // {"set-sysctls"}; a '*' at the end stands for every step of that name
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::cluster {

struct StepAlias {
    std::string_view of;       // "TKE condition", "TKE installer step", "KubeKey module"
    std::string_view name;     // as that installer spells it
    std::string_view steps;    // ids, separated by spaces; "" when there is nothing to do here
    std::string_view nothing;  // why there is nothing to do; "" when there are steps

    std::vector<std::string> step_ids() const;
};

// In the order in which those installers run them.
std::span<const StepAlias> step_aliases();

// Upper and lower case, spaces, dots and dashes, a leading `Ensure` and the word `Module` make no
// difference. Null when no installer has such a name.
const StepAlias* find_alias(std::string_view name);

// What find_alias() compares.
std::string plain_alias(std::string_view name);

}  // namespace slipway::cluster
