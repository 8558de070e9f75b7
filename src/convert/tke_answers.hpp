// Answers in the shapes of TKE's installer, for programs that speak to it: the progress of a
// cluster, what it was made from, and Kubernetes' Status for errors. Pure functions; no answer
// holds a secret.
//
//     tke_progress({.state = TkeRun::State::running, .log = lines});
//     tke_status(TkeReason::not_found, "cluster \"demo\" not found");
#pragma once

#include "base/json.hpp"
#include "convert/convert.hpp"

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

// What went wrong, by Kubernetes' names.
enum class TkeReason {
    bad_request,
    unauthorized,
    forbidden,
    not_found,
    already_exists,
    conflict,
    invalid,
    too_many_requests,
    internal_error,
    unavailable
};

int tke_code(TkeReason reason);  // of HTTP

struct TkeCause {
    std::string message = {};
    std::string field = {};  // cluster.spec.machines[0].ip
    std::string reason = "FieldValueInvalid";
};

json::object tke_status(TkeReason reason, std::string_view message,
                        const std::vector<TkeCause>& causes = {});

// {cluster, Config}: of what was sent, only what the spec has (so that no secret can be in it), and
// what the spec made of the rest: its name, version and networks. `effective` is the spec as JSON,
// defaults included.
json::object tke_para(const json::object& sent, const Conversion& conversion,
                      const json::object& effective);

}  // namespace slipway::convert
