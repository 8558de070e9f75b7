#include "remote/ssh/dialer.hpp"

#include "base/digest.hpp"
#include "base/error.hpp"
#include "remote/ssh/diagnose.hpp"

#include <array>
#include <thread>

#include <poll.h>
#include <unistd.h>

namespace slipway::remote {

namespace {

class ProcessLink final : public Link {
  public:
    ProcessLink(const Login& login, std::unique_ptr<Subprocess> process, Started started)
        : process_(std::move(process)),
          boot_id_(std::move(started.hello.boot_id)),
          root_by_(started.used_password ? "sudo-password"
                   : started.used_sudo   ? "sudo"
                                         : "root"),
          channel_(std::make_unique<Channel>(login.name, process_->in(), process_->out(),
                                             process_->err(), std::move(started.received))) {}

    // The agent ends when its input does; the client has a moment to follow.
    ~ProcessLink() override {
        channel_.reset();
        process_->close_in();
        for (int i = 0; i < 100 && !process_->ended(); ++i) std::this_thread::sleep_for(Millis(10));
    }
    ProcessLink(const ProcessLink&) = delete;
    ProcessLink& operator=(const ProcessLink&) = delete;

    Channel& channel() override { return *channel_; }
    const std::string& boot_id() const override { return boot_id_; }
    const std::string& root_by() const override { return root_by_; }

