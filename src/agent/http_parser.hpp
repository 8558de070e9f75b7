// The answer of an HTTP/1.x server, read as its bytes arrive.
//
//     ResponseParser parser;
//     parser.add(bytes);
//     if (const ResponseHead* head = parser.head()) …
//     while (auto piece = parser.body()) write(*piece);   // views into the bytes just added
//     parser.end_of_input();                              // the connection was closed
//
// Strict where leniency has been abused: one meaning of the length, CRLF line ends, no folded
// fields. Memory is bounded by the limits below and what was added last.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slipway::agent {

inline constexpr std::size_t kMaxHeadBytes = 32u << 10;
inline constexpr std::size_t kMaxFields = 100;
inline constexpr std::size_t kMaxInterim = 8;  // answers like "100 Continue" before the real one
inline constexpr std::size_t kMaxChunkLine = 256;

// This is no HTTP, or it breaks a limit. Nothing more of the connection can be used.
class HttpError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct ResponseHead {
    int status = 0;
    std::string reason;                                       // words of the server
    std::vector<std::pair<std::string, std::string>> fields;  // names in lower case

    // The first of this (lower-case) name.
    std::optional<std::string_view> field(std::string_view name) const;
};

class ResponseParser {
  public:
    // Pieces given out before are no longer valid. Throws HttpError, as does every other call.
    void add(std::string_view bytes);
    // The final answer's head once all of it is there.
    const ResponseHead* head() const { return head_ ? &*head_ : nullptr; }
    // How long the body will be, when the server said so.
    std::optional<std::uint64_t> body_length() const { return body_length_; }
    // The next bytes of the body, decoded; nullopt when more must be added or it is whole.
    std::optional<std::string_view> body();
    bool whole() const { return stage_ == Stage::whole; }
    // Throws HttpError when the connection ended too early.
    void end_of_input();

  private:
    enum class Stage { head, length, chunk_line, chunk, chunk_end, trailers, until_close, whole };

    bool read_head();
    void decide_body();
    std::optional<std::string_view> take_line(std::size_t limit, const char* what);
    std::optional<std::string_view> take_counted(Stage next);
    bool read_chunk_line();
    bool read_chunk_end();
    bool read_trailer();

    Stage stage_ = Stage::head;
    std::string buffer_;
    std::size_t at_ = 0;
    std::size_t head_bytes_ = 0;
    std::size_t interim_ = 0;
    std::optional<ResponseHead> head_;
    std::optional<std::uint64_t> body_length_;
    std::uint64_t left_ = 0;  // of the body, or of the chunk
};

}  // namespace slipway::agent
