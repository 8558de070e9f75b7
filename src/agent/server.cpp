#include "agent/server.hpp"

#include "agent/machine.hpp"
#include "base/mutex.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <deque>
#include <map>
#include <memory>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace slipway::agent {

namespace {

using wire::Frame;
using wire::Kind;

// The way out: whole frames only, one at a time.
class Output {
  public:
    explicit Output(int fd) : fd_(fd) {}

    void send(Kind kind, std::uint32_t request, std::string_view payload) {
        raw(wire::encode_frame(kind, request, payload));
    }
    void raw(std::string_view bytes) {
        const Lock lock(mutex_);
        while (!bytes.empty() && !broken_) {
            const ssize_t n = ::write(fd_, bytes.data(), bytes.size());
            if (n < 0 && errno == EINTR) continue;
            if (n < 0) {
                broken_ = true;  // the input will end as well; nobody is there to be told
                return;
            }
            bytes.remove_prefix(static_cast<std::size_t>(n));
        }
    }

  private:
    int fd_;
    Mutex mutex_;
    bool broken_ SLIPWAY_GUARDED_BY(mutex_) = false;
};

// Consumed bytes are granted again in portions, not one frame each.
constexpr std::size_t kGrantAt = wire::kWindow / 4;

class Served : public Request {
  public:
    Served(Output& output, std::uint32_t id)
        : output_(output), id_(id), cancel_fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
    ~Served() override {
        if (cancel_fd_ >= 0) ::close(cancel_fd_);
    }
    Served(const Served&) = delete;
    Served& operator=(const Served&) = delete;

    bool cancelled() const override { return cancelled_; }
    int cancel_fd() const override { return cancel_fd_; }

    void send(wire::Stream stream, std::string_view bytes) override {
        while (!bytes.empty()) {
            const std::size_t count = take_credit(std::min(bytes.size(), wire::kDataChunk));
            output_.send(Kind::data, id_, wire::data_payload(stream, bytes.substr(0, count)));
            bytes.remove_prefix(count);
        }
    }

    std::optional<std::string> receive() override {
        std::string bytes;
        std::size_t grant = 0;
        {
            const Lock lock(mutex_);
            while (inbox_.empty() && !ended_ && !done_receiving_ && !cancelled_)
                changed_.wait(mutex_);
            if (cancelled_) throw Failed("cancelled", "cancelled");
            if (inbox_.empty() || done_receiving_) return std::nullopt;
            bytes = std::move(inbox_.front());
            inbox_.pop_front();
            held_ -= bytes.size();
            taken_ += bytes.size();
            if (taken_ >= kGrantAt) grant = std::exchange(taken_, 0);
        }
        if (grant > 0) {
            output_.send(Kind::credit, id_,
                         wire::credit_payload(static_cast<std::uint32_t>(grant)));
        }
        return bytes;
    }

    void end_receiving() override {
        const Lock lock(mutex_);
        done_receiving_ = true;
        changed_.notify_all();
    }

    // From here on: called by the reading thread.
    void cancel() {
        const Lock lock(mutex_);
        cancelled_ = true;
        const std::uint64_t one = 1;
        [[maybe_unused]] const ssize_t n = ::write(cancel_fd_, &one, sizeof one);
        changed_.notify_all();
    }
    void add_credit(std::uint32_t bytes) {
        const Lock lock(mutex_);
        credit_ += bytes;
        changed_.notify_all();
    }
    void add_input(std::string bytes) {
        const Lock lock(mutex_);
        if (ended_ || held_ + taken_ + bytes.size() > wire::kWindow)
            throw wire::ProtocolError("more input than was granted");
        held_ += bytes.size();
        inbox_.push_back(std::move(bytes));
        changed_.notify_all();
    }
    void end_input() {
        const Lock lock(mutex_);
        ended_ = true;
        changed_.notify_all();
    }

  private:
    std::size_t take_credit(std::size_t wanted) {
        const Lock lock(mutex_);
        while (credit_ == 0 && !cancelled_) changed_.wait(mutex_);
        if (cancelled_) throw Failed("cancelled", "cancelled");
        const std::size_t count = std::min(wanted, credit_);
        credit_ -= count;
        return count;
    }

