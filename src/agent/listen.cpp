#include "agent/probe.hpp"
#include "agent/socket_address.hpp"
#include "base/files.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <vector>

#include <poll.h>

namespace slipway::agent {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::size_t kMaxPorts = 512;
constexpr std::size_t kMaxClients = 256;  // more wait in the kernel's queue
constexpr milliseconds kClientLimit{5000};

std::string reason(int error) {
    std::string text = std::strerror(error);
    text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
    return text;
}

void set_option(const Fd& socket, int level, int name, int value) {
    ::setsockopt(socket.get(), level, name, &value, sizeof value);
}

// An Fd without a socket and errno when it cannot be opened.
Fd open_port(const wire::Port& port, const std::string& address) {
    const auto where = socket_address(address, port.port);
    if (!where) {
        errno = EINVAL;
        return {};
    }
    const bool tcp = port.protocol == wire::Protocol::tcp;
    Fd socket(::socket(where->family(),
                       (tcp ? SOCK_STREAM : SOCK_DGRAM) | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!socket) return {};
    const bool v6 = where->family() == AF_INET6;
    // All addresses of both families with one socket, but only those when one is named.
    if (v6) set_option(socket, IPPROTO_IPV6, IPV6_V6ONLY, address == "::" ? 0 : 1);
    if (tcp) {
        set_option(socket, SOL_SOCKET, SO_REUSEADDR, 1);
    } else {
        // No SO_REUSEADDR: for UDP it would take datagrams from the program that has the port.
        set_option(socket, v6 ? IPPROTO_IPV6 : IPPROTO_IP, v6 ? IPV6_RECVPKTINFO : IP_PKTINFO, 1);
    }
    if (::bind(socket.get(), where->get(), where->size) != 0) return {};
    if (tcp && ::listen(socket.get(), SOMAXCONN) != 0) return {};
    return socket;
}

Fd open_port(const wire::Port& port) {
    if (!port.address.empty()) return open_port(port, port.address);
    Fd socket = open_port(port, "::");
    const bool no_ipv6 = !socket && (errno == EAFNOSUPPORT || errno == EADDRNOTAVAIL);
    return no_ipv6 ? open_port(port, "0.0.0.0") : std::move(socket);
}

// Answers one datagram from the very address it was sent to: a host with several addresses would
// else answer with another, and the prober would not know it.
void answer_datagram(const Fd& socket, const std::string& nonce) {
    std::array<char, 65536> bytes;
    alignas(cmsghdr) std::array<char, 256> control;
    SocketAddress from;
    iovec part{bytes.data(), bytes.size()};
    msghdr message{};
    message.msg_name = from.get();
    message.msg_namelen = sizeof from.bytes;
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    const ssize_t n = ::recvmsg(socket.get(), &message, 0);
    if (n < 0) return;
    const std::string_view got(bytes.data(), static_cast<std::size_t>(n));
    if (!got.starts_with(nonce)) return;

    // The way back is the routing table's choice, the address is not.
    for (cmsghdr* head = CMSG_FIRSTHDR(&message); head != nullptr;
         head = CMSG_NXTHDR(&message, head)) {
        if (head->cmsg_level == IPPROTO_IP && head->cmsg_type == IP_PKTINFO) {
            auto* info = reinterpret_cast<in_pktinfo*>(CMSG_DATA(head));
            info->ipi_ifindex = 0;
            info->ipi_spec_dst = info->ipi_addr;
        } else if (head->cmsg_level == IPPROTO_IPV6 && head->cmsg_type == IPV6_PKTINFO) {
            reinterpret_cast<in6_pktinfo*>(CMSG_DATA(head))->ipi6_ifindex = 0;
        }
    }
    std::string answer = probe_answer(nonce);
    part = {answer.data(), answer.size()};
    message.msg_flags = 0;
    ::sendmsg(socket.get(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

class Client {
  public:
    explicit Client(Fd socket) : socket_(std::move(socket)), until_(Clock::now() + kClientLimit) {
        // Whoever ends it, nothing of the connection stays behind in the kernel.
        const linger now{.l_onoff = 1, .l_linger = 0};
        ::setsockopt(socket_.get(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
    }

    int fd() const { return socket_.get(); }
    bool expired() const { return Clock::now() >= until_; }

    // Reads what is there; false when the connection is over. After the answer it is the prober who
    // ends it, so that the answer is not lost on its way.
    bool read(const std::string& nonce) {
        std::array<char, 512> bytes;
        const ssize_t n = ::recv(socket_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
        if (n < 0) return errno == EAGAIN || errno == EINTR;
        if (n == 0) return false;
        got_.append(bytes.data(), static_cast<std::size_t>(n));
        if (answered_ || got_.size() < nonce.size()) return nonce.starts_with(got_);
        if (got_ != nonce) return false;
        const std::string answer = probe_answer(nonce);
        answered_ = ::send(socket_.get(), answer.data(), answer.size(), MSG_NOSIGNAL) ==
                    static_cast<ssize_t>(answer.size());
        return answered_;
    }

  private:
    Fd socket_;
    Clock::time_point until_;
    std::string got_;
    bool answered_ = false;
};

class Listener {
  public:
    Listener(const wire::Listen& wanted, Request& request) : wanted_(wanted), request_(request) {}

    wire::Refused open() {
        wire::Refused refused;
        for (const wire::Port& port : wanted_.ports) {
            Fd socket = open_port(port);
            if (socket) {
                (port.protocol == wire::Protocol::tcp ? tcp_ : udp_).push_back(std::move(socket));
            } else {
                refused.ports.push_back(port.port);
                refused.reasons.push_back(reason(errno));
            }
        }
        return refused;
    }

    void serve() {
        const Clock::time_point end = wanted_.deadline_ms > 0
                                          ? Clock::now() + milliseconds(wanted_.deadline_ms)
                                          : Clock::time_point::max();
        while (!request_.cancelled() && Clock::now() < end) {
            wait(end);
            std::erase_if(clients_, [](const Client& client) { return client.expired(); });
        }
    }

  private:
    // Serves whatever is ready, once.
    void wait(Clock::time_point end) {
        std::vector<pollfd> ends = {{request_.cancel_fd(), POLLIN, 0}};
        const short more = clients_.size() < kMaxClients ? POLLIN : 0;
        for (const Fd& socket : tcp_) ends.push_back({socket.get(), more, 0});
        for (const Fd& socket : udp_) ends.push_back({socket.get(), POLLIN, 0});
        for (const Client& client : clients_) ends.push_back({client.fd(), POLLIN, 0});
        // Clients expire unseen by poll; without one only the deadline matters.
        constexpr milliseconds kTick{250}, kLong{60'000};
        milliseconds pause = clients_.empty() ? kLong : kTick;
        if (end != Clock::time_point::max())
            pause = std::clamp(std::chrono::ceil<milliseconds>(end - Clock::now()), milliseconds(0),
                               pause);
        if (::poll(ends.data(), ends.size(), static_cast<int>(pause.count())) <= 0) return;

        const std::size_t first_client = 1 + tcp_.size() + udp_.size();
        for (std::size_t i = ends.size(); i-- > first_client;) {
            const auto at = clients_.begin() + static_cast<std::ptrdiff_t>(i - first_client);
            if (ends[i].revents != 0 && !at->read(wanted_.nonce)) clients_.erase(at);
        }
        for (std::size_t i = 0; i < udp_.size(); ++i) {
            if (ends[1 + tcp_.size() + i].revents != 0) answer_datagram(udp_[i], wanted_.nonce);
        }
        for (std::size_t i = 0; i < tcp_.size(); ++i) {
            if (ends[1 + i].revents != 0) accept_from(tcp_[i]);
        }
    }

    void accept_from(const Fd& listener) {
        Fd client(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
        if (client && clients_.size() < kMaxClients) clients_.emplace_back(std::move(client));
    }

    const wire::Listen& wanted_;
    Request& request_;
    std::vector<Fd> tcp_, udp_;
    std::vector<Client> clients_;
};

}  // namespace

void listen(const wire::Listen& wanted, Request& request) {
    if (wanted.ports.size() > kMaxPorts || wanted.nonce.size() < 8 || wanted.nonce.size() > 256)
        throw Failed("bad-request", "too many ports, or no nonce of 8 to 256 bytes");
    Listener listener(wanted, request);
    request.send(wire::Stream::out, wire::encode(listener.open()));
    listener.serve();
}

}  // namespace slipway::agent
