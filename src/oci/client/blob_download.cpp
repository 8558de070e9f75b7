#include "oci/client/blob_download.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <charconv>
#include <vector>

#include <fmt/format.h>

namespace slipway::oci {

namespace {

// bytes 100-199/200: where it begins.
std::optional<std::uint64_t> begin_of(std::string_view range) {
    constexpr std::string_view kUnit = "bytes ";
    if (!range.starts_with(kUnit)) return std::nullopt;
    range.remove_prefix(kUnit.size());
    std::uint64_t begin = 0;
    const auto [stop, error] = std::from_chars(range.data(), range.data() + range.size(), begin);
    if (error != std::errc() || stop == range.data() + range.size() || *stop != '-')
        return std::nullopt;
    return begin;
}

}  // namespace

Download::Download(Ask ask, Asked asked, std::optional<std::uint64_t> size, Retry retry,
                   std::stop_token stop, std::uint64_t most)
    : ask_(std::move(ask)),
      asked_(std::move(asked)),
      size_(size),
      retry_(std::move(retry)),
      stop_(std::move(stop)),
      most_(most) {}

std::size_t Download::read(char* into, std::size_t max) {
    while (true) {
        if (stop_.stop_requested()) throw Cancelled();
        try {
            const std::size_t n = read_once(into, max);
            if (n > 0) retry_.gained();
            return n;
        } catch (const Error& error) {
            answer_.reset();
            retry_.wait_or_rethrow(error);
        }
    }
}

std::size_t Download::read_once(char* into, std::size_t max) {
    if (size_ && at_ == *size_ && at_ > 0 && !answer_) return 0;  // it broke off after the end
    if (!answer_) at_ == 0 ? open() : open_rest();
    const std::size_t n = answer_->read({into, max});
    at_ += n;
    if (at_ > most_ || (size_ && at_ > *size_)) bad_answer(asked_, "it is longer than it may be");
    return n;
}

void Download::require_size(std::uint64_t whole) const {
    if (whole > most_) bad_answer(asked_, fmt::format("{} bytes are too many", whole));
    if (size_ && whole != *size_) {
        bad_answer(asked_, fmt::format("it has {} bytes, not {}", whole, *size_));
    }
}

void Download::open() {
    answer_ = ask_("");
    if (answer_->status != 200) refuse_answer(*answer_, asked_);
    if (const auto length = answer_->length()) require_size(*length);
    version_ = answer_->headers.find("ETag").value_or("");
}

// A server that knows no ranges sends all of it again.
void Download::open_rest() {
    answer_ = ask_(fmt::format("bytes={}-", at_));
    const std::string version(answer_->headers.find("ETag").value_or(""));
    if (answer_->status != 206 && answer_->status != 200) refuse_answer(*answer_, asked_);
    if (version != version_) bad_answer(asked_, "it changed while it was fetched");
    if (answer_->status == 200) return pass_over(at_);
    if (begin_of(answer_->headers.find("Content-Range").value_or("")) != at_) {
        bad_answer(asked_, "it sent another part than was asked for");
    }
}

void Download::pass_over(std::uint64_t count) {
    std::vector<char> buffer(64u << 10);
    while (count > 0) {
        const std::size_t n =
            answer_->read({buffer.data(), std::min<std::uint64_t>(count, buffer.size())});
        if (n == 0) bad_answer(asked_, "it became shorter while it was fetched");
        count -= n;
    }
}

}  // namespace slipway::oci
