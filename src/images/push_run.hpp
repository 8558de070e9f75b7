// A push as a run of its own: journalled, so that it can be paused, cancelled, watched and gone on
// with.
//
//     PushRun run(options, {login_to, login_from}, clock);
//     run.look();
//     const PushReport report = run.execute(journal, view, stop);
#pragma once

#include "engine/executor.hpp"
#include "images/image_source.hpp"
#include "images/push.hpp"
#include "images/push_options.hpp"
#include "oci/client/rate_limit.hpp"

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace slipway::images {

inline constexpr const char* kRunKind = "images-push";

struct PushLogins {
    oci::Login to = {};
    oci::Login from = {};
};

enum class ImageState { present, pushed, failed, not_tried };
std::string_view to_string(ImageState state);

struct ImageResult {
    std::string name = {};
    std::string target = {};  // host/repository:tag
    oci::Digest digest = {};  // under which the registry has it
    // The registry takes no index whose other platforms are not there: it has one of those that
    // are, and the digest is not the source's.
    bool reduced = false;
    ImageState state = ImageState::failed;
    std::string error = {};  // id
    std::string message = {};
    std::string remedy = {};
};

struct PushReport {
    std::int64_t run = 0;  // 0: nothing had to be done
    bool resumed = false;
    engine::Outcome outcome = {};
    std::vector<ImageResult> images = {};
    PushCounts counts = {};

    // Every image is in the registry as it should be.
    bool is_whole() const;
    // "succeeded", "partial", "failed" or "cancelled".
    std::string_view result() const;
    // Whether `resume` has something to go on with.
    bool can_be_resumed() const;
};

class PushRun {
  public:
    // Opens the source and reads its manifests. Throws Cancelled when `stop` says so, also in
    // look().
    PushRun(PushOptions options, PushLogins logins, Clock& clock, const std::stop_token& stop = {});

    // Asks the registry what it has; changes nothing. Throws what keeps us from asking at all.
    void look();
    bool has_nothing_to_do() const { return push_->all_whole(); }
    // What there is to say when that is so.
    PushReport report_of_nothing() const;

    const engine::Plan& plan() const { return plan_; }
    const PushSet& set() const { return push_->set(); }
    PushCounts counts() const { return push_->counts(); }

    // `sink` may be null.
    PushReport execute(store::Journal& journal, engine::EventSink* sink, std::stop_token stop);

  private:
    void look_again();
    std::vector<ImageResult> results(const engine::Outcome& outcome) const;
    ImageResult result_of(std::size_t index, const engine::Outcome& outcome) const;

    PushOptions options_;
    Clock& clock_;
    std::stop_token stop_;
    std::unique_ptr<ImageSource> source_;
    std::optional<oci::RateLimit> rate_;
    oci::RegistryClient client_;
    std::shared_ptr<Push> push_;  // shared with the steps
    engine::Plan plan_;
    std::vector<bool> was_whole_;
};

}  // namespace slipway::images
