// What a handler of the server sees and says.
//
//     void hello(Request& request, Response& response) {
//         response.headers.set("Content-Type", "text/plain");
//         response.body = "hello " + std::string(request.target.parameter("name").value_or("you"));
//     }
#pragma once

#include "net/body_reader.hpp"
#include "net/headers.hpp"
#include "net/stream.hpp"
#include "net/target.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <variant>

namespace slipway::net {

// Fills a part of the room and says how much; 0 ends the body. What it throws cuts the connection,
// so that the other side cannot take half a body for all of it.
using Producer = std::function<std::size_t(std::span<char> room)>;

using Body = std::variant<std::string, FileRange, Producer>;

struct Request {
    std::string method;
    std::string raw_target;
    Target target;
    int minor_version = 1;
    Headers headers;
    std::string peer;            // 10.0.0.7:51234
    std::optional<TlsInfo> tls;  // nullopt over a plain connection
    BodyReader& body;  // limited to ServerOptions::max_body unless the handler says otherwise
};

struct Response {
    int status = 200;
    // Date, Content-Length, Transfer-Encoding and Connection are the server's to say.
    Headers headers = {};
    // An answer to HEAD is written the same way: its body is measured, not sent, so that a
    // FileRange needs no file then.
    Body body = {};
    bool close = false;  // the connection after this answer
    // What failed here, for logs and counters; never sent. A handler that answers a failure in a
    // form of its own says so with it.
    std::string error = {};
};

std::string_view reason_phrase(int status);

}  // namespace slipway::net
