// Calls to an agent over the two ends of a connection, many at once.
//
//     Channel channel(in, out, err, rest);
//     Reply reply = channel.call(Verb::exec, encode(exec), {.on_data = print}, stop);
//
// One thread reads; callers wait for their own answers and take their own data, so a caller that is
// slow to read slows its own request only. The link is lost when it ends, breaks the protocol, or
// stays silent for too long; then every call, now and later, throws HostError HOST-LINK-LOST.
#pragma once

#include "base/mutex.hpp"
#include "wire/messages.hpp"

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

namespace slipway::remote {

// Input of a call that is not there, or not all of it, when the call begins.
class CallSource {
  public:
    virtual ~CallSource() = default;
    virtual bool ready() = 0;  // something to send, or the end
    // Appends the next piece of at most `most` bytes to `out`; false when there is none. `ended`
    // once all is taken.
    virtual bool take(std::size_t most, std::string& out, bool& ended) = 0;
    // Whom to tell that it became ready, when that happens on another thread than the caller's;
    // nothing: the call is over.
    virtual void wake_with(std::function<void()>) {}
};

// Filled from another thread.
class CallInput final : public CallSource {
  public:
    void push(std::string_view bytes);  // waits while much is not sent yet
    void end();

    bool ready() override;
    bool take(std::size_t most, std::string& out, bool& ended) override;
    void wake_with(std::function<void()> wake) override;

  private:
    Mutex mutex_;
    Condition taken_;
    std::string bytes_ SLIPWAY_GUARDED_BY(mutex_);
    bool ended_ SLIPWAY_GUARDED_BY(mutex_) = false;
    bool call_over_ SLIPWAY_GUARDED_BY(mutex_) = false;
    std::function<void()> wake_ SLIPWAY_GUARDED_BY(mutex_);
};

struct CallData {
    std::string_view input = {};  // the stream `in`
    bool has_input = false;
    CallSource* later_input = nullptr;  // instead of `input`
    std::function<void(wire::Stream, std::string_view)> on_data = {};
    std::chrono::milliseconds within = {};  // or HOST-STALLED; 0 = as long as it takes
};

struct ChannelOptions {
    std::chrono::milliseconds ping_after = std::chrono::seconds(5);     // the last
    std::chrono::milliseconds lost_after = std::chrono::seconds(20);    // of silence
    std::chrono::milliseconds cancel_grace = std::chrono::seconds(10);  // for a cancelled call
};

// The agent refused or failed; see agent/request.hpp for the codes.
struct Reply {
    bool failed = false;
    std::string body = {};
    wire::Failure failure = {};
};

class Channel {
  public:
    // The descriptors stay the caller's; `err` (may be -1) is drained and its end remembered.
    // `received` is what was already read behind the hello.
    Channel(std::string name, int in, int out, int err, std::string received,
            ChannelOptions options = {});
    ~Channel();
    Channel(const Channel&) = delete;
    Channel& operator=(const Channel&) = delete;

    // Throws HostError HOST-LINK-LOST, Cancelled.
    Reply call(wire::Verb verb, std::string_view body, const CallData& data,
               const std::stop_token& stop);

    bool lost() const { return lost_; }
    std::string why_lost() const;

  private:
    struct Pending;
    class Entry;  // a pending request, taken out again when the call ends

    void read_loop();
    void take(wire::Frame frame);
    void lose(const std::string& why);
    void send(wire::Kind kind, std::uint32_t request, std::string_view payload);
    void send_frame(std::string_view rest);
    bool step(std::uint32_t id, Pending& pending, const CallData& data, std::string_view& input);
    bool send_input(std::uint32_t id, Pending& pending, const CallData& data,
                    std::string_view& input, std::size_t most);
    Reply wait_for_reply(std::uint32_t id, Pending& pending, const CallData& data,
                         const std::stop_token& stop);
    void drain_err();

    const std::string name_;
    const int in_, out_, err_;
    const ChannelOptions options_;
    wire::FrameParser parser_;  // reading thread only

    Mutex write_mutex_;
    mutable Mutex mutex_;
    std::map<std::uint32_t, std::shared_ptr<Pending>> pending_ SLIPWAY_GUARDED_BY(mutex_);
    std::uint32_t next_ SLIPWAY_GUARDED_BY(mutex_) = 1;
    std::string why_ SLIPWAY_GUARDED_BY(mutex_);
    std::string err_tail_ SLIPWAY_GUARDED_BY(mutex_);
    std::atomic<bool> lost_ = false;
    std::atomic<bool> closing_ = false;
    std::atomic<bool> err_open_ = false;
    int wake_ = -1;  // an eventfd that ends the reader
    std::thread reader_;
};

}  // namespace slipway::remote
