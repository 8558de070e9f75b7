// One cluster's kubeconfig into a file that has others.
//
//     atomic_write(file, merge_kubeconfig(read_file(file), file, ours, "demo", Current::keep),
//     0600);
#pragma once

#include <string>
#include <string_view>

namespace slipway::kube {

enum class Current { keep, switch_to };

// `ours`, of one cluster, under the name `as`: its context and cluster are called that, its user
// `as`-admin, so that two clusters' administrators do not replace each other. Entries of these
// names are replaced; all others stay as they are, without their comments, as kubectl itself does
// it. The current context stays unless there is none. Throws UserError KUBECONFIG-INVALID.
std::string merge_kubeconfig(std::string_view existing, const std::string& name,
                             std::string_view ours, const std::string& as, Current current);

}  // namespace slipway::kube
