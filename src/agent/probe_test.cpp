// Listeners and probes on this computer's loopback, and in a network of their own where a packet
// can be too big.
#include "agent/probe.hpp"

#include "agent/socket_address.hpp"
#include "agent/testing/fake_request.hpp"
#include "agent/testing/own_namespace.hpp"
#include "base/files.hpp"

#include <array>
#include <chrono>
#include <cstring>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <net/if.h>
#include <sched.h>

#include <poll.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace slipway::agent {

namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using wire::Port;
using wire::Protocol;

const std::string kNonce = "0123456789abcdef";

// A socket bound to a port of the kernel's choice.
Fd bound(int type, const std::string& address, std::uint32_t* port) {
    auto where = *socket_address(address, *port);
    Fd socket(::socket(where.family(), type | SOCK_CLOEXEC, 0));
    if (::bind(socket.get(), where.get(), where.size) != 0) return {};
    ::getsockname(socket.get(), where.get(), &where.size);
    *port = ntohs(reinterpret_cast<const sockaddr_in*>(where.get())->sin_port);
    return socket;
}

// One that nobody has for either protocol just now.
std::uint32_t free_port() {
    while (true) {
        std::uint32_t port = 0;
        const Fd tcp = bound(SOCK_STREAM, "127.0.0.1", &port);
        if (bound(SOCK_DGRAM, "127.0.0.1", &port)) return port;
    }
}

bool has_ipv6() {
    std::uint32_t port = 0;
    return static_cast<bool>(bound(SOCK_STREAM, "::1", &port));
}

Port port_of(Protocol protocol, const std::string& address, std::uint32_t number,
             std::uint32_t size = 0) {
    Port out;
    out.protocol = protocol;
    out.address = address;
    out.port = number;
    out.size = size;
    return out;
}

std::vector<wire::ProbeAnswer> knock(const std::vector<Port>& targets, int timeout_ms = 3000,
                                     const std::string& nonce = kNonce) {
    wire::Probe wanted;
    wanted.targets = targets;
    wanted.nonce = nonce;
    wanted.timeout_ms = timeout_ms;
    FakeRequest request;
    return probe(wanted, request).answers;
}

std::string told(const wire::ProbeAnswer& answer) {
    return answer.reached ? "reached" : (answer.accepted ? "accepted, " : "") + answer.reason;
}

std::vector<std::string> told(const std::vector<wire::ProbeAnswer>& answers) {
    std::vector<std::string> out;
    for (const wire::ProbeAnswer& answer : answers) out.push_back(told(answer));
    return out;
}

// A listener on a thread of its own, until it is told to stop.
class Listening {
  public:
    explicit Listening(const std::vector<Port>& ports, std::int64_t deadline_ms = 0) {
        wanted_.ports = ports;
        wanted_.nonce = kNonce;
        wanted_.deadline_ms = deadline_ms;
        thread_ = std::jthread([this] { listen(wanted_, request_); });
        refused_ = wire::decode<wire::Refused>(request_.wait_for_sent());
    }
    ~Listening() { request_.cancel(); }

    const wire::Refused& refused() const { return refused_; }
    void stop() {
        request_.cancel();
        thread_.join();
    }
    void join() { thread_.join(); }

  private:
    wire::Listen wanted_;
    FakeRequest request_;
    wire::Refused refused_;
    std::jthread thread_;
};

TEST(Probe, ReachesAListenerByEitherProtocolAndFamily) {
    const std::uint32_t port = free_port();
    const Listening listening({port_of(Protocol::tcp, "", port), port_of(Protocol::udp, "", port)});
    EXPECT_THAT(listening.refused().ports, IsEmpty());
    std::vector<Port> targets = {port_of(Protocol::tcp, "127.0.0.1", port),
                                 port_of(Protocol::udp, "127.0.0.1", port),
                                 port_of(Protocol::udp, "127.0.0.2", port, 9000)};
    if (has_ipv6()) {
        targets.push_back(port_of(Protocol::tcp, "::1", port));
        targets.push_back(port_of(Protocol::udp, "::1", port, 9000));
    }
    for (const wire::ProbeAnswer& answer : knock(targets)) {
        EXPECT_EQ(told(answer), "reached");
        EXPECT_FALSE(answer.accepted);
        EXPECT_GT(answer.micros, 0);
    }
}

TEST(Probe, AListenerOfOneAddressAnswersThereOnly) {
    const std::uint32_t port = free_port();
    const Listening listening(
        {port_of(Protocol::tcp, "127.0.0.1", port), port_of(Protocol::udp, "127.0.0.1", port)});
    EXPECT_THAT(told(knock({port_of(Protocol::tcp, "127.0.0.1", port),
                            port_of(Protocol::udp, "127.0.0.1", port),
                            port_of(Protocol::tcp, "127.0.0.2", port),
                            port_of(Protocol::udp, "127.0.0.2", port)})),
                ElementsAre("reached", "reached", "refused", "refused"));
}

