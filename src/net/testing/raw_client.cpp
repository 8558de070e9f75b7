#include "net/testing/raw_client.hpp"

#include "net/failure.hpp"
#include "net/socket.hpp"

#include <array>
#include <charconv>
#include <csignal>

namespace slipway::net::testing {

namespace {

constexpr Millis kPatience{20'000};

Pace patience() { return Pace({.idle = kPatience}); }

}  // namespace

RawClient::RawClient(std::uint16_t port)
    : socket_(connect_tcp("127.0.0.1", port, Deadline::after(kPatience))),
      stream_(plain_stream(socket_.get())) {
    std::signal(SIGPIPE, SIG_IGN);  // as the program does
}

void RawClient::send(std::string_view bytes) {
    Pace pace = patience();
    try {
        stream_->write(bytes, pace);
    } catch (const Failure&) {
        // On purpose nothing: the server may refuse before it has read everything.
    }
}

void RawClient::end_writing() { stream_->end_writing(); }

std::string RawClient::read_to_end() {
    std::string out;
    std::array<char, 4096> piece{};
    Pace pace = patience();
    try {
        while (const std::size_t got = stream_->read(piece, pace)) out.append(piece.data(), got);
    } catch (const Failure& failure) {
        out += std::string("[") + failure.what() + "]";
    }
    return out;
}

std::string RawClient::read_until(std::string_view text) {
    std::string out;
    Pace pace = patience();
    while (out.find(text) == std::string::npos) {
        char byte = 0;
        if (stream_->read({&byte, 1}, pace) == 0) return out + "[closed]";
        out += byte;
    }
    return out;
}

bool RawClient::is_closed() {
    std::array<char, 1> byte{};
    Pace pace = patience();
    try {
        return stream_->read(byte, pace) == 0;
    } catch (const Failure& failure) {
        return failure.kind == Failure::Kind::lost;
    }
}

std::string answer_to(std::uint16_t port, std::string_view bytes) {
    RawClient client(port);
    client.send(bytes);
    client.end_writing();
    return client.read_to_end();
}

int status_of(std::string_view answer) {
    constexpr std::string_view kBegin = "HTTP/1.1 ";
    if (!answer.starts_with(kBegin)) return 0;
    int status = 0;
    std::from_chars(answer.data() + kBegin.size(), answer.data() + answer.size(), status);
    return status;
}

int count_of(std::string_view text, std::string_view part) {
    int count = 0;
    for (std::size_t at = text.find(part); at != std::string_view::npos;
         at = text.find(part, at + part.size()))
        ++count;
    return count;
}

}  // namespace slipway::net::testing
