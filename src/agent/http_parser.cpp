#include "agent/http_parser.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace slipway::agent {

namespace {

bool is_token(std::string_view text) {
    constexpr std::string_view kSigns = "!#$%&'*+-.^_`|~";
    return !text.empty() && std::all_of(text.begin(), text.end(), [&](unsigned char c) {
        return std::isalnum(c) != 0 || kSigns.find(static_cast<char>(c)) != kSigns.npos;
    });
}

bool has_control(std::string_view text) {
    return std::any_of(text.begin(), text.end(),
                       [](unsigned char c) { return (c < 0x20 && c != '\t') || c == 0x7f; });
}

std::string lower(std::string_view text) {
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return out;
}

std::string_view without_blanks_around(std::string_view text) {
    while (text.starts_with(' ') || text.starts_with('\t')) text.remove_prefix(1);
    while (text.ends_with(' ') || text.ends_with('\t')) text.remove_suffix(1);
    return text;
}

// All of `text` as a number; no sign, no blanks.
std::optional<std::uint64_t> whole_number(std::string_view text, int base) {
    constexpr std::size_t kMostDigits = 18;  // fits in 63 bits in either base
    const std::size_t most = base == 16 ? 15 : kMostDigits;
    std::uint64_t value = 0;
    if (text.empty() || text.size() > most) return std::nullopt;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (error != std::errc() || stop != text.data() + text.size()) return std::nullopt;
    return value;
}

// HTTP/1.1 200 OK
ResponseHead parse_status_line(std::string_view line) {
    constexpr std::size_t kCodeAt = 9;
    const bool shape = (line.starts_with("HTTP/1.1 ") || line.starts_with("HTTP/1.0 ")) &&
                       line.size() >= kCodeAt + 3 &&
                       (line.size() == kCodeAt + 3 || line[kCodeAt + 3] == ' ');
    const auto status = shape ? whole_number(line.substr(kCodeAt, 3), 10) : std::nullopt;
    if (!status || *status < 100 || *status > 599 || has_control(line))
        throw HttpError("the server does not speak HTTP/1.1");
    ResponseHead head;
    head.status = static_cast<int>(*status);
    head.reason = without_blanks_around(line.substr(kCodeAt + 3));
    return head;
}

void parse_field(std::string_view line, ResponseHead& head) {
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || !is_token(line.substr(0, colon)) || has_control(line))
        throw HttpError("a malformed header field");
    if (head.fields.size() == kMaxFields) throw HttpError("too many header fields");
    head.fields.emplace_back(lower(line.substr(0, colon)),
                             without_blanks_around(line.substr(colon + 1)));
}

}  // namespace

std::optional<std::string_view> ResponseHead::field(std::string_view name) const {
    for (const auto& [key, value] : fields) {
        if (key == name) return value;
    }
    return std::nullopt;
}

void ResponseParser::add(std::string_view bytes) {
    buffer_.erase(0, at_);
    at_ = 0;
    buffer_ += bytes;
    while (stage_ == Stage::head && read_head()) {
    }
}

// The next line without its CRLF; nullopt when it is not there yet.
std::optional<std::string_view> ResponseParser::take_line(std::size_t limit, const char* what) {
    const std::string_view rest = std::string_view(buffer_).substr(at_);
    const std::size_t end = rest.find('\n');
    if (std::min(end, rest.size()) > limit) throw HttpError(std::string(what) + " is too long");
    if (end == std::string_view::npos) return std::nullopt;
    if (end == 0 || rest[end - 1] != '\r')
        throw HttpError(std::string(what) + " has a bare line end");
    at_ += end + 1;
    return rest.substr(0, end - 1);
}

// Reads one head when all of it is there; true when another must follow it.
bool ResponseParser::read_head() {
    const std::string_view rest = std::string_view(buffer_).substr(at_);
    const std::size_t end = rest.find("\r\n\r\n");
    if (head_bytes_ + std::min(end, rest.size()) > kMaxHeadBytes)
        throw HttpError("the header is too long");
    if (end == std::string_view::npos) return false;
    const std::size_t stop = at_ + end + 2;
    head_bytes_ += end + 4;

    ResponseHead head = parse_status_line(*take_line(kMaxHeadBytes, "the status line"));
    while (at_ < stop) parse_field(*take_line(kMaxHeadBytes, "a header field"), head);
    at_ = stop + 2;
    if (head.status == 101) throw HttpError("the server switched protocols unasked");
    if (head.status < 200) {
        if (++interim_ > kMaxInterim) throw HttpError("too many interim answers");
        return true;
    }
    head_ = std::move(head);
    decide_body();
    return false;
}