TEST(Probe, TellsWhyItWasNotReached) {
    const std::uint32_t port = free_port();
    EXPECT_THAT(
        told(knock(
            {port_of(Protocol::tcp, "127.0.0.1", port), port_of(Protocol::udp, "127.0.0.1", port),
             port_of(Protocol::tcp, "w1.example", port), port_of(Protocol::tcp, "127.0.0.1", 0),
             port_of(Protocol::udp, "127.0.0.1", 70000)})),
        ElementsAre("refused", "refused", "not an address", "not an address", "not an address"));
}

TEST(Probe, AnotherProgramIsNotTakenForTheListener) {
    std::uint32_t silent_port = 0, chatty_port = 0, mute_port = 0;
    const Fd silent = bound(SOCK_STREAM, "127.0.0.1", &silent_port);
    const Fd chatty = bound(SOCK_STREAM, "127.0.0.1", &chatty_port);
    const Fd mute = bound(SOCK_DGRAM, "127.0.0.1", &mute_port);
    ASSERT_EQ(::listen(silent.get(), 8), 0);
    ASSERT_EQ(::listen(chatty.get(), 8), 0);
    const std::jthread program([&] {
        const Fd client(::accept4(chatty.get(), nullptr, nullptr, SOCK_CLOEXEC));
        ::send(client.get(), "slipway-oh no", 13, MSG_NOSIGNAL);
    });
    EXPECT_THAT(told(knock({port_of(Protocol::tcp, "127.0.0.1", silent_port),
                            port_of(Protocol::tcp, "127.0.0.1", chatty_port),
                            port_of(Protocol::udp, "127.0.0.1", mute_port)},
                           200)),
                ElementsAre("accepted, another program answers",
                            "accepted, another program answers", "timed out"));
}

TEST(Probe, AListenerWithAnotherNonceDoesNotAnswer) {
    const std::uint32_t port = free_port();
    const Listening listening({port_of(Protocol::tcp, "", port), port_of(Protocol::udp, "", port)});
    EXPECT_THAT(told(knock({port_of(Protocol::tcp, "127.0.0.1", port),
                            port_of(Protocol::udp, "127.0.0.1", port)},
                           200, "0123456789abcdeX")),
                ElementsAre("accepted, another program answers", "timed out"));
    EXPECT_EQ(told(knock({port_of(Protocol::tcp, "127.0.0.1", port)})[0]), "reached");
}

