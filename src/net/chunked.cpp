#include "net/chunked.hpp"

#include "net/failure.hpp"

#include <algorithm>
#include <cstring>

namespace slipway::net {

namespace {

constexpr std::size_t kMostDigits = 15;  // 2^60: sums stay far from overflow
constexpr std::size_t kMostExtension = 256;
constexpr std::size_t kMostTrailers = 8u << 10;

[[noreturn]] void refuse(const char* why) { throw HttpError(400, why); }

int hex_value(unsigned char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

void expect(unsigned char c, char wanted) {
    if (c != static_cast<unsigned char>(wanted)) refuse("a chunk does not end as it must");
}

}  // namespace

ChunkedDecoder::Step ChunkedDecoder::decode(std::string_view bytes, std::span<char> room) {
    Step step;
    while (step.used < bytes.size() && !whole()) {
        if (stage_ != Stage::data) {
            take(static_cast<unsigned char>(bytes[step.used++]));
            continue;
        }
        const std::size_t now =
            std::min({static_cast<std::uint64_t>(bytes.size() - step.used),
                      static_cast<std::uint64_t>(room.size() - step.written), left_});
        if (now == 0) break;
        std::memcpy(room.data() + step.written, bytes.data() + step.used, now);
        step.used += now;
        step.written += now;
        took(now);
    }
    return step;
}

void ChunkedDecoder::took(std::uint64_t bytes) {
    left_ -= bytes;
    if (left_ == 0) stage_ = Stage::data_return;
}

void ChunkedDecoder::take(unsigned char c) {
    switch (stage_) {
        case Stage::first_digit:
        case Stage::size: take_size(c); break;
        case Stage::extension:
            if (c == '\r') {
                stage_ = Stage::size_feed;
            } else {
                count_text(c, kMostExtension);
            }
            break;
        case Stage::size_feed:
            expect(c, '\n');
            text_ = 0;
            stage_ = left_ == 0 ? Stage::trailer_begin : Stage::data;
            break;
        case Stage::data_return:
            expect(c, '\r');
            stage_ = Stage::data_feed;
            break;
        case Stage::data_feed:
            expect(c, '\n');
            stage_ = Stage::first_digit;
            break;
        case Stage::trailer_begin:
        case Stage::trailer: take_trailer(c); break;
        case Stage::trailer_feed:
            expect(c, '\n');
            stage_ = Stage::trailer_begin;
            break;
        case Stage::last_feed:
            expect(c, '\n');
            stage_ = Stage::whole;
            break;
        case Stage::data:
        case Stage::whole: break;
    }
}

void ChunkedDecoder::take_size(unsigned char c) {
    const int value = hex_value(c);
    if (stage_ == Stage::first_digit) {
        if (value < 0) refuse("a chunk without a size");
        left_ = 0;
        digits_ = 0;
        stage_ = Stage::size;
    }
    if (value >= 0) {
        if (++digits_ > kMostDigits) refuse("a chunk size that is too long");
        left_ = left_ * 16 + static_cast<std::uint64_t>(value);
        return;
    }
    text_ = 0;
    if (c == '\r') {
        stage_ = Stage::size_feed;
    } else if (c == ';') {
        stage_ = Stage::extension;
    } else {
        refuse("a chunk size that is no number");
    }
}

void ChunkedDecoder::take_trailer(unsigned char c) {
    if (stage_ == Stage::trailer_begin) {
        if (c == '\r') {
            stage_ = Stage::last_feed;
            return;
        }
        if (c == ' ' || c == '\t' || c == ':') refuse("a trailer that is no field");
        colon_ = false;
        stage_ = Stage::trailer;
    }
    if (c == '\r') {
        if (!colon_) refuse("a trailer that is no field");
        stage_ = Stage::trailer_feed;
        return;
    }
    if (c == ':') colon_ = true;
    if (!colon_ && (c == ' ' || c == '\t')) refuse("a trailer that is no field");
    count_text(c, kMostTrailers);
}

void ChunkedDecoder::count_text(unsigned char c, std::size_t most) {
    constexpr unsigned char kDelete = 0x7f;
    if ((c < 0x20 && c != '\t') || c == kDelete) refuse("a control character between chunks");
    if (++text_ > most) refuse("too much between chunks");
}

}  // namespace slipway::net