// Where the body ends. Two answers to that are how requests are smuggled past proxies.
void ResponseParser::decide_body() {
    std::optional<std::string> coding;
    for (const auto& [name, value] : head_->fields) {
        if (name == "transfer-encoding") {
            if (coding) throw HttpError("two transfer codings");
            coding = lower(value);
        } else if (name == "content-length") {
            const auto length = whole_number(value, 10);
            if (!length || (body_length_ && *body_length_ != *length))
                throw HttpError("a malformed content length");
            body_length_ = length;
        }
    }
    if (coding && (*coding != "chunked" || body_length_))
        throw HttpError("a transfer coding that is not understood");
    if (head_->status == 204 || head_->status == 304) {
        body_length_ = 0;
        stage_ = Stage::whole;
    } else if (coding) {
        stage_ = Stage::chunk_line;
    } else if (body_length_) {
        left_ = *body_length_;
        stage_ = left_ == 0 ? Stage::whole : Stage::length;
    } else {
        stage_ = Stage::until_close;
    }
}

// Bytes of a body or chunk whose length is known.
std::optional<std::string_view> ResponseParser::take_counted(Stage next) {
    const std::string_view rest = std::string_view(buffer_).substr(at_);
    if (rest.empty()) return std::nullopt;
    const std::string_view piece =
        rest.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(left_, rest.size())));
    at_ += piece.size();
    left_ -= piece.size();
    if (left_ == 0) stage_ = next;
    return piece;
}

// The readers of what stands between chunks: false when more bytes are needed.
bool ResponseParser::read_chunk_line() {
    const auto line = take_line(kMaxChunkLine, "the line of a chunk");
    if (!line) return false;
    const auto size = whole_number(without_blanks_around(line->substr(0, line->find(';'))), 16);
    if (!size) throw HttpError("a malformed length of a chunk");
    left_ = *size;
    stage_ = left_ == 0 ? Stage::trailers : Stage::chunk;
    return true;
}

bool ResponseParser::read_chunk_end() {
    const auto line = take_line(2, "the end of a chunk");
    if (!line) return false;
    if (!line->empty()) throw HttpError("a chunk longer than it said");
    stage_ = Stage::chunk_line;
    return true;
}

bool ResponseParser::read_trailer() {
    const auto line = take_line(kMaxHeadBytes, "a trailer");
    if (!line) return false;
    head_bytes_ += line->size() + 2;
    if (head_bytes_ > 2 * kMaxHeadBytes) throw HttpError("the trailers are too long");
    if (line->empty()) stage_ = Stage::whole;
    return true;
}

std::optional<std::string_view> ResponseParser::body() {
    while (true) {
        switch (stage_) {
            case Stage::head:
            case Stage::whole: return std::nullopt;
            case Stage::length: return take_counted(Stage::whole);
            case Stage::chunk: return take_counted(Stage::chunk_end);
            case Stage::until_close: {
                const std::string_view rest = std::string_view(buffer_).substr(at_);
                at_ = buffer_.size();
                if (rest.empty()) return std::nullopt;
                return rest;
            }
            case Stage::chunk_line:
                if (!read_chunk_line()) return std::nullopt;
                break;
            case Stage::chunk_end:
                if (!read_chunk_end()) return std::nullopt;
                break;
            case Stage::trailers:
                if (!read_trailer()) return std::nullopt;
                break;
        }
    }
}

void ResponseParser::end_of_input() {
    if (stage_ == Stage::until_close) stage_ = Stage::whole;
    if (stage_ == Stage::head)
        throw HttpError("the server closed the connection without an answer");
    if (stage_ != Stage::whole)
        throw HttpError("the connection ended before the whole body had come");
}

}  // namespace slipway::agent
