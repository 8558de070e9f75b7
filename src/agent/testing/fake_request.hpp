// A request without a client: keeps what is sent, and can be cancelled.
#pragma once

#include "agent/request.hpp"
#include "base/mutex.hpp"

#include <functional>
#include <string>

namespace slipway::agent {

class FakeRequest : public Request {
  public:
    FakeRequest();
    ~FakeRequest() override;
    FakeRequest(const FakeRequest&) = delete;
    FakeRequest& operator=(const FakeRequest&) = delete;

    bool cancelled() const override;
    int cancel_fd() const override { return event_; }
    void send(wire::Stream stream, std::string_view bytes) override;
    std::optional<std::string> receive() override { return std::nullopt; }

    void cancel();
    std::string sent() const;  // on the stream `out`
    // Blocks until something was sent, at most ten seconds.
    std::string wait_for_sent() const;

  private:
    int event_ = -1;
    mutable Mutex mutex_;
    mutable Condition changed_;
    std::string sent_ SLIPWAY_GUARDED_BY(mutex_);
    bool cancelled_ SLIPWAY_GUARDED_BY(mutex_) = false;
};

}  // namespace slipway::agent
