#include "server/gate.hpp"

#include "server/problem.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include <arpa/inet.h>

namespace slipway::server {

namespace {

using std::chrono::seconds;

[[noreturn]] void refuse(seconds wait) {
    Problem problem(429, "SERVER-TOO-MANY-GUESSES",
                    fmt::format("too many wrong answers; try again in {} s", wait.count()));
    problem.headers.set("Retry-After", fmt::format("{}", wait.count()));
    throw problem;
}

struct Turn {
    explicit Turn(std::atomic<int>& count) : waiting(count), number(++count) {}
    ~Turn() { --waiting; }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    std::atomic<int>& waiting;
    int number;
};

}  // namespace

std::string guesser_of(const std::string& peer) {
    if (!peer.starts_with('[')) return peer.substr(0, peer.rfind(':'));
    std::array<unsigned char, 16> bytes{};
    std::string address = peer.substr(1, peer.find_first_of("]%") - 1);
    if (::inet_pton(AF_INET6, address.c_str(), bytes.data()) != 1) return address;
    std::fill(bytes.begin() + 8, bytes.end(), 0);
    std::array<char, INET6_ADDRSTRLEN> text{};
    ::inet_ntop(AF_INET6, bytes.data(), text.data(), text.size());
    return text.data();
}

void Gate::require_open(const std::string& who) {
    const SteadyTime now = clock_.steady();
    SteadyTime until = closed_to_all_until_;
    if (const auto known = guessers_.find(who); known != guessers_.end())
        until = std::max(until, known->second.closed_until);
    if (now < until) refuse(std::max(seconds(1), std::chrono::ceil<seconds>(until - now)));
}

void Gate::forget_old() {
    const SteadyTime now = clock_.steady();
    std::erase_if(guessers_, [&](const auto& item) { return now - item.second.last >= kForget; });
    if (guessers_.size() < kMostKnown) return;
    guessers_.erase(std::ranges::min_element(
        guessers_, {}, [](const auto& item) { return item.second.closed_until; }));
}

void Gate::note_wrong(const std::string& who) {
    if (!guessers_.contains(who)) forget_old();
    const SteadyTime now = clock_.steady();
    Guesser& guesser = guessers_[who];
    guesser.last = now;
    if (++guesser.wrong >= kFree) {
        const int doubled = std::min(guesser.wrong - kFree, 6);
        guesser.closed_until = now + std::min(seconds(1ll << doubled), kLongest);
    }
    if (++wrong_of_all_ >= kFreeOfAll) closed_to_all_until_ = now + seconds(1);
}

bool Gate::attempt(const std::string& peer, const std::function<bool()>& right) {
    const Turn turn(waiting_);
    if (turn.number > kMostWaiting) refuse(seconds(1));
    const std::string who = guesser_of(peer);
    const Lock lock(mutex_);
    require_open(who);
    if (!right()) {
        note_wrong(who);
        return false;
    }
    guessers_.erase(who);
    wrong_of_all_ = 0;
    return true;
}

}  // namespace slipway::server
