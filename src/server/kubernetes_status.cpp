#include "server/kubernetes_status.hpp"

#include "base/text.hpp"
#include "convert/tke_answers.hpp"

namespace slipway::server {

namespace {

using convert::TkeReason;

TkeReason reason_of(const Problem& problem) {
    // Whoever sends a cluster hears of a bad host as of a bad field.
    if (problem.id == "SERVER-CHECKS-FAILED") return TkeReason::invalid;
    if (problem.id == "SERVER-CLUSTER-EXISTS") return TkeReason::already_exists;
    switch (problem.status) {
        case 401: return TkeReason::unauthorized;
        case 403: return TkeReason::forbidden;
        case 404: return TkeReason::not_found;
        case 409: return TkeReason::conflict;
        case 422: return TkeReason::invalid;
        case 429: return TkeReason::too_many_requests;
        case 503: return TkeReason::unavailable;
        default: return problem.status < 500 ? TkeReason::bad_request : TkeReason::internal_error;
    }
}

std::string message_of(const Problem& problem) {
    std::string out = problem.detail;
    if (!problem.cause.empty()) out += ": " + problem.cause;
    if (!problem.remedy.empty()) out += "; " + problem.remedy;
    return printable(out, true);
}

std::vector<convert::TkeCause> causes_of(const Problem& problem) {
    std::vector<convert::TkeCause> out;
    for (const json::value& item : problem.problems) {
        if (!item.is_object() || string_at(item.get_object(), "severity") == "notice") continue;
        std::string message = string_at(item.get_object(), "what");
        if (const std::string todo = string_at(item.get_object(), "todo"); !todo.empty())
            message += "; " + todo;
        out.push_back({.message = printable(message, true),
                       .field = printable(string_at(item.get_object(), "path"))});
    }
    out.push_back({.message = problem.id, .reason = problem.id});
    return out;
}

}  // namespace

void answer_status(net::Response& response, const Problem& problem) {
    const TkeReason reason = reason_of(problem);
    response.status = convert::tke_code(reason);
    response.headers.set("Content-Type", "application/json");
    for (const auto& [name, value] : problem.headers) response.headers.set(name, value);
    response.body =
        json::serialize(convert::tke_status(reason, message_of(problem), causes_of(problem)));
    response.error = problem.internal;
}

}  // namespace slipway::server
