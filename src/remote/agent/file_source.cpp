#include "remote/agent/file_source.hpp"

#include "base/error.hpp"

#include <algorithm>

namespace slipway::remote {

namespace {

constexpr std::uint64_t kTellEvery = 4u << 20;

}  // namespace

FileSource::FileSource(const LocalFile& file, bool tell_checksum, const Progress& progress,
                       std::stop_token stop)
    : file_(file), tell_checksum_(tell_checksum), progress_(progress), stop_(std::move(stop)) {}

void FileSource::begin(std::string_view start) {
    try {
        at_ = wire::decode<wire::UploadStart>(start).at;
    } catch (const wire::ProtocolError& error) {
        throw HostError("HOST-AGENT", error.what());
    }
    if (at_ > file_.size())
        throw HostError("HOST-AGENT", "the agent asks for what is behind the end of a file");
    begun_ = true;
    trailer_.clear();
    if (tell_checksum_) {
        checksum_ = std::make_unique<Checksum>();
        file_.each_piece(at_, stop_, [&](std::string_view bytes) { checksum_->update(bytes); });
        if (at_ == file_.size()) trailer_ = checksum_->hex();
    }
    tell();
}

// The input never ends by itself: the host may say once more where to begin.
bool FileSource::take(std::size_t most, std::string& out, bool&) {
    if (!ready()) return false;
    if (at_ == file_.size()) {
        const std::size_t count = std::min(most, trailer_.size());
        out.append(trailer_, 0, count);
        trailer_.erase(0, count);
        return true;
    }
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(most, file_.size() - at_));
    const std::size_t before = out.size();
    out.resize(before + count);
    file_.read(at_, {out.data() + before, count});
    at_ += count;
    if (checksum_) {
        checksum_->update(std::string_view(out).substr(before));
        if (at_ == file_.size()) trailer_ = checksum_->hex();
    }
    const bool due = at_ - told_ >= kTellEvery ||
                     std::chrono::steady_clock::now() - told_at_ > std::chrono::milliseconds(200);
    if (due || at_ == file_.size()) tell();
    return true;
}

void FileSource::tell() {
    if (progress_) progress_(at_);
    told_ = at_;
    told_at_ = std::chrono::steady_clock::now();
}

}  // namespace slipway::remote
