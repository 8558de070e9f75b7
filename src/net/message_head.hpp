// The head of a request or an answer: found in the bytes as they come, then read strictly. What
// two programs could understand in two ways is refused (HttpError), since one of them may be a
// proxy in front of us.
//
//     HeadFinder finder(limits);
//     while (!(size = finder.find(bytes_so_far))) receive_more();
//     RequestHead head = parse_request_head(bytes.substr(0, *size), limits);
#pragma once

#include "net/headers.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace slipway::net {

struct HeadLimits {
    std::size_t bytes = 32u << 10;
    std::size_t fields = 100;
    std::size_t target = 8u << 10;
};

// How long the body of a message is, by its head.
struct BodyLength {
    enum class Kind { counted, chunked, until_close };
    Kind kind = Kind::counted;
    std::uint64_t bytes = 0;  // of a counted one
};

struct RequestHead {
    std::string method = {};
    std::string target = {};
    int minor_version = 1;  // of HTTP/1
    Headers headers = {};
    BodyLength body = {};
    bool keep_alive = true;  // as far as the client is concerned
};

struct ResponseHead {
    int status = 0;
    std::string reason = {};
    int minor_version = 1;
    Headers headers = {};
    BodyLength body = {};
    bool keep_alive = true;
};

// Where a head ends. Bytes that cannot be part of one are refused at once, not when the time is up.
class HeadFinder {
  public:
    explicit HeadFinder(const HeadLimits& limits) : limits_(limits) {}

    // `bytes` begins where it did at the last call, and may have grown. The size with the empty
    // line; nullopt when more must come.
    std::optional<std::size_t> find(std::string_view bytes);

  private:
    std::optional<std::size_t> end_line(std::size_t next);

    HeadLimits limits_;
    std::size_t looked_at_ = 0;
    std::size_t line_begin_ = 0;
    std::size_t lines_ = 0;
};

RequestHead parse_request_head(std::string_view head, const HeadLimits& limits);
// `method` is that of the request: an answer to HEAD has no body.
ResponseHead parse_response_head(std::string_view head, const HeadLimits& limits,
                                 std::string_view method);

}  // namespace slipway::net
