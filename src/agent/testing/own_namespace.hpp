// A part of the system for this process alone, for tests that change it. Root or not.
#pragma once

namespace slipway::agent {

// `flags` as for unshare(2): CLONE_NEWNS, CLONE_NEWNET. To be called in a child of the test, before
// it has threads. False when the system allows it to nobody.
bool enter_own_namespace(int flags);

}  // namespace slipway::agent
