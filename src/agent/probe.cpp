#include "agent/probe.hpp"

#include "agent/socket_address.hpp"
#include "base/files.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <list>
#include <optional>

#include <poll.h>

namespace slipway::agent {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr std::size_t kMaxOpen = 256;
constexpr std::size_t kMaxTargets = 100'000;
constexpr int kSends = 3;  // of a datagram: one may be lost on the way
constexpr milliseconds kMaxSpacing{300};
constexpr const char* kAnother = "another program answers";

std::string reason_of(int error) {
    switch (error) {
        case ECONNREFUSED: return "refused";
        case ECONNRESET: return "reset";
        case ETIMEDOUT: return "timed out";
        case EHOSTUNREACH:
        case EHOSTDOWN:
        case ENETUNREACH:
        case ENETDOWN:
        case EADDRNOTAVAIL: return "no route";
        case EMSGSIZE: return "too big for the path";
        case EPERM:
        case EACCES: return "forbidden by a firewall";
        case EAFNOSUPPORT: return "IPv6 is switched off";
        default: break;
    }
    std::string text = std::strerror(error);
    text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
    return text;
}

// One knock at one target. `answer` is what is known of it so far.
class Attempt {
  public:
    Attempt(wire::Protocol protocol, const wire::Probe& probe, wire::ProbeAnswer& answer)
        : answer_(answer),
          udp_(protocol == wire::Protocol::udp),
          message_(probe.nonce),
          expected_(probe_answer(probe.nonce)),
          begin_(Clock::now()),
          limit_(probe.timeout_ms),
          spacing_(std::min(limit_ / (kSends + 1), kMaxSpacing)) {}

