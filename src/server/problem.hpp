// What goes wrong with a request, as application/problem+json (RFC 9457).
//
//     throw Problem(404, "SERVER-NOT-FOUND", "there is no draft 'demo'");
//
// Errors of the project's family become problems with the same id; those of a child process come
// as it said them.
#pragma once

#include "base/error.hpp"
#include "base/json.hpp"
#include "net/http_message.hpp"
#include "net/http_server.hpp"

#include <exception>
#include <string>

namespace slipway::server {

class Problem : public std::exception {
  public:
    Problem(int http_status, std::string error_id, std::string text, ErrorDetails details = {});

    const char* what() const noexcept override { return detail.c_str(); }

    int status;
    std::string id;
    std::string detail;
    std::string cause;
    std::string remedy;
    json::array problems = {};  // of a spec
    net::Headers headers = {};  // Retry-After, Allow
    std::string internal = {};  // for the server's log; never sent
};

Problem problem_of(const Error& error);
// Of {"class", "id", "message", …}: what a child wrote for SLIPWAY_ERRORS=json.
Problem problem_of_child(const json::object& error);

json::object to_json(const Problem& problem);
void answer_problem(net::Response& response, const Problem& problem);
// Of a request that was refused before a route was looked for.
net::Refusal refusal_of(int status);

}  // namespace slipway::server
