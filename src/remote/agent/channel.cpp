#include "remote/agent/channel.hpp"

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <optional>

#include <fmt/format.h>

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace slipway::remote {

using wire::Frame;
using wire::Kind;

namespace {

using Steady = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::size_t kErrTail = 4096;
// Consumed bytes are granted again in portions, not one frame each.
constexpr std::size_t kGrantAt = wire::kWindow / 4;

}  // namespace

void CallInput::push(std::string_view bytes) {
    std::function<void()> wake;
    {
        const Lock lock(mutex_);
        while (bytes_.size() > wire::kWindow && !call_over_) taken_.wait(mutex_);
        if (call_over_) return;
        bytes_ += bytes;
        wake = wake_;
    }
    if (wake) wake();
}

void CallInput::end() {
    std::function<void()> wake;
    {
        const Lock lock(mutex_);
        ended_ = true;
        wake = wake_;
    }
    if (wake) wake();
}

bool CallInput::ready() {
    const Lock lock(mutex_);
    return !bytes_.empty() || ended_;
}

bool CallInput::take(std::size_t most, std::string& out, bool& ended) {
    const Lock lock(mutex_);
    if (bytes_.empty() && !ended_) return false;
    const std::size_t count = std::min(most, bytes_.size());
    out.append(bytes_, 0, count);
    bytes_.erase(0, count);
    ended = ended_ && bytes_.empty();
    taken_.notify_all();
    return true;
}

void CallInput::wake_with(std::function<void()> wake) {
    const Lock lock(mutex_);
    call_over_ = !wake;
    wake_ = std::move(wake);
    taken_.notify_all();
}

namespace {

// Appends the next piece of a call's input, of at most `most` bytes; false when there is none to
// send now.
bool next_input(const CallData& data, std::string_view& rest, std::size_t most, std::string& frame,
                bool& ended) {
    if (data.later_input != nullptr) return most > 0 && data.later_input->take(most, frame, ended);
    if (!data.has_input || (most == 0 && !rest.empty())) return false;
    const std::string_view piece = rest.substr(0, most);
    frame += piece;
    rest.remove_prefix(piece.size());
    ended = rest.empty();
    return true;
}

}  // namespace

// What the reader left for one call, and what the call may still send.
struct Channel::Pending {
    Mutex mutex;
    Condition changed;
    std::deque<std::pair<wire::Stream, std::string>> data SLIPWAY_GUARDED_BY(mutex);
    std::size_t held SLIPWAY_GUARDED_BY(mutex) = 0;  // bytes of data
    std::optional<Reply> reply SLIPWAY_GUARDED_BY(mutex);
    bool lost SLIPWAY_GUARDED_BY(mutex) = false;
    std::size_t credit SLIPWAY_GUARDED_BY(mutex) = wire::kWindow;
    std::size_t consumed = 0;  // the call's own
    bool input_ended = false;  // the call's own
};

class Channel::Entry {
  public:
    explicit Entry(Channel& channel) : channel_(channel), pending_(std::make_shared<Pending>()) {
        const Lock lock(channel_.mutex_);
        const std::uint32_t number = channel_.next_++;
        id_ = number;
        channel_.pending_[number] = pending_;
    }
    ~Entry() {
        const Lock lock(channel_.mutex_);
        channel_.pending_.erase(id_);
    }
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;
    std::uint32_t id() const { return id_; }
    Pending& pending() { return *pending_; }

  private:
    Channel& channel_;
    std::uint32_t id_ = 0;
    std::shared_ptr<Pending> pending_;  // shared with the reader, which may hold it for a moment
};

Channel::Channel(std::string name, int in, int out, int err, std::string received,
                 ChannelOptions options)
    : name_(std::move(name)),
      in_(in),
      out_(out),
      err_(err),
      options_(options),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    ::fcntl(in_, F_SETFL, O_NONBLOCK);
    // With room for a whole window a writer waits for credit, not for each bit the pipe takes.
    ::fcntl(in_, F_SETPIPE_SZ, static_cast<int>(wire::kWindow));
    if (err_ >= 0) ::fcntl(err_, F_SETFL, O_NONBLOCK);
    err_open_ = err_ >= 0;
    parser_.add(received);
    reader_ = std::thread([this] { read_loop(); });
}

Channel::~Channel() {
    closing_ = true;
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t n = ::write(wake_, &one, sizeof one);
    reader_.join();
    ::close(wake_);
}

std::string Channel::why_lost() const {
    const Lock lock(mutex_);
    return why_;
}

