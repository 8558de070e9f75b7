#include "net/body_writer.hpp"

#include <stdexcept>
#include <vector>

#include <fmt/format.h>

namespace slipway::net {

namespace {

constexpr std::size_t kTogether = 16u << 10;       // a copy is cheaper than a second packet
constexpr std::size_t kProducedPiece = 16u << 10;  // a record; a thousand may be waiting
constexpr std::size_t kRoomForSize = 18;           // of a chunk, in hex, with its line end

// The chunk's size is written right before its bytes, so that both go out in one piece.
std::uint64_t write_produced(Stream& stream, Pace& pace, const Producer& produce, bool chunked) {
    std::vector<char> buffer(kRoomForSize + kProducedPiece + 2);
    std::uint64_t total = 0;
    while (true) {
        const std::size_t size = produce({buffer.data() + kRoomForSize, kProducedPiece});
        if (size == 0) break;
        if (size > kProducedPiece) throw std::logic_error("a producer wrote past its room");
        total += size;
        if (!chunked) {
            stream.write({buffer.data() + kRoomForSize, size}, pace);
            continue;
        }
        const std::string line = fmt::format("{:x}\r\n", size);
        char* const begin = buffer.data() + kRoomForSize - line.size();
        line.copy(begin, line.size());
        buffer[kRoomForSize + size] = '\r';
        buffer[kRoomForSize + size + 1] = '\n';
        stream.write({begin, line.size() + size + 2}, pace);
    }
    if (chunked) stream.write("0\r\n\r\n", pace);
    return total;
}

}  // namespace

std::optional<std::uint64_t> body_length(const Body& body) {
    if (const auto* text = std::get_if<std::string>(&body)) return text->size();
    if (const auto* range = std::get_if<FileRange>(&body)) return range->length;
    return std::nullopt;
}

std::uint64_t write_message(Stream& stream, Pace& pace, std::string head, const Body& body,
                            Framing framing) {
    const auto* text = std::get_if<std::string>(&body);
    if (text != nullptr && text->size() <= kTogether) head += *text;
    stream.write(head, pace);
    if (text != nullptr) {
        if (text->size() > kTogether) stream.write(*text, pace);
        return text->size();
    }
    if (const auto* range = std::get_if<FileRange>(&body)) {
        if (range->length > 0) stream.send_file(*range, pace);
        return range->length;
    }
    return write_produced(stream, pace, std::get<Producer>(body), framing == Framing::chunked);
}

void append_fields(std::string& head, const Headers& headers) {
    for (const Headers::Field& field : headers) {
        if (!is_sendable(field)) throw std::logic_error("a header field that may not be sent");
        head += field.first;
        head += ": ";
        head += field.second;
        head += "\r\n";
    }
}

}  // namespace slipway::net
