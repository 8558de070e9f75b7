// One request on its way through the server, as a handler of a route sees it.
//
//     void delete_draft(Exchange& x) {
//         x.services.drafts.remove(x.value("name"));
//         x.answer_nothing();
//     }
#pragma once

#include "base/json.hpp"
#include "base/secret.hpp"
#include "net/http_message.hpp"
#include "server/problem.hpp"
#include "server/role.hpp"
#include "server/route.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::server {

struct Services;

// Who asks.
struct Principal {
    std::string name = {};  // "admin", "token ci"
    Role role = Role::anyone;
    std::string session_id = {};  // "" for a token
    std::string token_id = {};    // "" for a session
};

class Exchange {
  public:
    Exchange(Services& all, net::Request& asked, net::Response& answered, const Route& matched,
             PathValues path_values)
        : services(all),
          request(asked),
          response(answered),
          route(matched),
          values_(std::move(path_values)) {}

    ~Exchange() {
        if (raw_) wipe(*raw_);  // it may have held a password
    }
    Exchange(const Exchange&) = delete;
    Exchange& operator=(const Exchange&) = delete;

    Services& services;
    net::Request& request;
    net::Response& response;
    const Route& route;
    Principal who = {};
    std::string what = {};  // for the audit log

    const std::string& value(std::string_view name) const;          // of the path
    std::string parameter(std::string_view name) const;             // of the query, "" when absent
    std::int64_t number(std::string_view name, std::int64_t usual,  // of the query
                        std::int64_t most) const;
    bool accepts(std::string_view media_type) const;

    // The body. Throws Problem 400 for what is no JSON object and 415 for another type.
    const json::object& body();
    const std::string& raw_body();
    std::string text(std::string_view key);  // must be there
    std::string text_or(std::string_view key, std::string_view usual);
    std::vector<std::string> texts(std::string_view key);  // may be absent

    void answer(const json::value& value, int status = 0);  // 0: the route's
    void answer_nothing() { response.status = 204; }
    void answer_text(std::string text, std::string_view type);

  private:
    PathValues values_;
    std::optional<std::string> raw_;
    std::optional<json::object> body_;
};

// {items, next?} of one page. `next` says where the following one begins.
json::object page_of(json::array items, const std::string& next);

inline constexpr std::int64_t kUsualPage = 100, kMostPage = 1000;

struct JobRequest;

// Starts it: 202 with the job as it is, and where to look for it.
void answer_job(Exchange& x, JobRequest request);

// A page of a list that is all in memory; `page` is the number of items before it.
void answer_list(Exchange& x, json::array all);

}  // namespace slipway::server
