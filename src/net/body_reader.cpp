#include "net/body_reader.hpp"

#include "net/failure.hpp"

#include <algorithm>
#include <cstring>

namespace slipway::net {

namespace {

constexpr std::size_t kBufferSize = 16u << 10;
constexpr std::size_t kReadAllPiece = 64u << 10;

[[noreturn]] void cut_short() {
    throw Failure(Failure::Kind::lost, "the connection ended before the body did");
}

}  // namespace

void InputBuffer::consume(std::size_t bytes) {
    begin_ += bytes;
    if (begin_ == end_) begin_ = end_ = 0;
}

bool InputBuffer::fill(Stream& stream, Pace& pace) {
    if (begin_ > 0 && end_ == bytes_.size()) {
        std::memmove(bytes_.data(), bytes_.data() + begin_, end_ - begin_);
        end_ -= begin_;
        begin_ = 0;
    }
    if (end_ == bytes_.size()) bytes_.resize(std::max(kBufferSize, bytes_.size() * 2));
    const std::size_t got = stream.read({bytes_.data() + end_, bytes_.size() - end_}, pace);
    end_ += got;
    return got > 0;
}

std::optional<std::size_t> await_head(InputBuffer& buffer, Stream& stream, Pace& pace,
                                      const HeadLimits& limits) {
    HeadFinder finder(limits);
    while (true) {
        if (const auto size = finder.find(buffer.view())) return size;
        if (!buffer.fill(stream, pace)) return std::nullopt;
    }
}

bool BodyReader::whole() const {
    switch (length_.kind) {
        case BodyLength::Kind::counted: return received_ == length_.bytes;
        case BodyLength::Kind::chunked: return decoder_.whole();
        case BodyLength::Kind::until_close: break;
    }
    return ended_;
}

std::optional<std::uint64_t> BodyReader::length() const {
    if (length_.kind != BodyLength::Kind::counted) return std::nullopt;
    return length_.bytes;
}

void BodyReader::limit(std::uint64_t bytes) {
    limit_ = bytes;
    if (length().value_or(received_) > bytes) throw HttpError(413, "the body is too large");
}

std::size_t BodyReader::read(std::span<char> into) {
    if (whole() || into.empty()) return 0;
    if (failed_) throw Failure(Failure::Kind::lost, "the body cannot be read any further");
    failed_ = true;  // until it went well
    if (length().value_or(received_) > limit_) throw HttpError(413, "the body is too large");
    if (!started_) {
        started_ = true;
        if (on_start_) on_start_();
    }
    const std::size_t got = read_some(into);
    received_ += got;
    if (received_ > limit_) throw HttpError(413, "the body is too large");
    failed_ = false;
    return got;
}

std::string BodyReader::read_all(std::uint64_t most) {
    limit(most);
    std::string out;
    std::vector<char> piece(
        std::min<std::uint64_t>(kReadAllPiece, length().value_or(kReadAllPiece)));
    while (const std::size_t got = read(piece)) out.append(piece.data(), got);
    return out;
}

std::size_t BodyReader::read_some(std::span<char> into) {
    if (length_.kind == BodyLength::Kind::chunked) return read_chunked(into);
    if (length_.kind == BodyLength::Kind::counted)
        into = into.first(std::min<std::uint64_t>(into.size(), length_.bytes - received_));
    const std::size_t got = read_plain(into);
    if (got == 0 && (length_.kind == BodyLength::Kind::counted || !stream_.end_was_said()))
        cut_short();
    ended_ = got == 0;
    return got;
}

// What is buffered first, then straight from the connection.
std::size_t BodyReader::read_plain(std::span<char> into) {
    const std::string_view waiting = buffer_.view();
    if (waiting.empty()) return stream_.read(into, pace_);
    const std::size_t now = std::min(waiting.size(), into.size());
    std::memcpy(into.data(), waiting.data(), now);
    buffer_.consume(now);
    return now;
}

std::size_t BodyReader::read_chunked(std::span<char> into) {
    while (true) {
        const auto step = decoder_.decode(buffer_.view(), into);
        buffer_.consume(step.used);
        if (step.written > 0 || decoder_.whole()) return step.written;
        if (decoder_.plain_bytes() > 0) {  // the buffer is empty: past it
            const std::size_t got = stream_.read(
                into.first(std::min<std::uint64_t>(into.size(), decoder_.plain_bytes())), pace_);
            if (got == 0) cut_short();
            decoder_.took(got);
            return got;
        }
        if (!buffer_.fill(stream_, pace_)) cut_short();
    }
}

}  // namespace slipway::net
