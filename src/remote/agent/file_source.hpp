// The content of a file as the input of a call, from where the host says on.
#pragma once

#include "base/checksum.hpp"
#include "remote/agent/channel.hpp"
#include "remote/local_file.hpp"

#include <chrono>
#include <functional>
#include <memory>

namespace slipway::remote {

class FileSource final : public CallSource {
  public:
    using Progress = std::function<void(std::uint64_t)>;

    // `tell_checksum`: that of the whole file follows its content, in hex.
    FileSource(const LocalFile& file, bool tell_checksum, const Progress& progress,
               std::stop_token stop);

    // The host's word on where to go on (wire::UploadStart, encoded); it may come again.
    void begin(std::string_view start);

    bool ready() override { return begun_ && (at_ < file_.size() || !trailer_.empty()); }
    bool take(std::size_t most, std::string& out, bool& ended) override;

  private:
    void tell();

    const LocalFile& file_;
    const bool tell_checksum_;
    const Progress& progress_;
    const std::stop_token stop_;
    bool begun_ = false;
    std::uint64_t at_ = 0;
    std::unique_ptr<Checksum> checksum_;  // of all before at_
    std::string trailer_;                 // what follows the content
    std::uint64_t told_ = 0;
    std::chrono::steady_clock::time_point told_at_;
};

}  // namespace slipway::remote
