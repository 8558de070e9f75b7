// A request of the client as it goes over the wire, and where an answer sends it.
#pragma once

#include "net/body_writer.hpp"
#include "net/http_client.hpp"

namespace slipway::net {

bool has_producer(const ClientRequest& request);
bool can_be_repeated(const ClientRequest& request);
Framing framing_of(const ClientRequest& request);
std::uint64_t length_of(const ClientRequest& request);  // of a counted body
bool has_body(const ClientRequest& request);

// Throws std::logic_error for what only a mistake of the caller can be.
std::string request_head(const ClientRequest& request, const std::string& user_agent);

// The request that an answer with this Location sends us to; nullopt when it is not to be followed.
// Throws BadUrl.
std::optional<ClientRequest> redirected(const ClientRequest& request, int status,
                                        std::string_view location);

}  // namespace slipway::net
