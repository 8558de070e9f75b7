#include "agent/tool_output.hpp"

#include "agent/process.hpp"

#include <algorithm>

namespace slipway::agent {

namespace {

constexpr std::size_t kKept = 4u << 20;

// Keeps what would be sent; is cancelled with the request it works for.
class Collector : public Request {
  public:
    explicit Collector(const Request* outer) : outer_(outer) {}

    bool cancelled() const override { return outer_ != nullptr && outer_->cancelled(); }
    int cancel_fd() const override { return outer_ == nullptr ? -1 : outer_->cancel_fd(); }
    void send(wire::Stream stream, std::string_view bytes) override {
        if (stream == wire::Stream::out)
            out_ += bytes.substr(0, kKept - std::min(kKept, out_.size()));
    }
    std::optional<std::string> receive() override { return std::nullopt; }
    std::string take() { return std::move(out_); }

  private:
    const Request* outer_;
    std::string out_;
};

}  // namespace

std::optional<std::string> tool_output(std::vector<std::string> argv,
                                       std::chrono::milliseconds limit, const Request* request) {
    wire::Exec exec;
    exec.argv = std::move(argv);
    exec.deadline_ms = limit.count();
    Collector collector(request);
    try {
        const wire::ExitStatus status = execute(exec, collector);
        if (status.code != 0 || status.timed_out) return std::nullopt;
    } catch (const Failed& failed) {
        if (failed.code == "cancelled") throw;
        return std::nullopt;  // on purpose: a tool that cannot be run has no answer
    }
    return collector.take();
}

}  // namespace slipway::agent