Reply Channel::call(wire::Verb verb, std::string_view body, const CallData& data,
                    const std::stop_token& stop) {
    if (stop.stop_requested()) throw Cancelled();
    Entry entry(*this);
    if (!lost_) {
        std::string payload(1, static_cast<char>(verb));
        payload += body;
        send(Kind::request, entry.id(), payload);
    }
    try {
        return wait_for_reply(entry.id(), entry.pending(), data, stop);
    } catch (...) {
        // Also when the caller's own end failed: nobody will feed or read the request any more.
        if (!lost_) send(Kind::cancel, entry.id(), "");
        throw;
    }
}

namespace {

HostError stalled(const std::string& name, milliseconds within) {
    return {"HOST-STALLED",
            fmt::format("{} does not answer within {}", name, format_duration(within)),
            {.cause = "something on it hangs: load, a disk, or a mount whose server is gone",
             .remedy = "log in by hand and see what `df` and `dmesg` say",
             .recovery = Recovery::transient}};
}

}  // namespace

Reply Channel::wait_for_reply(std::uint32_t id, Pending& pending, const CallData& data,
                              const std::stop_token& stop) {
    std::string_view input = data.input;
    if (data.later_input != nullptr) {
        data.later_input->wake_with([&pending] {
            const Lock lock(pending.mutex);
            pending.changed.notify_all();
        });
    }
    struct Quiet {  // nobody is to be woken any more once the call has ended
        CallSource* input;
        ~Quiet() {
            if (input != nullptr) input->wake_with({});
        }
    } const quiet{data.later_input};
    std::optional<Steady::time_point> give_up;
    const Steady::time_point until = Steady::now() + data.within;
    while (true) {
        if (stop.stop_requested() && !give_up) {
            give_up = Steady::now() + options_.cancel_grace;
            pending.input_ended = true;
            if (!lost_) send(Kind::cancel, id, "");
        }
        if (step(id, pending, data, input)) continue;
        {
            const Lock lock(pending.mutex);
            if (pending.reply && pending.data.empty()) {
                if (give_up) throw Cancelled();
                return std::move(*pending.reply);
            }
            if (pending.lost || lost_) {
                throw HostError("HOST-LINK-LOST",
                                fmt::format("the connection to {} was lost", name_),
                                {.cause = why_lost(),
                                 .remedy = "see that the host is on and reachable; the run goes on "
                                           "when it answers again",
                                 .recovery = Recovery::transient});
            }
            const auto something = [&]() SLIPWAY_REQUIRES(pending.mutex) {
                if (!pending.data.empty() || pending.reply || pending.lost) return true;
                if (pending.input_ended || pending.credit == 0) return false;
                return data.later_input != nullptr ? data.later_input->ready() : data.has_input;
            };
            if (!give_up && data.within == milliseconds(0)) {
                pending.changed.wait(pending.mutex, stop, something);
            } else if (!give_up) {
                pending.changed.wait_until(pending.mutex, stop, until, something);
                if (!something() && !stop.stop_requested() && Steady::now() >= until)
                    throw stalled(name_, data.within);
            } else if (!pending.changed.wait_until(pending.mutex, *give_up, something)) {
                throw Cancelled();  // it does not even answer that it was cancelled
            }
        }
    }
}

// Takes one piece of data or sends one piece of input; false when there is neither.
bool Channel::step(std::uint32_t id, Pending& pending, const CallData& data,
                   std::string_view& input) {
    std::optional<std::pair<wire::Stream, std::string>> piece;
    std::size_t most = 0;
    {
        const Lock lock(pending.mutex);
        if (!pending.data.empty()) {
            piece = std::move(pending.data.front());
            pending.data.pop_front();
            pending.held -= piece->second.size();
        } else if (!pending.input_ended && !pending.reply && !pending.lost) {
            most = std::min(pending.credit, wire::kDataChunk);
        } else {
            return false;
        }
    }
    if (!piece) return send_input(id, pending, data, input, most);
    if (data.on_data) data.on_data(piece->first, piece->second);
    pending.consumed += piece->second.size();
    if (pending.consumed >= kGrantAt && !lost_) {
        send(Kind::credit, id, wire::credit_payload(static_cast<std::uint32_t>(pending.consumed)));
        pending.consumed = 0;
    }
    return true;
}

bool Channel::send_input(std::uint32_t id, Pending& pending, const CallData& data,
                         std::string_view& input, std::size_t most) {
    std::string frame(wire::kDataHead, '\0');
    if (!next_input(data, input, most, frame, pending.input_ended)) return false;
    const std::size_t count = frame.size() - wire::kDataHead;
    {
        const Lock lock(pending.mutex);
        pending.credit -= count;
    }
    if (count > 0) {
        wire::finish_data_frame(frame, id, wire::Stream::in);
        send_frame(frame);
    }
    if (pending.input_ended) send(Kind::end, id, wire::data_payload(wire::Stream::in, ""));
    return true;
}

