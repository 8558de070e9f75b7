// The handler of the server: a request in, an answer out. What every request goes through stands
// here, in the order of answer(): its Host and Origin, the route, who asks, whether he may, the
// handler, the audit log.
#pragma once

#include "net/http_server.hpp"
#include "server/exchange.hpp"
#include "server/page.hpp"
#include "server/services.hpp"

#include <functional>

namespace slipway::server {

inline constexpr const char* kSessionCookie = "slipway_session";
inline constexpr const char* kCsrfHeader = "X-Slipway-Csrf";

class Front {
  public:
    Front(Services& services, const Page& page) : services_(services), page_(page) {}

    void handle(net::Request& request, net::Response& response);

  private:
    void answer(net::Request& request, net::Response& response);
    void require_own_host(const net::Request& request) const;
    void authorise(Exchange& x);
    void carry_out(Exchange& x);
    void carry_out_once(Exchange& x, const std::string& key);
    void record(const Exchange& x, int status);

    Services& services_;
    const Page& page_;
};

// The session the request's cookie names, if it lives.
std::optional<Session> session_of(Services& services, const net::Request& request,
                                  std::string* id = nullptr);

// Whether who asks could still ask: for answers that go on for long.
std::function<bool()> still_good(const Exchange& x);

}  // namespace slipway::server
