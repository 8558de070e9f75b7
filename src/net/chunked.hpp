// The chunked coding of a body, decoded as bytes arrive. Extensions and trailers are checked and
// left out.
//
//     const auto step = decoder.decode(bytes, room);   // bytes used, bytes written
//     if (decoder.whole()) …
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace slipway::net {

class ChunkedDecoder {
  public:
    struct Step {
        std::size_t used = 0;
        std::size_t written = 0;
    };

    // Goes on until the bytes are used, the room is full or the body is whole. Throws
    // HttpError(400).
    Step decode(std::string_view bytes, std::span<char> room);
    bool whole() const { return stage_ == Stage::whole; }

    // Bytes of the chunk that come next as they are: a reader may take them past the decoder, and
    // says so.
    std::uint64_t plain_bytes() const { return stage_ == Stage::data ? left_ : 0; }
    void took(std::uint64_t bytes);

  private:
    enum class Stage {
        first_digit,
        size,
        extension,
        size_feed,
        data,
        data_return,
        data_feed,
        trailer_begin,
        trailer,
        trailer_feed,
        last_feed,
        whole
    };

    void take(unsigned char c);
    void take_size(unsigned char c);
    void take_trailer(unsigned char c);
    void count_text(unsigned char c, std::size_t most);

    Stage stage_ = Stage::first_digit;
    std::uint64_t left_ = 0;  // of the chunk
    std::size_t digits_ = 0;  // of its size
    std::size_t text_ = 0;    // of this extension, or of all trailers
    bool colon_ = false;      // in this trailer
};

}  // namespace slipway::net