// A pipe that stays full is a link that is lost; the reader notices the silence.
void Channel::send(Kind kind, std::uint32_t request, std::string_view payload) {
    send_frame(wire::encode_frame(kind, request, payload));
}

void Channel::send_frame(std::string_view rest) {
    const Lock lock(write_mutex_);
    while (!rest.empty() && !lost_ && !closing_) {
        const ssize_t n = ::write(in_, rest.data(), rest.size());
        if (n > 0) {
            rest.remove_prefix(static_cast<std::size_t>(n));
        } else if (n < 0 && errno == EAGAIN) {
            pollfd wait{.fd = in_, .events = POLLOUT, .revents = 0};
            ::poll(&wait, 1, 200);
        } else if (n < 0 && errno != EINTR) {
            lose(std::strerror(errno));
            return;
        }
    }
}

void Channel::read_loop() {
    std::string buffer(wire::kDataChunk, '\0');
    Steady::time_point heard = Steady::now(), pinged = heard;
    const int pause =
        static_cast<int>(std::min(options_.ping_after / 2, milliseconds(2000)).count());
    try {
        while (std::optional<Frame> frame = parser_.next()) take(std::move(*frame));
        while (!closing_ && !lost_) {
            std::array<pollfd, 3> wait = {pollfd{out_, POLLIN, 0}, pollfd{wake_, POLLIN, 0},
                                          pollfd{err_open_ ? err_ : -1, POLLIN, 0}};
            ::poll(wait.data(), wait.size(), pause);
            if (wait[2].revents != 0) drain_err();
            const Steady::time_point now = Steady::now();
            if (wait[0].revents != 0) {
                const ssize_t n = ::read(out_, buffer.data(), buffer.size());
                if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
                if (n <= 0) return lose("the other side closed it");
                heard = now;
                parser_.add(std::string_view(buffer).substr(0, static_cast<std::size_t>(n)));
                while (std::optional<Frame> frame = parser_.next()) take(std::move(*frame));
            } else if (now - heard > options_.lost_after) {
                return lose(fmt::format(
                    "nothing was heard for {} s",
                    std::chrono::duration_cast<std::chrono::seconds>(now - heard).count()));
            }
            // Also while the other side talks: it gives up a client it does not hear.
            if (now - pinged > options_.ping_after) {
                pinged = now;
                if (write_mutex_.try_lock()) {  // a writer that waits is a question by itself
                    const std::string ping = wire::encode_frame(Kind::ping, 0, "");
                    [[maybe_unused]] const ssize_t n = ::write(in_, ping.data(), ping.size());
                    write_mutex_.unlock();
                }
            }
        }
    } catch (const std::exception& error) {
        lose(error.what());
    }
}

void Channel::take(Frame frame) {
    std::shared_ptr<Pending> pending;
    {
        const Lock lock(mutex_);
        const auto at = pending_.find(frame.request);
        if (at == pending_.end()) return;  // a pong, or the rest of a call that was given up
        pending = at->second;
    }
    const Lock lock(pending->mutex);
    switch (frame.kind) {
        case Kind::data: {
            pending->held += frame.payload.size();
            if (pending->held > wire::kWindow)
                throw wire::ProtocolError("more output than was granted");
            pending->data.emplace_back(frame.stream, std::move(frame.payload));
            break;
        }
        case Kind::credit: pending->credit += wire::parse_credit(frame); break;
        case Kind::reply: pending->reply = Reply{.body = std::move(frame.payload)}; break;
        case Kind::failure:
            pending->reply = Reply{
                .failed = true, .body = {}, .failure = wire::decode<wire::Failure>(frame.payload)};
            break;
        default: return;
    }
    pending->changed.notify_all();
}

void Channel::lose(const std::string& why) {
    if (err_ >= 0) drain_err();
    std::map<std::uint32_t, std::shared_ptr<Pending>> pending;
    {
        const Lock lock(mutex_);
        if (lost_) return;
        why_ = why;
        const std::string tail(trim(err_tail_));
        if (!tail.empty()) why_ += ": " + printable(tail);
        pending = pending_;
        lost_ = true;
    }
    for (auto& [id, call] : pending) {
        const Lock lock(call->mutex);
        call->lost = true;
        call->changed.notify_all();
    }
}

void Channel::drain_err() {
    std::array<char, 4096> buffer;
    while (true) {
        const ssize_t n = ::read(err_, buffer.data(), buffer.size());
        if (n < 0 && errno == EINTR) continue;
        if (n == 0) err_open_ = false;
        if (n <= 0) return;
        const Lock lock(mutex_);
        err_tail_.append(buffer.data(), static_cast<std::size_t>(n));
        if (err_tail_.size() > kErrTail) err_tail_.erase(0, err_tail_.size() - kErrTail);
    }
}

}  // namespace slipway::remote
