#include "oci/packages/deb_control.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "oci/packages/repository_errors.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace slipway::oci::packages {

namespace {

// The largest line of Debian's own indices is below 64 KiB; a Release file has 200 KiB in one
// field.
constexpr std::size_t kMaxLine = 1u << 20;
constexpr std::size_t kMaxStanza = 8u << 20;

std::string lower(std::string_view text) {
    std::string out(text);
    std::ranges::transform(out, out.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    });
    return out;
}

}  // namespace

std::string_view Stanza::get(std::string_view field) const {
    const auto found = fields_.find(lower(field));
    return found == fields_.end() ? std::string_view{} : std::string_view(found->second);
}

bool Stanza::add(std::string_view field, std::string value) {
    return fields_.emplace(lower(field), std::move(value)).second;
}

void Stanza::extend(std::string_view field, std::string_view line) {
    std::string& value = fields_[lower(field)];
    value += '\n';
    value += line;
}

ControlReader::ControlReader(ByteStream& stream, std::string what)
    : stream_(stream), what_(std::move(what)) {}

void ControlReader::refuse(std::string_view why) const {
    repository_invalid(what_, fmt::format("line {}: {}", lines_, why));
}

std::optional<std::string_view> ControlReader::line() {
    while (true) {
        const std::size_t end = buffer_.find('\n', at_);
        if (end != std::string::npos || (ended_ && at_ < buffer_.size())) {
            const std::size_t stop = std::min(end, buffer_.size());
            std::string_view out(buffer_.data() + at_, stop - at_);
            at_ = std::min(stop + 1, buffer_.size());
            ++lines_;
            if (out.ends_with('\r')) out.remove_suffix(1);
            return out;
        }
        if (ended_) return std::nullopt;
        buffer_.erase(0, at_);
        at_ = 0;
        if (buffer_.size() > kMaxLine) refuse("is too long");
        const std::size_t kept = buffer_.size();
        buffer_.resize(kept + kChunk);
        const std::size_t n = stream_.read(buffer_.data() + kept, kChunk);
        buffer_.resize(kept + n);
        ended_ = n == 0;
    }
}

std::optional<Stanza> ControlReader::next() {
    Stanza out;
    std::string last;
    std::size_t size = 0;
    while (const std::optional<std::string_view> text = line()) {
        size += text->size();
        if (size > kMaxStanza) refuse("the stanza is too long");
        if (trim(*text).empty()) {
            if (!out.empty()) return out;
            continue;
        }
        if (text->front() == '#') continue;
        if (text->front() == ' ' || text->front() == '\t') {
            if (last.empty()) refuse("goes on where nothing began");
            out.extend(last, trim(*text));
            continue;
        }
        const std::size_t colon = text->find(':');
        if (colon == std::string_view::npos || colon == 0) refuse("is not `Field: value`");
        last = text->substr(0, colon);
        if (!out.add(last, std::string(trim(text->substr(colon + 1))))) {
            refuse(fmt::format("a second {}", printable(last)));
        }
    }
    if (out.empty()) return std::nullopt;
    return out;
}

}  // namespace slipway::oci::packages