  private:
    std::unique_ptr<Subprocess> process_;
    const std::string boot_id_, root_by_;
    std::unique_ptr<Channel> channel_;
};

// Of a client that has closed its output, and so is about to end.
std::optional<int> exit_code(Subprocess& process) {
    for (int i = 0; i < 100 && !process.ended(); ++i) std::this_thread::sleep_for(Millis(10));
    return process.ended();
}

bool asks_for_password(const Login& login) {
    return login.password || (login.bastion && asks_for_password(*login.bastion));
}

}  // namespace

std::multiset<SteadyTime>::iterator DialSlots::first_that_counts() const {
    return begun_.lower_bound(system_clock().steady() - counts_for_);
}

DialSlots::Slot::Slot(DialSlots& slots, const std::stop_token& stop) : slots_(slots) {
    const Lock lock(slots_.mutex_);
    while (true) {
        const auto first = slots_.first_that_counts();
        const auto count = std::distance(first, slots_.begun_.end());
        if (static_cast<std::size_t>(count) < slots_.count_) break;
        if (stop.stop_requested()) throw Cancelled();
        // Until one of them ends, or the first has counted for long enough.
        const std::size_t all = slots_.begun_.size();
        const auto one_ended = [&]() SLIPWAY_REQUIRES(slots_.mutex_) {
            return slots_.begun_.size() < all;
        };
        slots_.changed_.wait_until(slots_.mutex_, stop, *first + slots_.counts_for_, one_ended);
    }
    entry_ = slots_.begun_.insert(system_clock().steady());
}

DialSlots::Slot::~Slot() {
    const Lock lock(slots_.mutex_);
    slots_.begun_.erase(entry_);
    slots_.changed_.notify_one();
}

Dialer::Dialer(SshOptions options, const AgentImages& images,
               std::map<std::string, Credentials> credentials, std::size_t parallel)
    : options_(std::move(options)),
      images_(images),
      credentials_(std::move(credentials)),
      slots_(parallel) {}

const Credentials& Dialer::credentials(const std::string& host) const {
    static const Credentials kNone;
    const auto at = credentials_.find(host);
    return at == credentials_.end() ? kNone : at->second;
}

// The password of the host whose client asks, and of no other. Anything that is no password (a
// passphrase, a question about keys) gets no answer.
Secret Dialer::answer(const Login& login, const std::string& host,
                      const std::string& prompt) const {
    if (prompt.find("assword") == std::string::npos) return {};
    for (const Login* at = &login; at != nullptr; at = at->bastion.get()) {
        if (at->name == host && at->password) return credentials(host).password.clone();
    }
    return {};
}

FirstLogins::Verdict Dialer::try_login(const Login& login, const std::stop_token& stop) {
    const Outcome outcome = start_client(login, options_, stop);
    if (outcome.code < 128) return FirstLogins::Verdict::good;
    const HostError error =
        diagnose(login, {.code = "ended", .stderr_text = outcome.err, .exit_code = outcome.code});
    if (is_refusal(error)) throw error;
    return FirstLogins::Verdict::unclear;  // no network, no sessions: the connection itself will
                                           // say
}

// Bastions that ask for a password, the outermost first.
void Dialer::settle_passwords(const Login* login, const std::stop_token& stop) {
    if (login == nullptr) return;
    settle_passwords(login->bastion.get(), stop);
    if (!login->password || !login->leads_to_others) return;
    first_logins_.settle(login->name, [&] { return try_login(*login, stop); }, stop);
}

std::shared_ptr<Link> Dialer::dial(const DialTarget& target, const std::stop_token& stop) {
    settle_passwords(target.login.get(), stop);
    const DialSlots::Slot slot(slots_, stop);
    const Login& login = *target.login;
    const std::string nonce = random_hex(12);
    const std::string command = bootstrap_command(nonce, images_, target.become);
    const AskpassServer::Ticket ticket(askpass_,
                                       [&](const std::string& host, const std::string& prompt) {
                                           return answer(login, host, prompt);
                                       });

    SubprocessOptions options;
    options.argv = login.local() ? std::vector<std::string>{"/bin/sh", "-c", command}
                                 : ssh_command(login, options_, command);
    options.env = client_environment(options_);
    if (asks_for_password(login)) options.env.merge(ticket.environment(login.name));
    auto process = std::make_unique<Subprocess>(options);
    try {
        Started started = bootstrap(process->in(), process->out(), process->err(), nonce,
                                    {.images = images_,
                                     .become = target.become,
                                     .sudo_password = credentials(login.name).sudo_password},
                                    stop);
        if (started.hello.uid != 0) throw BootstrapFailure{.code = "not-root"};
        return std::make_shared<ProcessLink>(login, std::move(process), std::move(started));
    } catch (BootstrapFailure& failure) {
        if (failure.code == "ended") failure.exit_code = exit_code(*process);
        throw diagnose(login, failure);
    }
}

Dialer::Outcome Dialer::run_client(const Login& login, const SshOptions& options,
                                   const std::stop_token& stop) {
    settle_passwords(login.bastion.get(), stop);
    return start_client(login, options, stop);
}

Dialer::Outcome Dialer::start_client(const Login& login, const SshOptions& options,
                                     const std::stop_token& stop) {
    constexpr std::size_t kMost = 64u << 10;
    const DialSlots::Slot slot(slots_, stop);
    const AskpassServer::Ticket ticket(askpass_,
                                       [&](const std::string& host, const std::string& prompt) {
                                           return answer(login, host, prompt);
                                       });
    SubprocessOptions how{.argv = ssh_command(login, options, "true"),
                          .env = client_environment(options_)};
    if (asks_for_password(login)) how.env.merge(ticket.environment(login.name));
    Subprocess process(how);
    process.close_in();
    Outcome outcome;
    const SteadyTime until = system_clock().steady() + std::chrono::seconds(30);
    std::array<char, 4096> buffer;
    while (true) {
        if (stop.stop_requested()) throw Cancelled();
        if (system_clock().steady() > until) break;
        pollfd wait{.fd = process.err(), .events = POLLIN, .revents = 0};
        if (::poll(&wait, 1, 100) <= 0) continue;
        const ssize_t n = ::read(process.err(), buffer.data(), buffer.size());
        if (n <= 0) break;
        if (outcome.err.size() < kMost)
            outcome.err.append(buffer.data(), static_cast<std::size_t>(n));
    }
    process.end();
    outcome.code = process.wait();
    return outcome;
}

}  // namespace slipway::remote
