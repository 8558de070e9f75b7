// The table of routes: the router, who may use what, the OpenAPI document and the tests all work by
// it, so that none of them can forget one.
//
//     {"GET", "/api/v1/specs/{name}", Role::viewer, "A draft", "", "Draft", get_draft},
//
// routes.cpp puts the families together; each lives in its own routes_<family>.cpp.
#pragma once

#include "server/role.hpp"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::server {

class Exchange;

// How what goes wrong is said: as docs/api.md says for all, or as Kubernetes' Status, for programs
// that know the routes of TKE's installer.
enum class ErrorShape { problem, kubernetes };

struct Route {
    std::string_view method;
    std::string_view path;  // {name} stands for one part
    Role role;
    std::string_view summary;
    std::string_view request = "";  // schema of the body; "" none, "bytes" read by the handler
    std::string_view answer = "";   // schema; "" none, or a media type when it is no JSON
    void (*handler)(Exchange&) = nullptr;
    int status = 200;             // of success
    bool recorded = false;        // in the audit log though it changes nothing
    std::string_view query = {};  // names of parameters, comma separated
    ErrorShape errors = ErrorShape::problem;
    bool shown_once = false;  // the answer holds a secret: no Idempotency-Key gets it again
};

using PathValues = std::map<std::string, std::string, std::less<>>;

// Every route there is.
const std::vector<Route>& routes();

struct Match {
    const Route* route = nullptr;  // nullptr: none
    PathValues values = {};
    std::vector<std::string> allowed = {};  // methods of this path, when the method is none of them
};

// HEAD is answered as GET.
Match find_route(std::span<const Route> table, std::string_view method, std::string_view path);

// The families.
std::vector<Route> access_routes();
std::vector<Route> program_routes();
std::vector<Route> cluster_routes();
std::vector<Route> run_routes();
std::vector<Route> spec_routes();
std::vector<Route> job_routes();
std::vector<Route> bundle_routes();
std::vector<Route> convert_routes();
std::vector<Route> tke_routes();

}  // namespace slipway::server
