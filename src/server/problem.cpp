#include "server/problem.hpp"

#include "base/error_catalog.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <array>

namespace slipway::server {

namespace {

// What is asked for is not there.
constexpr std::array kMissing = {"CLUSTER-UNKNOWN", "CLUSTER-NONE",      "CLUSTER-BAD-NAME",
                                 "RUN-UNKNOWN",     "RUN-NONE",          "KUBECONFIG-NONE",
                                 "STATE-MISSING",   "EXPLAIN-UNKNOWN-ID"};
// It is there, and in a state that does not allow what was asked.
constexpr std::array kConflict = {"RUN-NOT-ALIVE", "RUN-COMPLETE", "RETRY-NOTHING",
                                  "RUN-OTHER-SPEC"};

int status_of(std::string_view id, std::string_view kind) {
    if (std::ranges::find(kMissing, id) != kMissing.end()) return 404;
    if (std::ranges::find(kConflict, id) != kConflict.end()) return 409;
    if (kind == "locked" || kind == "verification") return 409;
    if (kind == "user" || kind == "usage") return 422;
    if (kind == "host" || kind == "remote" || kind == "api") return 502;
    return 500;
}

std::string_view kind_of(const Error& error) {
    if (dynamic_cast<const LockedError*>(&error) != nullptr) return "locked";
    if (dynamic_cast<const UserError*>(&error) != nullptr) return "user";
    if (dynamic_cast<const StateError*>(&error) != nullptr) return "state";
    return "host";
}

}  // namespace

Problem::Problem(int http_status, std::string error_id, std::string text, ErrorDetails details)
    : status(http_status),
      id(std::move(error_id)),
      detail(std::move(text)),
      cause(std::move(details.cause)),
      remedy(std::move(details.remedy)) {}

Problem problem_of(const Error& error) {
    return {status_of(error.id(), kind_of(error)),
            error.id(),
            error.message(),
            {.cause = error.cause(), .remedy = error.remedy()}};
}

Problem problem_of_child(const json::object& error) {
    const std::string id = string_at(error, "id", "SERVER-CHILD");
    Problem out(status_of(id, string_at(error, "class")), id, string_at(error, "message"),
                {.cause = string_at(error, "cause"), .remedy = string_at(error, "remedy")});
    const json::value* problems = error.if_contains("problems");
    if (problems != nullptr && problems->is_array()) out.problems = problems->get_array();
    return out;
}

json::object to_json(const Problem& problem) {
    const ErrorEntry* entry = find_error(problem.id);
    json::object out = {
        {"type", "/docs/errors#" + problem.id},
        {"title", entry == nullptr ? net::reason_phrase(problem.status) : entry->title},
        {"status", problem.status},
        {"detail", printable(problem.detail, true)},
        {"id", problem.id}};
    if (!problem.cause.empty()) out["cause"] = printable(problem.cause, true);
    if (!problem.remedy.empty()) out["remedy"] = printable(problem.remedy, true);
    if (!problem.problems.empty()) out["problems"] = problem.problems;
    return out;
}

void answer_problem(net::Response& response, const Problem& problem) {
    response.status = problem.status;
    response.headers.set("Content-Type", "application/problem+json");
    for (const auto& [name, value] : problem.headers) response.headers.set(name, value);
    response.body = json::serialize(to_json(problem));
    response.error = problem.internal;
}

net::Refusal refusal_of(int status) {
    const bool large = status == 413 || status == 414 || status == 431;
    const char* id = large           ? "SERVER-TOO-LARGE"
                     : status == 500 ? "SERVER-FAILED"
                                     : "SERVER-BAD-REQUEST";
    return {
        .content_type = "application/problem+json",
        .body = json::serialize(to_json({status, id, std::string(net::reason_phrase(status))}))};
}

}  // namespace slipway::server
