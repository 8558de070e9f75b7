#include "net/http_server.hpp"

#include "base/mutex.hpp"
#include "net/server_connection.hpp"
#include "net/server_counters.hpp"

#include <array>
#include <cerrno>
#include <list>
#include <system_error>
#include <thread>
#include <utility>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

namespace slipway::net {

namespace {

// When descriptors or memory run out, accept fails at once; trying again at once would not help.
constexpr int kPauseAfterFailure = 50;

// Nobody waits for this client. What it has sent already is read, or closing would reset the
// connection and take the answer with it.
void turn_away(int socket) {
    const std::string_view answer = busy_answer();
    ::send(socket, answer.data(), answer.size(), MSG_NOSIGNAL);
    ::shutdown(socket, SHUT_WR);
    std::array<char, 16u << 10> unread{};
    ::recv(socket, unread.data(), unread.size(), MSG_DONTWAIT);
}

// Beyond the room there is: connections that were told to go and have not gone yet.
constexpr std::size_t kMostLeaving = 64;

struct Slot {
    using Stage = ServerConnection::Stage;

    std::thread thread = {};
    int fd = -1;  // -1: closed, or about to be
    Stage stage = Stage::waiting;
    Deadline::Clock::time_point since = Deadline::Clock::now();  // without a whole request
    bool leaving = false;
    bool ended = false;
};

}  // namespace

struct HttpServer::State {
    State(Listener where, ServerOptions how, Handler what)
        : listener(std::move(where)),
          options(std::move(how)),
          handler(std::move(what)),
          wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
        if (!wake) throw std::system_error(errno, std::generic_category(), "eventfd");
    }

    Listener listener;
    ServerOptions options;
    Handler handler;
    ServerCounters counters;
    Fd wake;  // readable: look at `stopping` and `slots` again
    std::atomic<bool> stopping{false};
    std::thread acceptor;

    Mutex mutex;
    Condition changed;
    std::list<Slot> slots SLIPWAY_GUARDED_BY(mutex);  // a list: threads keep a reference to theirs

    void accept_loop();
    void accept_one();
    void start(Accepted accepted);
    void run(Slot& slot, const Accepted& accepted);
    void join_ended();
    bool is_full() const;
    bool make_room();
    void signal() const;
    bool wait_until_empty(Deadline deadline);
    void shut_down(int how, bool idle_only);
};

void HttpServer::State::accept_loop() {
    while (!stopping) {
        join_ended();
        const bool wait_for_room = !options.refuse_when_full && is_full();
        pollfd waiting[2] = {{.fd = wake.get(), .events = POLLIN, .revents = 0},
                             {.fd = listener.fd(), .events = POLLIN, .revents = 0}};
        ::poll(waiting, wait_for_room ? 1 : 2, -1);
        std::uint64_t count = 0;
        [[maybe_unused]] const ssize_t n = ::read(wake.get(), &count, sizeof count);
        if (waiting[1].revents != 0 && !stopping) accept_one();
    }
}

void HttpServer::State::accept_one() {
    Accepted accepted = listener.accept();
    if (!accepted.socket) {
        if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
            pollfd waiting{.fd = wake.get(), .events = POLLIN, .revents = 0};
            ::poll(&waiting, 1, kPauseAfterFailure);
        }
        return;
    }
    if (is_full() && !make_room()) {
        ++counters.refused;
        if (!options.tls) turn_away(accepted.socket.get());
        return;
    }
    ++counters.accepted;
    start(std::move(accepted));
}

void HttpServer::State::start(Accepted accepted) {
    const Lock lock(mutex);
    Slot& slot = slots.emplace_back();
    slot.fd = accepted.socket.get();
    ++counters.open;
    try {
        slot.thread = std::thread([this, &slot, taken = std::move(accepted)] { run(slot, taken); });
    } catch (const std::system_error&) {  // no more threads: as if there were no room
        slots.pop_back();
        --counters.open;
        ++counters.refused;
    }
}

void HttpServer::State::run(Slot& slot, const Accepted& accepted) {
    {
        ServerConnection connection(options, handler, counters, stopping, [&](Slot::Stage stage) {
            const Lock lock(mutex);
            if (slot.stage == Slot::Stage::answering) slot.since = Deadline::Clock::now();
            slot.stage = stage;
        });
        connection.serve(accepted.socket.get(), accepted.peer);
    }
    // Forgotten before it is closed: the number may soon mean another connection.
    const Lock lock(mutex);
    slot.fd = -1;
    slot.ended = true;
    --counters.open;
    changed.notify_all();
    signal();
}

void HttpServer::State::join_ended() {
    std::list<Slot> ended;
    {
        const Lock lock(mutex);
        for (auto at = slots.begin(); at != slots.end();) {
            const auto next = std::next(at);
            if (at->ended) ended.splice(ended.end(), slots, at);
            at = next;
        }
    }
    for (Slot& slot : ended) slot.thread.join();
}

bool HttpServer::State::is_full() const { return counters.open >= options.max_connections; }

bool HttpServer::State::make_room() {
    if (options.silence_for_others == Millis(0)) return false;
    const Lock lock(mutex);
    if (counters.open >= options.max_connections + kMostLeaving) return false;
    Slot* silent = nullptr;
    for (Slot& slot : slots) {
        if (slot.fd < 0 || slot.leaving || slot.stage == Slot::Stage::answering) continue;
        if (silent == nullptr || slot.since < silent->since) silent = &slot;
    }
    if (silent == nullptr || Deadline::Clock::now() - silent->since < options.silence_for_others)
        return false;
    silent->leaving = true;
    ++counters.refused;
    ::shutdown(silent->fd, SHUT_RDWR);
    return true;
}

void HttpServer::State::signal() const {
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t n = ::write(wake.get(), &one, sizeof one);
}

bool HttpServer::State::wait_until_empty(Deadline deadline) {
    constexpr Millis kLongest{3'600'000};
    const Lock lock(mutex);
    while (counters.open > 0) {
        const Millis left = deadline.left(kLongest);
        if (left == Millis(0)) return false;
        changed.wait_for(mutex, left);
    }
    return true;
}

void HttpServer::State::shut_down(int how, bool idle_only) {
    const Lock lock(mutex);
    for (const Slot& slot : slots) {
        const bool idle = slot.stage == Slot::Stage::waiting;
        if (slot.fd >= 0 && (idle || !idle_only)) ::shutdown(slot.fd, how);
    }
}

HttpServer::HttpServer(Listener listener, ServerOptions options, Handler handler)
    : state_(std::make_unique<State>(std::move(listener), std::move(options), std::move(handler))) {
    state_->acceptor = std::thread([state = state_.get()] { state->accept_loop(); });
}

HttpServer::~HttpServer() { stop(Millis(0)); }

std::uint16_t HttpServer::port() const { return state_->listener.port(); }
std::string HttpServer::address() const { return state_->listener.address(); }
ServerStats HttpServer::stats() const { return state_->counters.snapshot(); }

bool HttpServer::stop(Millis grace) {
    if (!state_->acceptor.joinable()) return true;
    state_->stopping = true;
    state_->signal();
    state_->acceptor.join();
    ::shutdown(state_->listener.fd(), SHUT_RDWR);
    // Those between requests read the end of their connection; what had already arrived is read
    // first, so that a request that was just sent is still answered.
    state_->shut_down(SHUT_RD, true);
    const bool clean = state_->wait_until_empty(Deadline::after(grace));
    if (!clean) {
        state_->shut_down(SHUT_RDWR, false);
        state_->wait_until_empty(Deadline::never());
    }
    state_->join_ended();
    return clean;
}

}  // namespace slipway::net
