#include "net/failure.hpp"
#include "net/message_head.hpp"

namespace slipway::net {

namespace {

constexpr unsigned char kDelete = 0x7f;

bool is_text(unsigned char c) { return c == '\t' || (c >= 0x20 && c != kDelete); }

}  // namespace

std::optional<std::size_t> HeadFinder::find(std::string_view bytes) {
    for (; looked_at_ < bytes.size(); ++looked_at_) {
        const std::size_t at = looked_at_;
        const auto c = static_cast<unsigned char>(bytes[at]);
        if (c == '\n') {
            if (at == 0 || bytes[at - 1] != '\r') throw HttpError(400, "a bare line feed");
            if (const auto size = end_line(at + 1)) {
                ++looked_at_;
                return size;
            }
            continue;
        }
        if (at > 0 && bytes[at - 1] == '\r') throw HttpError(400, "a bare carriage return");
        if (c != '\r' && !is_text(c)) throw HttpError(400, "a control character in the head");
        // A line that begins with a blank continues the one before: obsolete, and read in two ways.
        if (at == line_begin_ && (c == ' ' || c == '\t'))
            throw HttpError(400, "a folded header field");
        if (lines_ == 0 && at > limits_.target) throw HttpError(414, "the target is too long");
        if (at >= limits_.bytes) throw HttpError(431, "the head is too large");
    }
    return std::nullopt;
}

// A line ended just before `next`: the whole head when it was empty and not the first.
std::optional<std::size_t> HeadFinder::end_line(std::size_t next) {
    const bool empty = next - line_begin_ == 2;
    line_begin_ = next;
    if (empty) {
        if (lines_ == 0) throw HttpError(400, "an empty request line");
        return next;
    }
    if (++lines_ > limits_.fields + 1) throw HttpError(431, "too many header fields");
    return std::nullopt;
}

}  // namespace slipway::net
