#include "agent/facts/listening.hpp"

#include "base/files.hpp"

#include <array>
#include <cstring>

#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace slipway::agent {

namespace {

constexpr std::uint32_t kClosed = 1u << 7;  // what a UDP socket without a peer is
constexpr std::uint32_t kListening = 1u << 10;
constexpr std::size_t kMostSockets = 100'000;

struct Question {
    nlmsghdr header;
    inet_diag_req_v2 wanted;
};

bool ask(int fd, int family, int protocol) {
    Question question{};
    question.header.nlmsg_len = sizeof question;
    question.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
    question.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
    question.wanted.sdiag_family = static_cast<std::uint8_t>(family);
    question.wanted.sdiag_protocol = static_cast<std::uint8_t>(protocol);
    question.wanted.idiag_states = protocol == IPPROTO_TCP ? kListening : kClosed;
    return ::send(fd, &question, sizeof question, 0) == static_cast<ssize_t>(sizeof question);
}

void add(const inet_diag_msg& message, int protocol, std::vector<ListeningSocket>& out) {
    out.push_back({.protocol = protocol == IPPROTO_TCP ? "tcp" : "udp",
                   .address = address_text(message.id.idiag_src, message.idiag_family == AF_INET6),
                   .port = ntohs(message.id.idiag_sport),
                   .inode = message.idiag_inode});
}

// Until the kernel says that this was all. False: it will not tell.
bool receive(int fd, int protocol, std::vector<ListeningSocket>& out) {
    alignas(nlmsghdr) std::array<char, 32768> buffer;
    while (out.size() < kMostSockets) {
        ssize_t left = ::recv(fd, buffer.data(), buffer.size(), 0);
        if (left <= 0) return false;
        for (std::size_t at = 0; left >= static_cast<ssize_t>(sizeof(nlmsghdr));) {
            nlmsghdr header;
            std::memcpy(&header, buffer.data() + at, sizeof header);
            if (header.nlmsg_len < sizeof header ||
                header.nlmsg_len > static_cast<std::size_t>(left))
                return false;
            if (header.nlmsg_type == NLMSG_DONE) return true;
            if (header.nlmsg_type == NLMSG_ERROR) return false;
            if (header.nlmsg_len >= NLMSG_HDRLEN + sizeof(inet_diag_msg)) {
                inet_diag_msg message;
                std::memcpy(&message, buffer.data() + at + NLMSG_HDRLEN, sizeof message);
                add(message, protocol, out);
            }
            const std::size_t step = NLMSG_ALIGN(header.nlmsg_len);
            at += step;
            left -= static_cast<ssize_t>(step);
        }
    }
    return true;
}

}  // namespace

std::string address_text(const void* bytes, bool ipv6) {
    std::array<char, INET6_ADDRSTRLEN> out{};
    if (::inet_ntop(ipv6 ? AF_INET6 : AF_INET, bytes, out.data(), out.size()) == nullptr) return "";
    // An IPv4 address an IPv6 socket is bound to.
    const std::string_view text = out.data();
    constexpr std::string_view kMapped = "::ffff:";
    const bool mapped = text.starts_with(kMapped) && text.find('.') != std::string_view::npos;
    return std::string(mapped ? text.substr(kMapped.size()) : text);
}

std::optional<std::vector<ListeningSocket>> ask_for_listening_sockets() {
    const Fd fd(::socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG));
    if (!fd) return std::nullopt;
    const timeval patience{.tv_sec = 2, .tv_usec = 0};
    ::setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    std::vector<ListeningSocket> out;
    for (const int protocol : {IPPROTO_TCP, IPPROTO_UDP}) {
        for (const int family : {AF_INET, AF_INET6}) {
            if (!ask(fd.get(), family, protocol) || !receive(fd.get(), protocol, out))
                return std::nullopt;
        }
    }
    return out;
}

}  // namespace slipway::agent
