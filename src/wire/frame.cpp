#include "wire/frame.hpp"

#include "wire/codec.hpp"

namespace slipway::wire {

namespace {

constexpr std::size_t kLengthBytes = 4;
constexpr std::size_t kHeaderBytes = 5;  // kind and request

std::uint32_t number_at(std::string_view bytes, std::size_t at) {
    std::uint32_t out = 0;
    for (std::size_t i = 0; i < 4; ++i) {
        out |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
    }
    return out;
}

void append_number(std::string& out, std::uint32_t number) {
    for (int i = 0; i < 4; ++i) out += static_cast<char>(number >> (8 * i));
}

Stream stream_of(std::string_view payload) {
    if (payload.empty()) throw ProtocolError("a data frame without a stream");
    const auto stream = static_cast<unsigned char>(payload[0]);
    if (stream > static_cast<unsigned char>(Stream::err)) throw ProtocolError("unknown stream");
    return static_cast<Stream>(stream);
}

}  // namespace

std::string encode_frame(Kind kind, std::uint32_t request, std::string_view payload) {
    if (payload.size() > kMaxPayload) throw ProtocolError("a frame would be too large");
    std::string out;
    out.reserve(kLengthBytes + kHeaderBytes + payload.size());
    append_number(out, static_cast<std::uint32_t>(kHeaderBytes + payload.size()));
    out += static_cast<char>(kind);
    append_number(out, request);
    out += payload;
    return out;
}

std::optional<Frame> FrameParser::next() {
    const std::string_view rest = std::string_view(buffer_).substr(at_);
    if (rest.size() < kLengthBytes) return std::nullopt;
    const std::uint32_t length = number_at(rest, 0);
    if (length < kHeaderBytes || length > kHeaderBytes + kMaxPayload)
        throw ProtocolError("a frame of impossible length");
    if (rest.size() < kLengthBytes + length) return std::nullopt;
    const auto kind = static_cast<unsigned char>(rest[kLengthBytes]);
    if (kind < static_cast<unsigned char>(Kind::hello) ||
        kind > static_cast<unsigned char>(Kind::pong))
        throw ProtocolError("a frame of unknown kind");
    Frame frame{.kind = static_cast<Kind>(kind), .request = number_at(rest, kLengthBytes + 1)};
    std::string_view payload = rest.substr(kLengthBytes + kHeaderBytes, length - kHeaderBytes);
    if (frame.kind == Kind::data) {
        frame.stream = stream_of(payload);
        payload.remove_prefix(1);
    }
    frame.payload = payload;
    at_ += kLengthBytes + length;
    if (at_ == buffer_.size() || at_ > kMaxPayload) {  // drop what was read, not byte by byte
        buffer_.erase(0, at_);
        at_ = 0;
    }
    return frame;
}

std::string data_payload(Stream stream, std::string_view bytes) {
    std::string out(1, static_cast<char>(stream));
    out += bytes;
    return out;
}

void finish_data_frame(std::string& frame, std::uint32_t request, Stream stream) {
    std::string head = encode_frame(Kind::data, request, std::string(1, static_cast<char>(stream)));
    const auto length = static_cast<std::uint32_t>(frame.size() - kLengthBytes);
    for (std::size_t i = 0; i < kLengthBytes; ++i) head[i] = static_cast<char>(length >> (8 * i));
    frame.replace(0, kDataHead, head);
}

std::string credit_payload(std::uint32_t bytes) {
    std::string out;
    append_number(out, bytes);
    return out;
}

std::uint32_t parse_credit(const Frame& frame) {
    if (frame.payload.size() != 4) throw ProtocolError("a credit frame of wrong length");
    return number_at(frame.payload, 0);
}

}  // namespace slipway::wire
