#include "agent/testing/fake_request.hpp"

#include <chrono>

#include <sys/eventfd.h>
#include <unistd.h>

namespace slipway::agent {

FakeRequest::FakeRequest() : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

FakeRequest::~FakeRequest() { ::close(event_); }

bool FakeRequest::cancelled() const {
    const Lock lock(mutex_);
    return cancelled_;
}

void FakeRequest::send(wire::Stream stream, std::string_view bytes) {
    const Lock lock(mutex_);
    if (cancelled_) throw Failed("cancelled", "cancelled");
    if (stream == wire::Stream::out) sent_ += bytes;
    changed_.notify_all();
}

void FakeRequest::cancel() {
    {
        const Lock lock(mutex_);
        cancelled_ = true;
    }
    ::eventfd_write(event_, 1);
}

std::string FakeRequest::sent() const {
    const Lock lock(mutex_);
    return sent_;
}

std::string FakeRequest::wait_for_sent() const {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    const Lock lock(mutex_);
    while (sent_.empty() && std::chrono::steady_clock::now() < until) {
        changed_.wait_until(mutex_, until);
    }
    return sent_;
}

}  // namespace slipway::agent
