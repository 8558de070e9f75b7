// Whether the member of a host answers, which takes a majority of all members.
#pragma once

#include "engine/step.hpp"

#include <string>
#include <vector>

namespace slipway::cluster {

// What etcdctl is asked, wherever it is.
std::vector<std::string> etcd_health_words();

bool etcd_answers(engine::Context& c);
bool etcd_answers(engine::Context& c, const std::string& host);
// Throws RemoteError ETCD-SILENT when it does not in time.
void await_etcd(engine::Context& c, Millis most);

}  // namespace slipway::cluster
