// What can be asked of the program itself.
#include "base/error_catalog.hpp"
#include "config/schema.hpp"
#include "server/exchange.hpp"
#include "server/services.hpp"

#include <algorithm>

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

}  // namespace

std::vector<Route> program_routes() {
    return {
        {"GET", "/api/v1/schema", Role::viewer, "JSON Schema of a spec", "", "Document",
         get_schema},
        {"GET", "/api/v1/steps", Role::viewer, "The steps there are", "", "Document", get_steps},
        {"GET", "/api/v1/errors/{id}", Role::viewer, "What an error means", "", "ErrorMeaning",
         get_error},
    };
}

}  // namespace slipway::server
