#include "cli/progress.hpp"

#include "base/mutex.hpp"
#include "cli/event_line.hpp"
#include "cli/terminal.hpp"

#include <thread>

namespace slipway::cli {

namespace {

constexpr Millis kFrame{100};
constexpr std::size_t kMostLinesAtOnce = 200;  // a burst of log lines must not grow without bound

class LiveView final : public engine::EventSink {
  public:
    explicit LiveView(const ViewOptions& options)
        : options_(options), area_(options.fd), model_(options.cluster, options.totals) {
        painter_ = std::jthread([this](const std::stop_token& stop) { paint(stop); });
    }
    ~LiveView() override {
        painter_.request_stop();
        painter_.join();
        draw();  // lines that came since the last frame
    }

    void on_event(const engine::Event& event) override {
        const Lock lock(mutex_);
        model_.apply(event);
        if (event.type != "log.line" || !options_.verbose) return;
        if (above_.size() < kMostLinesAtOnce) above_.push_back(event_line(event, options_.style));
    }

  private:
    void paint(const std::stop_token& stop) {
        do {
            draw();
        } while (options_.clock->sleep_for(kFrame, stop));
    }

    void draw() {
        std::vector<std::string> frame;
        std::vector<std::string> above;
        {
            const Lock lock(mutex_);
            frame = render(model_, terminal_size(options_.fd), options_.clock->wall_ms(),
                           options_.style);
            above.swap(above_);
        }
        area_.draw(frame, above);
    }

    const ViewOptions options_;
    LiveArea area_;
    Mutex mutex_;
    ViewModel model_ SLIPWAY_GUARDED_BY(mutex_);
    std::vector<std::string> above_ SLIPWAY_GUARDED_BY(mutex_);
    std::jthread painter_;
};

class PlainView final : public engine::EventSink {
  public:
    explicit PlainView(const ViewOptions& options)
        : options_(options),
          model_(options.cluster, options.totals),
          last_line_(options.clock->steady()) {
        heart_ = std::jthread([this](const std::stop_token& stop) { beat(stop); });
    }

    void on_event(const engine::Event& event) override {
        const Lock lock(mutex_);
        model_.apply(event);
        if (!is_of_interest(event, options_.verbose)) return;
        say(event_line(event, options_.style));
    }

  private:
    void say(const std::string& line) SLIPWAY_REQUIRES(mutex_) {
        write_best_effort(options_.fd, line + "\n");
        last_line_ = options_.clock->steady();
    }

    // Output that stays silent for long looks dead to people and to CI systems.
    void beat(const std::stop_token& stop) {
        SteadyTime next = options_.clock->steady() + options_.heartbeat;
        while (options_.clock->sleep_until(next, stop)) {
            const Lock lock(mutex_);
            if (options_.clock->steady() >= last_line_ + options_.heartbeat) {
                const std::int64_t now = options_.clock->wall_ms();
                say(clock_time(now) + "  still running: " + summary(model_, now));
            }
            next = last_line_ + options_.heartbeat;
        }
    }

    const ViewOptions options_;
    Mutex mutex_;
    ViewModel model_ SLIPWAY_GUARDED_BY(mutex_);
    SteadyTime last_line_ SLIPWAY_GUARDED_BY(mutex_);
    std::jthread heart_;  // last: stops before what it uses goes
};

class JsonView final : public engine::EventSink {
  public:
    explicit JsonView(int fd) : fd_(fd) {}
    void on_event(const engine::Event& event) override {
        write_best_effort(fd_, json::serialize(event.to_json()) + "\n");
    }

  private:
    int fd_;
};

}  // namespace

ViewKind view_kind(std::string_view name) {
    if (name == "tty") return ViewKind::live;
    if (name == "plain") return ViewKind::plain;
    if (name == "json") return ViewKind::json;
    if (name == "none") return ViewKind::none;
    return ViewKind::automatic;
}

std::unique_ptr<engine::EventSink> make_view(ViewKind kind, const ViewOptions& options) {
    switch (kind) {
        case ViewKind::automatic:
            if (options.terminal) return std::make_unique<LiveView>(options);
            return std::make_unique<PlainView>(options);
        case ViewKind::live: return std::make_unique<LiveView>(options);
        case ViewKind::plain: return std::make_unique<PlainView>(options);
        case ViewKind::json: return std::make_unique<JsonView>(options.fd);
        case ViewKind::none: return nullptr;
    }
    return nullptr;
}

}  // namespace slipway::cli