    void start(const wire::Port& target) {
        const auto address = socket_address(target.address, target.port);
        if (!address || target.port == 0) return finish("not an address");
        const int type = (udp_ ? SOCK_DGRAM : SOCK_STREAM) | SOCK_CLOEXEC | SOCK_NONBLOCK;
        socket_ = Fd(::socket(address->family(), type, 0));
        if (!socket_) return finish(reason_of(errno));
        if (udp_) {
            prepare_datagram(address->family(), target.size);
        } else {
            // We have no use for the kernel's memory of this connection, nor has the other side.
            const linger now{.l_onoff = 1, .l_linger = 0};
            ::setsockopt(socket_.get(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
        }
        if (::connect(socket_.get(), address->get(), address->size) == 0) return connected();
        if (errno != EINPROGRESS) finish(reason_of(errno));
    }

    bool finished() const { return finished_; }
    pollfd wish() const {
        return {socket_.get(), static_cast<short>(connected_ ? POLLIN : POLLOUT), 0};
    }
    Clock::time_point next_event() const {
        const bool sends_again = udp_ && connected_ && sends_ < kSends;
        return std::min(begin_ + limit_,
                        sends_again ? begin_ + sends_ * spacing_ : Clock::time_point::max());
    }

    void ready() {
        int error = 0;
        socklen_t size = sizeof error;
        ::getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &error, &size);
        if (error != 0) return finish(answer_.accepted ? kAnother : reason_of(error));
        if (connected_) {
            read();
        } else {
            connected();
        }
    }

    void time_passed() {
        if (Clock::now() >= begin_ + limit_)
            return finish(answer_.accepted ? kAnother : "timed out");
        if (Clock::now() >= next_event()) send();
    }

  private:
    // The whole IP packet has `size` bytes and may not be cut on its way.
    void prepare_datagram(int family, std::size_t size) {
        constexpr std::size_t kHeads4 = 20 + 8, kHeads6 = 40 + 8, kLargest = 65'000;
        const bool v6 = family == AF_INET6;
        const int never = IP_PMTUDISC_DO;  // the same number for both families
        static_assert(IP_PMTUDISC_DO == IPV6_PMTUDISC_DO);
        ::setsockopt(socket_.get(), v6 ? IPPROTO_IPV6 : IPPROTO_IP,
                     v6 ? IPV6_MTU_DISCOVER : IP_MTU_DISCOVER, &never, sizeof never);
        const std::size_t heads = v6 ? kHeads6 : kHeads4;
        const std::size_t payload = std::min(size, kLargest) - std::min(size, heads);
        message_.resize(std::max(message_.size(), payload), '.');
    }

    void connected() {
        connected_ = true;
        answer_.accepted = !udp_;
        send();
    }

    void send() {
        ++sends_;
        const ssize_t n = ::send(socket_.get(), message_.data(), message_.size(), MSG_NOSIGNAL);
        if (n >= 0 || errno == EAGAIN || errno == ENOBUFS) return;
        finish(answer_.accepted ? kAnother : reason_of(errno));
    }

    void read() {
        std::array<char, 1024> bytes;
        const ssize_t n = ::recv(socket_.get(), bytes.data(), bytes.size(), 0);
        if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
        if (n < 0) return finish(answer_.accepted ? kAnother : reason_of(errno));
        if (udp_) got_.clear();  // a datagram is whole or nothing
        got_.append(bytes.data(), static_cast<std::size_t>(n));
        if (got_ == expected_) {
            answer_.reached = true;
            answer_.accepted = false;
            finish("");
        } else if (n == 0 || !expected_.starts_with(got_)) {
            if (!udp_) finish(kAnother);
        }
    }

    void finish(const std::string& reason) {
        answer_.reason = reason;
        answer_.micros = std::chrono::duration_cast<microseconds>(Clock::now() - begin_).count();
        finished_ = true;
    }

    wire::ProbeAnswer& answer_;
    bool udp_;
    std::string message_, expected_;
    Clock::time_point begin_;
    milliseconds limit_, spacing_;
    Fd socket_;
    bool connected_ = false;
    bool finished_ = false;
    int sends_ = 0;
    std::string got_;
};

// Until something can be done for one of them.
void wait_for_any(std::list<Attempt>& open, const Request& request) {
    std::vector<pollfd> ends = {{request.cancel_fd(), POLLIN, 0}};
    Clock::time_point next = Clock::time_point::max();
    for (const Attempt& attempt : open) {
        ends.push_back(attempt.wish());
        next = std::min(next, attempt.next_event());
    }
    const auto pause =
        std::max(std::chrono::ceil<milliseconds>(next - Clock::now()), milliseconds(0));
    ::poll(ends.data(), ends.size(), static_cast<int>(pause.count()));
    if (request.cancelled()) throw Failed("cancelled", "cancelled");
    std::size_t at = 1;
    for (Attempt& attempt : open) {
        if (ends[at++].revents != 0) attempt.ready();
        if (!attempt.finished()) attempt.time_passed();
    }
}

}  // namespace

wire::ProbeAnswers probe(const wire::Probe& wanted, Request& request) {
    constexpr std::int64_t kLongestMs = 60'000;
    const bool nonce = wanted.nonce.size() >= 8 && wanted.nonce.size() <= 256;
    if (!nonce || wanted.targets.size() > kMaxTargets || wanted.timeout_ms <= 0 ||
        wanted.timeout_ms > kLongestMs) {
        throw Failed("bad-request", "a probe needs a nonce and a time limit of up to a minute");
    }
    wire::ProbeAnswers out;
    out.answers.resize(wanted.targets.size());
    std::list<Attempt> open;
    std::size_t next = 0;
    while (next < wanted.targets.size() || !open.empty()) {
        while (next < wanted.targets.size() && open.size() < kMaxOpen) {
            open.emplace_back(wanted.targets[next].protocol, wanted, out.answers[next]);
            open.back().start(wanted.targets[next]);
            if (open.back().finished()) open.pop_back();
            ++next;
        }
        if (!open.empty()) wait_for_any(open, request);
        open.remove_if([](const Attempt& attempt) { return attempt.finished(); });
    }
    return out;
}

}  // namespace slipway::agent