    Output& output_;
    const std::uint32_t id_;
    const int cancel_fd_;
    Mutex mutex_;
    Condition changed_;
    std::atomic<bool> cancelled_ = false;  // written under mutex_
    std::deque<std::string> inbox_ SLIPWAY_GUARDED_BY(mutex_);
    std::size_t held_ SLIPWAY_GUARDED_BY(mutex_) = 0;
    std::size_t taken_ SLIPWAY_GUARDED_BY(mutex_) = 0;  // and not granted again yet
    bool ended_ SLIPWAY_GUARDED_BY(mutex_) = false;
    bool done_receiving_ SLIPWAY_GUARDED_BY(mutex_) = false;
    std::size_t credit_ SLIPWAY_GUARDED_BY(mutex_) = wire::kWindow;
};

std::string failure(const std::string& code, const std::string& message, int error = 0) {
    constexpr std::size_t kLongest = 64u << 10;
    return wire::encode(
        wire::Failure{.code = code, .message = message.substr(0, kLongest), .system_error = error});
}

class Server {
  public:
    Server(int in, int out, const Handler& handler, const ServerOptions& options)
        : in_(in), output_(out), handler_(handler), options_(options) {}
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    ~Server() {
        const Lock lock(mutex_);
        for (auto& [id, request] : requests_) request->cancel();
        while (!requests_.empty()) ended_.wait(mutex_);
    }

    void run() {
        output_.raw(wire::kMagic);
        output_.send(Kind::hello, 0, wire::encode(hello()));
        wire::FrameParser parser;
        // Much at once: each waiting and waking costs more than the copy.
        std::string buffer(wire::kWindow / 4, '\0');
        ::fcntl(in_, F_SETPIPE_SZ, static_cast<int>(wire::kWindow));
        while (wait_for_input()) {
            const ssize_t n = ::read(in_, buffer.data(), buffer.size());
            if (n < 0 && errno == EINTR) continue;
            if (n <= 0) return;
            parser.add(std::string_view(buffer).substr(0, static_cast<std::size_t>(n)));
            while (std::optional<Frame> frame = parser.next()) take(std::move(*frame));
        }
    }

  private:
    bool wait_for_input() {
        std::array<pollfd, 2> wait = {pollfd{in_, POLLIN, 0}, pollfd{options_.stop_fd, POLLIN, 0}};
        while (true) {
            const int ready =
                ::poll(wait.data(), wait.size(), static_cast<int>(options_.idle_limit.count()));
            if (ready > 0) return wait[1].revents == 0;
            if (ready == 0 || errno != EINTR) return false;
        }
    }

    void take(Frame frame) {
        switch (frame.kind) {
            case Kind::request: start(frame); return;
            case Kind::ping: output_.send(Kind::pong, frame.request, ""); return;
            case Kind::data:
                if (auto request = find(frame.request))
                    request->add_input(std::move(frame.payload));
                return;
            case Kind::end:
                if (auto request = find(frame.request)) request->end_input();
                return;
            case Kind::credit:
                if (auto request = find(frame.request))
                    request->add_credit(wire::parse_credit(frame));
                return;
            case Kind::cancel:
                if (auto request = find(frame.request)) request->cancel();
                return;
            default: throw wire::ProtocolError("a frame only the agent may send");
        }
    }

    std::shared_ptr<Served> find(std::uint32_t id) {  // shared: its thread may end at any moment
        const Lock lock(mutex_);
        const auto at = requests_.find(id);
        return at == requests_.end() ? nullptr : at->second;
    }

    void start(const Frame& frame) {
        if (frame.payload.empty()) throw wire::ProtocolError("a request without a verb");
        auto request = std::make_shared<Served>(output_, frame.request);
        {
            const Lock lock(mutex_);
            if (requests_.contains(frame.request))
                throw wire::ProtocolError("a request number in use");
            if (requests_.size() >= options_.max_requests) {
                output_.send(Kind::failure, frame.request,
                             failure("busy", "too many requests at once"));
                return;
            }
            requests_.emplace(frame.request, request);
        }
        const auto verb = static_cast<wire::Verb>(frame.payload[0]);
        std::thread([this, verb, id = frame.request, request, body = frame.payload.substr(1)] {
            answer(verb, id, body, *request);
            const Lock lock(mutex_);
            requests_.erase(id);
            ended_.notify_all();
        }).detach();
    }

    void answer(wire::Verb verb, std::uint32_t id, const std::string& body, Request& request) {
        try {
            output_.send(Kind::reply, id, handler_(verb, body, request));
        } catch (const Failed& failed) {
            output_.send(Kind::failure, id,
                         failure(failed.code, failed.what(), failed.system_error));
        } catch (const wire::ProtocolError& error) {
            output_.send(Kind::failure, id, failure("bad-request", error.what()));
        } catch (const std::exception& error) {
            output_.send(Kind::failure, id, failure("system", error.what()));
        }
    }

    const int in_;
    Output output_;
    const Handler& handler_;
    const ServerOptions options_;
    Mutex mutex_;
    Condition ended_;
    std::map<std::uint32_t, std::shared_ptr<Served>> requests_ SLIPWAY_GUARDED_BY(mutex_);
};

}  // namespace

void serve(int in, int out, const Handler& handler, const ServerOptions& options) {
    Server(in, out, handler, options).run();
}

}  // namespace slipway::agent
