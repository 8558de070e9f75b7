#include "cli/problem_json.hpp"

#include "cli/exit_code.hpp"

namespace slipway::cli {

namespace {

std::string_view class_of(const std::exception& error) {
    if (dynamic_cast<const LockedError*>(&error) != nullptr) return "locked";
    if (dynamic_cast<const VerificationError*>(&error) != nullptr) return "verification";
    if (dynamic_cast<const UsageError*>(&error) != nullptr) return "usage";
    if (dynamic_cast<const UserError*>(&error) != nullptr) return "user";
    if (dynamic_cast<const HostError*>(&error) != nullptr) return "host";
    if (dynamic_cast<const RemoteError*>(&error) != nullptr) return "remote";
    if (dynamic_cast<const ApiError*>(&error) != nullptr) return "api";
    if (dynamic_cast<const StateError*>(&error) != nullptr) return "state";
    return dynamic_cast<const Cancelled*>(&error) != nullptr ? "cancelled" : "other";
}

}  // namespace

json::object problem_json(const config::Problem& problem) {
    return {{"id", problem.id},
            {"severity", problem.severity == config::Severity::error ? "error" : "notice"},
            {"file", problem.where.file},
            {"line", problem.where.line},
            {"column", problem.where.column},
            {"path", problem.path},
            {"what", problem.what},
            {"todo", problem.todo}};
}

json::object error_json(const std::exception& error) {
    json::object out = {{"class", class_of(error)}};
    if (const auto* known = dynamic_cast<const Error*>(&error)) {
        out["id"] = known->id();
        out["message"] = known->message();
        if (!known->cause().empty()) out["cause"] = known->cause();
        if (!known->remedy().empty()) out["remedy"] = known->remedy();
    } else {
        out["message"] = error.what();
    }
    if (const auto* invalid = dynamic_cast<const SpecInvalid*>(&error)) {
        json::array problems;
        for (const config::Problem& problem : invalid->problems())
            problems.push_back(problem_json(problem));
        out["problems"] = std::move(problems);
    }
    return {{"error", std::move(out)}};
}

}  // namespace slipway::cli
