// Frames: the unit both directions of a connection are made of.
//
//     u32 length of what follows | u8 kind | u32 request | payload
//
// Numbers are little-endian. A request is opened by the client under a number of its own choosing
// and ends with exactly one `reply` or `failure`. Bytes of streams travel as `data` in either
// direction, at most kWindow of them ahead of the receiver's `credit`: whoever does not read slows
// down only its own request.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace slipway::wire {

inline constexpr std::uint32_t kProtocolVersion = 2;

// The agent's first bytes. Whatever a login shell or sudo printed before them is skipped.
inline constexpr std::string_view kMagic = "\x01slipway-agent\x02\n";

inline constexpr std::size_t kMaxPayload = 1u << 20;
inline constexpr std::size_t kDataChunk = 64u << 10;  // what senders put into one data frame
inline constexpr std::size_t kWindow = 1u << 20;

enum class Kind : std::uint8_t {
    hello = 1,    // agent: Hello, once, after kMagic
    request = 2,  // client: verb and its message
    data = 3,     // both: u8 stream, bytes
    end = 4,      // both: u8 stream; no more data of it
    credit = 5,   // both: u32 bytes the sender may send on top
    cancel = 6,   // client: stop the request; it still answers
    reply = 7,    // agent: the verb's answer
    failure = 8,  // agent: Failure
    ping = 9,     // client: answered by pong, and a sign of life
    pong = 10,
};

enum class Stream : std::uint8_t { in = 0, out = 1, err = 2 };

struct Frame {
    Kind kind = Kind::ping;
    std::uint32_t request = 0;
    std::string payload = {};     // of data: its bytes alone, to be moved from here
    Stream stream = Stream::out;  // of data
};

// The other side does not speak this protocol, or lies about lengths. The connection is over.
class ProtocolError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

std::string encode_frame(Kind kind, std::uint32_t request, std::string_view payload);

// Cuts a stream of bytes into frames. Memory is bounded by one frame and what was just added.
class FrameParser {
  public:
    void add(std::string_view bytes) { buffer_ += bytes; }
    // The next whole frame; throws ProtocolError on an impossible one.
    std::optional<Frame> next();
    // What was added and is not yet a whole frame.
    std::string rest() const { return buffer_.substr(at_); }

  private:
    std::string buffer_;
    std::size_t at_ = 0;
};

// Payloads of data, end and credit as they are sent.
std::string data_payload(Stream stream, std::string_view bytes);
// A data frame without a copy of its bytes: they are put behind kDataHead bytes of room, then the
// room is filled.
inline constexpr std::size_t kDataHead = 10;
void finish_data_frame(std::string& frame, std::uint32_t request, Stream stream);
std::string credit_payload(std::uint32_t bytes);
std::uint32_t parse_credit(const Frame& frame);

}  // namespace slipway::wire
