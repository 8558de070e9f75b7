// Sends a message: the head and its body go out together when they are small.
#pragma once

#include "net/http_message.hpp"

#include <cstdint>
#include <string>

namespace slipway::net {

// nullopt: as long as the producer goes on.
std::optional<std::uint64_t> body_length(const Body& body);

enum class Framing { counted, chunked, until_close };

// Writes `head` (complete, with its empty line) and the body. Returns the bytes of the body.
std::uint64_t write_message(Stream& stream, Pace& pace, std::string head, const Body& body,
                            Framing framing);

// Appends the fields as lines. Throws std::logic_error for one that could be read as two.
void append_fields(std::string& head, const Headers& headers);

}  // namespace slipway::net
