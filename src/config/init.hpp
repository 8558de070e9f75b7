// `slipway init`: a small, valid spec from hosts named on the command line or in a CSV file.
//
//     std::string yaml = render_spec({.name = "demo", .hosts =
//     {"cp1=10.0.0.11:control-plane,worker"}});
//
// A host argument is NAME=[USER@]ADDRESS[:ROLE,ROLE…]; an IPv6 address stands in brackets. CSV has
// a heading row with any of name,address,port,user,roles,labels,bastion,arch; roles and labels
// (k=v) are separated by ';'.
//
// Hosts without roles become workers. If no host is a control plane, the first one without roles
// becomes one, and a worker as well when it is the only host.
#pragma once

#include "config/problem.hpp"

#include <optional>
#include <string>
#include <vector>

namespace slipway::config {

struct InitRequest {
    std::string name;
    std::vector<std::string> hosts = {};  // arguments as above
    std::optional<Source> csv = {};
};

// Throws UserError INIT-INVALID whose cause lists every problem, one a line.
std::string render_spec(const InitRequest& request);

}  // namespace slipway::config