TEST(Probe, AConnectionNobodyAcceptsTimesOut) {
    std::uint32_t port = 0;
    const Fd full = bound(SOCK_STREAM, "127.0.0.1", &port);
    ASSERT_EQ(::listen(full.get(), 0), 0);
    const auto where = *socket_address("127.0.0.1", port);
    std::vector<Fd> fillers;  // the kernel drops what comes once its queue is full
    for (int i = 0; i < 4; ++i) {
        fillers.emplace_back(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
        ::connect(fillers.back().get(), where.get(), where.size);
    }
    EXPECT_EQ(told(knock({port_of(Protocol::tcp, "127.0.0.1", port)}, 200)[0]), "timed out");
}

TEST(Probe, ManyTargetsAreAskedBesideEachOther) {
    const std::uint32_t port = free_port();
    std::uint32_t mute_port = 0;
    const Fd mute = bound(SOCK_DGRAM, "127.0.0.1", &mute_port);
    const Listening listening({port_of(Protocol::tcp, "127.0.0.1", port)});
    std::vector<Port> targets;
    for (int i = 0; i < 600; ++i) {
        targets.push_back(i % 3 == 0   ? port_of(Protocol::udp, "127.0.0.1", mute_port)
                          : i % 3 == 1 ? port_of(Protocol::tcp, "127.0.0.1", port)
                                       : port_of(Protocol::tcp, "127.0.0.2", port));
    }
    const auto begin = std::chrono::steady_clock::now();
    const std::vector<wire::ProbeAnswer> answers = knock(targets, 500);
    // 200 of them take half a second each.
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
    ASSERT_EQ(answers.size(), targets.size());
    for (std::size_t i = 0; i < answers.size(); ++i) {
        EXPECT_EQ(told(answers[i]), i % 3 == 0 ? "timed out" : i % 3 == 1 ? "reached" : "refused");
    }
}

TEST(Probe, StopsWhenItIsCancelled) {
    std::uint32_t port = 0;
    const Fd mute = bound(SOCK_DGRAM, "127.0.0.1", &port);
    wire::Probe wanted;
    wanted.targets = {port_of(Protocol::udp, "127.0.0.1", port)};
    wanted.nonce = kNonce;
    wanted.timeout_ms = 60'000;
    FakeRequest request;
    const std::jthread canceller([&] {
        pollfd knocked{mute.get(), POLLIN, 0};
        ::poll(&knocked, 1, 10'000);
        request.cancel();
    });
    EXPECT_THROW(probe(wanted, request), Failed);
}

TEST(Probe, RefusesWishesThatMakeNoSense) {
    FakeRequest request;
    wire::Probe wanted;
    wanted.nonce = kNonce;
    EXPECT_THROW(probe(wanted, request), Failed) << "no time limit";
    wanted.timeout_ms = 100;
    EXPECT_THAT(probe(wanted, request).answers, IsEmpty());
    wanted.nonce = "short";
    EXPECT_THROW(probe(wanted, request), Failed);
    EXPECT_THROW(listen({}, request), Failed);
}

TEST(Listen, TellsThePortsItCouldNotOpen) {
    std::uint32_t tcp_port = 0, udp_port = 0;
    const Fd tcp = bound(SOCK_STREAM, "127.0.0.1", &tcp_port);
    ASSERT_EQ(::listen(tcp.get(), 1), 0);
    const Fd udp = bound(SOCK_DGRAM, "0.0.0.0", &udp_port);
    const std::uint32_t port = free_port();
    const Listening listening(
        {port_of(Protocol::tcp, "127.0.0.1", tcp_port), port_of(Protocol::tcp, "", port),
         port_of(Protocol::udp, "", udp_port), port_of(Protocol::udp, "192.0.2.77", port)});
    EXPECT_THAT(listening.refused().ports, ElementsAre(tcp_port, udp_port, port));
    EXPECT_THAT(listening.refused().reasons,
                ElementsAre("address already in use", "address already in use",
                            "cannot assign requested address"));
    EXPECT_EQ(told(knock({port_of(Protocol::tcp, "127.0.0.1", port)})[0]), "reached");
}

// Whoever needs the port next may not even have to say SO_REUSEADDR.
TEST(Listen, LeavesNothingBehind) {
    const std::uint32_t port = free_port();
    Listening listening({port_of(Protocol::tcp, "", port), port_of(Protocol::udp, "", port)});
    ASSERT_THAT(told(knock({port_of(Protocol::tcp, "127.0.0.1", port),
                            port_of(Protocol::udp, "127.0.0.1", port)})),
                ElementsAre("reached", "reached"));
    const auto where = *socket_address("127.0.0.1", port);
    const Fd idle(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    ASSERT_EQ(::connect(idle.get(), where.get(), where.size), 0);
    listening.stop();
    std::uint32_t same = port;
    EXPECT_TRUE(bound(SOCK_STREAM, "127.0.0.1", &same)) << std::strerror(errno);
    EXPECT_TRUE(bound(SOCK_DGRAM, "127.0.0.1", &same)) << std::strerror(errno);
}

TEST(Listen, EndsAtItsDeadline) {
    const std::uint32_t port = free_port();
    Listening listening({port_of(Protocol::tcp, "", port)}, 50);
    listening.join();
    EXPECT_EQ(told(knock({port_of(Protocol::tcp, "127.0.0.1", port)})[0]), "refused");
}

TEST(Listen, GoesOnAnsweringWhileOthersTalkNonsense) {
    const std::uint32_t port = free_port();
    const Listening listening({port_of(Protocol::tcp, "", port)});
    const auto where = *socket_address("127.0.0.1", port);
    std::vector<Fd> idle;
    for (int i = 0; i < 100; ++i) {
        idle.emplace_back(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        ASSERT_EQ(::connect(idle.back().get(), where.get(), where.size), 0);
    }
    ::send(idle[0].get(), "GET / HTTP/1.1\r\n\r\n", 18, MSG_NOSIGNAL);
    pollfd closed{idle[0].get(), POLLIN, 0};
    EXPECT_EQ(::poll(&closed, 1, 10'000), 1);
    char byte = 0;
    EXPECT_LE(::recv(idle[0].get(), &byte, 1, 0), 0) << "who sends anything else is sent away";
    EXPECT_EQ(told(knock({port_of(Protocol::tcp, "127.0.0.1", port)})[0]), "reached");
}

// A loopback of 1400 bytes, in a network namespace of a child.
int probe_a_narrow_network() {
    if (!enter_own_namespace(CLONE_NEWNET)) return 2;
    const Fd control(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    ifreq loopback{};
    std::strcpy(loopback.ifr_name, "lo");
    loopback.ifr_mtu = 1400;
    const bool narrow = ::ioctl(control.get(), SIOCSIFMTU, &loopback) == 0;
    loopback.ifr_flags = IFF_UP;
    if (!narrow || ::ioctl(control.get(), SIOCSIFFLAGS, &loopback) != 0) return 2;
    const Listening listening({port_of(Protocol::udp, "", 7000)});
    const auto answers = told(knock({port_of(Protocol::udp, "127.0.0.1", 7000, 1400),
                                     port_of(Protocol::udp, "127.0.0.1", 7000, 1401),
                                     port_of(Protocol::tcp, "198.51.100.1", 7000)}));
    return answers == std::vector<std::string>{"reached", "too big for the path", "no route"} ? 0
                                                                                              : 1;
}

TEST(Probe, TellsWhenAPacketIsTooBigForThePath) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(probe_a_narrow_network());
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status));
    ASSERT_NE(WEXITSTATUS(status), 2) << "needs root, or user namespaces";
    EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace

}  // namespace slipway::agent
