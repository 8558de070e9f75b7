// The body of a message, read from its connection into the caller's memory.
#pragma once

#include "net/chunked.hpp"
#include "net/message_head.hpp"
#include "net/stream.hpp"

#include <functional>
#include <vector>

namespace slipway::net {

// What has arrived and nobody has read yet: the rest of one message may be the begin of the next.
class InputBuffer {
  public:
    std::string_view view() const { return {bytes_.data() + begin_, end_ - begin_}; }
    void consume(std::size_t bytes);
    // False when the other side has ended.
    bool fill(Stream& stream, Pace& pace);

  private:
    std::vector<char> bytes_;
    std::size_t begin_ = 0, end_ = 0;
};

// Reads until a whole head stands at the begin of the buffer; its size, or nullopt when the other
// side ends before.
std::optional<std::size_t> await_head(InputBuffer& buffer, Stream& stream, Pace& pace,
                                      const HeadLimits& limits);

class BodyReader {
  public:
    BodyReader(Stream& stream, InputBuffer& buffer, BodyLength length, PaceLimits pace,
               std::uint64_t limit = UINT64_MAX)
        : stream_(stream), buffer_(buffer), length_(length), pace_(pace), limit_(limit) {}

    // At least one byte; 0 when the body is whole. Throws HttpError (413 over the limit, 400) and
    // Failure; nothing can be read after that.
    std::size_t read(std::span<char> into);
    // The rest of it in memory. Throws HttpError(413) beyond `most`.
    std::string read_all(std::uint64_t most);

    bool whole() const;
    bool failed() const { return failed_; }
    bool started() const { return started_; }
    // As the head has it; nullopt for one that ends when it ends.
    std::optional<std::uint64_t> length() const;
    // Of a body whose length is known.
    std::uint64_t left() const { return length() ? *length() - received_ : 0; }
    std::uint64_t received() const { return received_; }

    // Refuses more than `bytes` in all: at once when the head states more.
    void limit(std::uint64_t bytes);
    // Called before the first byte is asked for.
    void on_start(std::function<void()> call) { on_start_ = std::move(call); }

  private:
    std::size_t read_some(std::span<char> into);
    std::size_t read_plain(std::span<char> into);
    std::size_t read_chunked(std::span<char> into);

    Stream& stream_;
    InputBuffer& buffer_;
    BodyLength length_;
    Pace pace_;
    ChunkedDecoder decoder_;
    std::function<void()> on_start_;
    std::uint64_t limit_;
    std::uint64_t received_ = 0;
    bool started_ = false;
    bool ended_ = false;  // of one that lasts until the connection is closed
    bool failed_ = false;
};

}  // namespace slipway::net
