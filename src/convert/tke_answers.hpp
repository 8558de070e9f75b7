// Answers in the shapes of TKE's installer, for programs that speak to it: the progress of a
// cluster, and Kubernetes' Status for errors. Pure functions; no answer holds a secret.
//
//     tke_progress({.state = TkeRun::State::running, .log = lines});
//     tke_status(TkeReason::not_found, "cluster \"demo\" not found");
#pragma once

#include "base/error.hpp"
#include "base/json.hpp"
#include "config/problem.hpp"

#include <string>
#include <vector>

namespace slipway::convert {

// What is known of the last run of a cluster.
struct TkeRun {
    enum class State { none, running, retrying, succeeded, failed };

    State state = State::none;
    std::string log = {};  // everything so far, a line an event
    // Of a cluster that works.
    std::string url = {};                     // https://10.0.0.100:6443
    std::string domain = {};                  // kubernetes.endpoint.domain
    std::string ca_certificate = {};          // PEM
    std::vector<std::string> addresses = {};  // the endpoint's first, then the control planes'
};

// ClusterProgress: status and data; with success also url, caCert, hosts and servers. username,
// password and kubeconfig are not in it: they are, or hold, secrets.
json::object tke_progress(const TkeRun& run);

enum class TkeReason { bad_request, invalid, not_found, already_exists, internal_error };

int tke_code(TkeReason reason);  // of HTTP

struct TkeCause {
    std::string message = {};
    std::string field = {};  // cluster.spec.machines[0].ip
    std::string reason = "FieldValueInvalid";
};

json::object tke_status(TkeReason reason, std::string_view message,
                        const std::vector<TkeCause>& causes = {});
// By the kind of error; what was refused and what to do about it are in the message.
json::object tke_status(const Error& error);
// Of a spec that is not valid.
json::object tke_status(const std::vector<config::Problem>& problems);

}  // namespace slipway::convert
