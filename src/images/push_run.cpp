#include "images/push_run.hpp"

#include "base/error.hpp"
#include "engine/session.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace slipway::images {

namespace {

// There are none: a push happens here.
class NoHosts final : public remote::Fleet {
  public:
    remote::Host& host(const std::string& name) override {
        throw HostError("HOST-UNKNOWN", fmt::format("a push has no host {}", name));
    }
};

oci::RegistryOptions destination_options(const PushOptions& options, oci::Login login,
                                         const std::stop_token& stop, oci::RateLimit* rate) {
    oci::RegistryOptions out =
        registry_options(options.registry, options.to, std::move(login), stop);
    out.rate = rate;
    out.connections = static_cast<std::size_t>(options.parallel);
    return out;
}

PushSet read_set(ImageSource& source, const PushOptions& options) {
    return read_push_set(
        source.source(), source.images(), {.only = options.only},
        {.prefix = options.prefix, .keep_host = options.keep_host, .exactly = options.exactly});
}

std::optional<oci::RateLimit> rate_of(const PushOptions& options, Clock& clock) {
    if (options.bytes_per_second == 0) return std::nullopt;
    return std::optional<oci::RateLimit>(
        std::in_place, static_cast<std::uint64_t>(options.bytes_per_second), clock);
}

// With a limit of the user's own, half of what each transfer then gets.
std::uint64_t slowest_rate(const PushOptions& options) {
    if (options.bytes_per_second == 0) return kSlowestRate;
    const std::int64_t share =
        options.bytes_per_second / std::max<std::int64_t>(1, options.parallel);
    return std::clamp<std::uint64_t>(static_cast<std::uint64_t>(share) / 2, 1, kSlowestRate);
}

}  // namespace

std::string_view to_string(ImageState state) {
    switch (state) {
        case ImageState::present: return "present";
        case ImageState::pushed: return "pushed";
        case ImageState::failed: return "failed";
        case ImageState::not_tried: return "not tried";
    }
    return "";
}

bool PushReport::is_whole() const {
    return std::ranges::none_of(images, [](const ImageResult& i) {
        return i.state == ImageState::failed || i.state == ImageState::not_tried;
    });
}

std::string_view PushReport::result() const {
    if (is_whole()) return engine::to_string(engine::RunResult::succeeded);
    if (outcome.result == engine::RunResult::cancelled) return engine::to_string(outcome.result);
    const bool some = std::ranges::any_of(images, [](const ImageResult& i) {
        return i.state == ImageState::present || i.state == ImageState::pushed;
    });
    return engine::to_string(some ? engine::RunResult::partial : engine::RunResult::failed);
}

// A run that has succeeded is over, also when the registry lost something behind its back.
bool PushReport::can_be_resumed() const {
    return !is_whole() && outcome.result != engine::RunResult::succeeded;
}

PushRun::PushRun(PushOptions options, PushLogins logins, Clock& clock, const std::stop_token& stop)
    : options_(std::move(options)),
      clock_(clock),
      stop_(stop),
      source_(open_image_source(options_, std::move(logins.from), stop_)),
      rate_(rate_of(options_, clock)),
      client_(
          destination_options(options_, std::move(logins.to), stop_, rate_ ? &*rate_ : nullptr)),
      push_(std::make_shared<Push>(read_set(*source_, options_), source_->source(), client_,
                                   options_.keep_digest ? Sparse::stays : Sparse::may_be_reduced)),
      plan_(engine::Plan::build(push_steps(push_, slowest_rate(options_)))),
      was_whole_(push_->set().images.size()) {}

void PushRun::look() {
    push_->look(static_cast<std::size_t>(options_.parallel));
    for (std::size_t i = 0; i < was_whole_.size(); ++i) was_whole_[i] = push_->is_whole(i);
}

PushReport PushRun::report_of_nothing() const { return {.images = results({})}; }

PushReport PushRun::execute(store::Journal& journal, engine::EventSink* sink,
                            std::stop_token stop) {
    const engine::Session session = engine::start_session(
        journal, plan_, {.kind = kRunKind, .options = options_.to_json()}, clock_);
    NoHosts nobody;
    const auto parallel = static_cast<std::size_t>(options_.parallel);
    engine::Executor executor(plan_, {journal, nobody, clock_, sink},
                              {.steps_fail_alone = true,
                               .pools = {{kRegistryPool, parallel}},
                               .parallel_per_host = parallel},
                              {.run = session.run, .resumed = session.resumed});
    PushReport report{.run = session.run, .resumed = session.resumed};
    report.outcome = executor.run(session.states, stop);
    // What an earlier session finished was not looked at by this one.
    if (report.outcome.result == engine::RunResult::succeeded && !push_->all_whole()) look_again();
    report.images = results(report.outcome);
    report.counts = push_->counts();
    return report;
}

// Whatever keeps us from asking now, what was done is worth a report.
void PushRun::look_again() {
    try {
        push_->look(static_cast<std::size_t>(options_.parallel));
    } catch (const Error&) {
        return;  // those we did not hear of are reported as incomplete
    }
}

std::vector<ImageResult> PushRun::results(const engine::Outcome& outcome) const {
    std::vector<ImageResult> out;
    for (std::size_t i = 0; i < was_whole_.size(); ++i) out.push_back(result_of(i, outcome));
    return out;
}

ImageResult PushRun::result_of(std::size_t index, const engine::Outcome& outcome) const {
    const ImageToPush& image = push_->set().images[index];
    ImageResult out{.name = image.name,
                    .target = options_.registry + "/" + image.target.str(),
                    .digest = image.digest};
    if (push_->is_whole(index)) {
        out.reduced = push_->form_of(index) == Form::reduced;
        out.digest = image.digest_in(push_->form_of(index));
        out.state = was_whole_[index] ? ImageState::present : ImageState::pushed;
        return out;
    }
    out.error = "PUSH-INCOMPLETE";
    out.message = "it was not pushed";
    if (outcome.result == engine::RunResult::cancelled) out.state = ImageState::not_tried;
    // Its own failure, or that of a blob it needs.
    const std::string own = step_id(image);
    for (const engine::Failure& failure : outcome.failures) {
        const bool is_blob = std::ranges::any_of(image.blobs, [&](const oci::Digest& digest) {
            return step_id(digest) == failure.step;
        });
        if (failure.step != own && !is_blob) continue;
        out.state = ImageState::failed;
        out.error = failure.error;
        out.message = failure.message;
        out.remedy = failure.remedy;
    }
    return out;
}

}  // namespace slipway::images
