#include "convert/tke_answers.hpp"

#include "base/base64.hpp"

#include <fmt/format.h>

namespace slipway::convert {

namespace {

std::string_view status_of(TkeRun::State state) {
    switch (state) {
        case TkeRun::State::none: return "Unknown";
        case TkeRun::State::running: return "Doing";
        case TkeRun::State::retrying: return "Retrying";
        case TkeRun::State::succeeded: return "Success";
        case TkeRun::State::failed: return "Failed";
    }
    return "Unknown";
}

std::string_view name_of(TkeReason reason) {
    switch (reason) {
        case TkeReason::bad_request: return "BadRequest";
        case TkeReason::invalid: return "Invalid";
        case TkeReason::not_found: return "NotFound";
        case TkeReason::already_exists: return "AlreadyExists";
        case TkeReason::internal_error: return "InternalError";
    }
    return "InternalError";
}

TkeReason reason_of(const Error& error) {
    if (dynamic_cast<const LockedError*>(&error) != nullptr) return TkeReason::already_exists;
    if (dynamic_cast<const UserError*>(&error) != nullptr) return TkeReason::bad_request;
    return TkeReason::internal_error;
}

}  // namespace

json::object tke_progress(const TkeRun& run) {
    json::object out{{"status", status_of(run.state)}, {"data", run.log}};
    if (run.state != TkeRun::State::succeeded) return out;
    out["url"] = run.url;
    const Secret certificate = to_base64(run.ca_certificate);
    out["caCert"] = certificate.reveal();
    // As lines of /etc/hosts, for whoever wants to reach it by name.
    json::array hosts, servers;
    if (!run.domain.empty() && !run.addresses.empty())
        hosts.emplace_back(run.addresses.front() + " " + run.domain);
    for (const std::string& address : run.addresses) servers.emplace_back(address);
    out["hosts"] = std::move(hosts);
    out["servers"] = std::move(servers);
    return out;
}

int tke_code(TkeReason reason) {
    switch (reason) {
        case TkeReason::bad_request: return 400;
        case TkeReason::invalid: return 422;
        case TkeReason::not_found: return 404;
        case TkeReason::already_exists: return 409;
        case TkeReason::internal_error: return 500;
    }
    return 500;
}

json::object tke_status(TkeReason reason, std::string_view message,
                        const std::vector<TkeCause>& causes) {
    json::object out{{"kind", "Status"},    {"apiVersion", "v1"}, {"metadata", json::object{}},
                     {"status", "Failure"}, {"message", message}, {"reason", name_of(reason)}};
    if (!causes.empty()) {
        json::array list;
        for (const TkeCause& cause : causes)
            list.push_back(json::object{
                {"reason", cause.reason}, {"message", cause.message}, {"field", cause.field}});
        out["details"] = json::object{{"causes", std::move(list)}};
    }
    out["code"] = tke_code(reason);
    return out;
}

json::object tke_status(const Error& error) {
    std::string message = error.message();
    if (!error.cause().empty()) message += ": " + error.cause();
    if (!error.remedy().empty()) message += "; " + error.remedy();
    return tke_status(reason_of(error), message, {{.message = error.id(), .reason = error.id()}});
}

json::object tke_status(const std::vector<config::Problem>& problems) {
    std::vector<TkeCause> causes;
    for (const config::Problem& problem : problems) {
        if (problem.severity == config::Severity::error)
            causes.push_back({fmt::format("{}; {}", problem.what, problem.todo), problem.path});
    }
    return tke_status(TkeReason::invalid, fmt::format("the spec has {} problems", causes.size()),
                      causes);
}

}  // namespace slipway::convert
