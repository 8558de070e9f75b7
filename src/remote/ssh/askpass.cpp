#include "remote/ssh/askpass.hpp"

#include "base/digest.hpp"
#include "base/error.hpp"
#include "remote/ssh/login.hpp"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace slipway::remote {

namespace {

constexpr const char* kVariable = "SLIPWAY_ASKPASS";  // SOCKET:TICKET; neither is a secret
constexpr std::size_t kLongest = 4096;

sockaddr_un address_of(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path)
        throw StateError("SSH-ASKPASS", "the path of the askpass socket is too long: " + path,
                         {.remedy = "set TMPDIR to a shorter folder"});
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    return address;
}

std::string receive_all(int fd) {
    std::string out;
    std::array<char, 1024> buffer;
    while (out.size() < kLongest) {
        const ssize_t n = ::recv(fd, buffer.data(), buffer.size(), 0);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        out.append(buffer.data(), static_cast<std::size_t>(n));
    }
    return out;
}

bool send_all(int fd, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t n = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
}

std::filesystem::path private_folder() {
    const char* base = ::getenv("XDG_RUNTIME_DIR");
    if (base == nullptr || ::access(base, W_OK) != 0) base = ::getenv("TMPDIR");
    std::string path = std::string(base == nullptr ? "/tmp" : base) + "/slipway-XXXXXX";
    if (::mkdtemp(path.data()) == nullptr)
        throw StateError(
            "SSH-ASKPASS", "cannot make a private folder " + path,
            {.cause = std::strerror(errno), .remedy = "set TMPDIR to a writable folder"});
    return path;
}

}  // namespace

AskpassServer::AskpassServer()
    : folder_(private_folder()),
      listening_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)),
      wake_(::eventfd(0, EFD_CLOEXEC)) {
    const sockaddr_un address = address_of((folder_ / "ask").string());
    if (::bind(listening_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) !=
            0 ||
        ::listen(listening_.get(), 64) != 0) {
        throw StateError("SSH-ASKPASS", "cannot listen in " + folder_.string(),
                         {.cause = std::strerror(errno)});
    }
    thread_ = std::thread([this] { serve(); });
}

AskpassServer::~AskpassServer() {
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t n = ::write(wake_.get(), &one, sizeof one);
    thread_.join();
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
}

void AskpassServer::serve() {
    while (true) {
        std::array<pollfd, 2> wait = {pollfd{listening_.get(), POLLIN, 0},
                                      pollfd{wake_.get(), POLLIN, 0}};
        ::poll(wait.data(), wait.size(), -1);
        if (wait[1].revents != 0) return;
        if (wait[0].revents == 0) continue;
        const Fd connection(::accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC));
        if (connection) answer(connection.get());
    }
}

void AskpassServer::answer(int connection) {
    ucred peer{};
    socklen_t size = sizeof peer;
    if (::getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 ||
        peer.uid != ::geteuid())
        return;
    const timeval patience{.tv_sec = 5, .tv_usec = 0};
    ::setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    ::setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    // TICKET, HOST, and the prompt, which may have lines of its own.
    const std::string question = receive_all(connection);
    const std::size_t first = question.find('\n');
    const std::size_t second = question.find('\n', first + 1);
    if (first == std::string::npos || second == std::string::npos) return;
    const std::string host = question.substr(first + 1, second - first - 1);
    Answer answer;
    {
        const Lock lock(mutex_);
        const auto entry = entries_.find(question.substr(0, first));
        if (entry == entries_.end() || entry->second.answered.contains(host)) return;
        answer = entry->second.answer;
    }
    const Secret secret = answer(host, question.substr(second + 1));
    if (secret.empty()) return;
    {
        const Lock lock(mutex_);
        const auto entry = entries_.find(question.substr(0, first));
        if (entry == entries_.end() || !entry->second.answered.insert(host).second) return;
    }
    send_all(connection, secret.reveal());
}

AskpassServer::Ticket::Ticket(AskpassServer& server, Answer answer)
    : server_(server), id_(random_hex(16)) {
    const Lock lock(server_.mutex_);
    server_.entries_[id_] = {.answer = std::move(answer), .answered = {}};
}

AskpassServer::Ticket::~Ticket() {
    const Lock lock(server_.mutex_);
    server_.entries_.erase(id_);
}

std::map<std::string, std::string> AskpassServer::Ticket::environment(
    const std::string& host) const {
    return {{"SSH_ASKPASS", std::filesystem::read_symlink("/proc/self/exe").string()},
            {"SSH_ASKPASS_REQUIRE", "force"},
            {"DISPLAY", "none"},  // older clients use askpass only where there is a display
            {kVariable, (server_.folder_ / "ask").string() + ":" + id_},
            {kLoginVariable, host}};
}

std::optional<int> run_as_askpass(int argc, char** argv) {
    const char* variable = ::getenv(kVariable);
    if (variable == nullptr || argc != 2) return std::nullopt;
    const char* host = ::getenv(kLoginVariable);
    if (host == nullptr) return 1;
    const std::string text = variable;
    const std::size_t colon = text.rfind(':');
    if (colon == std::string::npos) return 1;
    const Fd connection(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const sockaddr_un address = address_of(text.substr(0, colon));
    if (::connect(connection.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) !=
        0)
        return 1;
    if (!send_all(connection.get(), text.substr(colon + 1) + "\n" + host + "\n" + argv[1]))
        return 1;
    ::shutdown(connection.get(), SHUT_WR);
    std::string secret = receive_all(connection.get());
    const bool given = !secret.empty();
    secret += '\n';
    if (given) [[maybe_unused]]
        const ssize_t n = ::write(STDOUT_FILENO, secret.data(), secret.size());
    wipe(secret);
    return given ? 0 : 1;
}

}  // namespace slipway::remote
