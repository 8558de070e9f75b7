// What can be asked of the program itself.
#include "base/error_catalog.hpp"
#include "base/ip.hpp"
#include "config/schema.hpp"
#include "net/ssh_scan.hpp"
#include "server/exchange.hpp"
#include "server/services.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace slipway::server {

namespace {

void get_schema(Exchange& x) { x.answer(config::json_schema()); }

void get_steps(Exchange& x) { x.answer(x.services.children.run({.words = {"steps"}}).object()); }

// Errors are known here; checks by the command line.
void get_error(Exchange& x) {
    const std::string& id = x.value("id");
    if (const ErrorEntry* entry = find_error(id)) {
        return x.answer(json::object{{"id", entry->id},
                                     {"summary", entry->title},
                                     {"cause", entry->cause},
                                     {"remedy", entry->remedy}});
    }
    const bool is_id = std::ranges::all_of(
        id, [](char c) { return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-'; });
    if (!is_id || id.starts_with('-'))
        throw Problem(404, "SERVER-NOT-FOUND", "there is no error or check of this id");
    const json::object check = x.services.children.run({.words = {"explain", id}}).object();
    x.answer(json::object{{"id", id},
                          {"summary", string_at(check, "question")},
                          {"cause", string_at(check, "why")},
                          {"remedy", "ignore it by its id when you know better"}});
}

// It speaks to machines no spec names: for whoever could name them there.
void post_scan(Exchange& x) {
    const auto network = Network::parse(x.text("network"));
    if (!network || net::size_of(*network) > net::kMostScanned)
        throw Problem(
            422, "SERVER-BAD-REQUEST", "'network' is no network that can be scanned",
            {.cause = fmt::format("at most {} addresses are looked at", net::kMostScanned),
             .remedy = "write it as 10.0.0.0/24, /22 at most (IPv6: /118)"});
    const json::value* asked = x.body().if_contains("port");
    const std::int64_t port = asked == nullptr ? 22 : int_at(x.body(), "port");
    if (port < 1 || port > 65535)
        throw Problem(422, "SERVER-BAD-REQUEST", "'port' is a number from 1 to 65535");
    x.what = "scan of " + network->text();
    answer_job(
        x, {.kind = "scan",
            .call = {.words = {"hosts", "scan", network->text(), fmt::format("--port={}", port)},
                     .deadline = std::chrono::minutes(1)}});
}

}  // namespace

std::vector<Route> program_routes() {
    return {
        {"GET", "/api/v1/schema", Role::viewer, "JSON Schema of a spec", "", "Document",
         get_schema},
        {"GET", "/api/v1/steps", Role::viewer, "The steps there are", "", "Document", get_steps},
        {"GET", "/api/v1/errors/{id}", Role::viewer, "What an error means", "", "ErrorMeaning",
         get_error},
        {"POST", "/api/v1/scan", Role::admin, "Find machines of a network that answer on SSH",
         "ScanRequest", "Job", post_scan, 202},
    };
}

}  // namespace slipway::server
