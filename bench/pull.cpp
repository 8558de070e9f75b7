// Pulls blobs with many connections and throws the bytes away in the kernel, so that what is
// measured is whoever sends them; and the least such a sender can be: sendfile and nothing else.
//
//     slipway_pull http HOST:PORT CONNECTIONS < paths         every connection asks for every path
//     slipway_pull raw HOST:PORT CONNECTIONS < "OFFSET LENGTH" lines, of a `slipway_pull serve`
//     slipway_pull serve FILE                                  prints its port; ends with its stdin
//
// Prints the bytes and the seconds.
#include "net/socket.hpp"
#include "net/stream.hpp"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/sendfile.h>
#include <sys/socket.h>

namespace {

using slipway::Fd;
namespace net = slipway::net;

[[noreturn]] void fail(const std::string& why) {
    std::cerr << "slipway_pull: " << why << '\n';
    std::exit(1);
}

struct Wanted {
    std::string path;
    std::uint64_t offset = 0, length = 0;
};

void block(int socket) {
    const int flags = ::fcntl(socket, F_GETFL);
    ::fcntl(socket, F_SETFL, flags & ~O_NONBLOCK);
}

void send_all(int socket, const void* bytes, std::size_t size) {
    if (::send(socket, bytes, size, MSG_NOSIGNAL) != static_cast<ssize_t>(size)) fail("send");
}

// MSG_TRUNC: the kernel forgets the bytes, nothing is copied.
void discard(int socket, std::uint64_t size) {
    while (size > 0) {
        const ssize_t n =
            ::recv(socket, nullptr, std::min<std::uint64_t>(size, 1u << 20), MSG_TRUNC);
        if (n <= 0) fail("a body ended too early");
        size -= static_cast<std::uint64_t>(n);
    }
}

std::uint64_t get(int socket, const std::string& host, const std::string& path) {
    const std::string request = fmt::format("GET {} HTTP/1.1\r\nHost: {}\r\n\r\n", path, host);
    send_all(socket, request.data(), request.size());
    std::string head;
    char buffer[4096];
    std::size_t end = std::string::npos;
    while (end == std::string::npos) {
        const ssize_t n = ::recv(socket, buffer, sizeof(buffer), 0);
        if (n <= 0) fail("no answer for " + path);
        head.append(buffer, static_cast<std::size_t>(n));
        end = head.find("\r\n\r\n");
    }
    if (!head.starts_with("HTTP/1.1 200")) fail(path + ": " + head.substr(0, 40));
    const std::size_t at = head.find("Content-Length: ");
    if (at > end) fail("an answer without a length");
    const std::uint64_t length = std::strtoull(head.c_str() + at + 16, nullptr, 10);
    discard(socket, length - (head.size() - end - 4));
    return length;
}

std::uint64_t pull(bool http, const std::string& host, std::uint16_t port,
                   const std::string& address, const std::vector<Wanted>& wanted,
                   std::size_t first) {
    const Fd socket = net::connect_tcp(host, port, net::Deadline::after(net::Millis(10'000)));
    block(socket.get());
    std::uint64_t bytes = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        const Wanted& one = wanted[(first + i) % wanted.size()];  // not all the same one at a time
        if (http) {
            bytes += get(socket.get(), address, one.path);
        } else {
            const std::uint64_t range[2] = {one.offset, one.length};
            send_all(socket.get(), range, sizeof(range));
            discard(socket.get(), one.length);
            bytes += one.length;
        }
    }
    return bytes;
}

void pull_all(bool http, const std::string& address, std::size_t connections) {
    std::vector<Wanted> wanted;
    if (http) {
        for (std::string line; std::getline(std::cin, line);) wanted.push_back({.path = line});
    } else {
        for (Wanted one; std::cin >> one.offset >> one.length;) wanted.push_back(one);
    }
    const std::size_t colon = address.rfind(':');
    const std::string host = address.substr(0, colon);
    const auto port = static_cast<std::uint16_t>(std::stoi(address.substr(colon + 1)));
    std::atomic<std::uint64_t> bytes = 0;
    const auto begin = std::chrono::steady_clock::now();
    {
        std::vector<std::jthread> threads;
        for (std::size_t i = 0; i < connections; ++i) {
            threads.emplace_back([&, i] {
                bytes += pull(http, host, port, address, wanted, i * wanted.size() / connections);
            });
        }
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    std::cout << fmt::format("{} {:.4f}\n", bytes.load(), took.count());
}

void serve_one(const Fd& socket, const Fd& file) {
    block(socket.get());
    std::uint64_t range[2];
    while (::recv(socket.get(), range, sizeof(range), MSG_WAITALL) == sizeof(range)) {
        auto offset = static_cast<off_t>(range[0]);
        const off_t end = offset + static_cast<off_t>(range[1]);
        while (offset < end) {
            if (::sendfile(socket.get(), file.get(), &offset,
                           static_cast<std::size_t>(end - offset)) <= 0)
                return;
        }
    }
}

void serve(const std::string& path) {
    const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file) fail("cannot open " + path);
    const net::Listener listener("127.0.0.1:0");
    std::cout << listener.port() << std::endl;
    std::vector<std::jthread> threads;
    while (true) {
        pollfd both[2] = {{.fd = listener.fd(), .events = POLLIN, .revents = 0},
                          {.fd = STDIN_FILENO, .events = POLLIN, .revents = 0}};
        ::poll(both, 2, -1);
        if (both[1].revents != 0) return;
        auto accepted = std::make_shared<net::Accepted>(listener.accept());
        if (accepted->socket)
            threads.emplace_back([accepted, &file] { serve_one(accepted->socket, file); });
    }
}

}  // namespace

int main(int argc, char** argv) {
    ::signal(SIGPIPE, SIG_IGN);
    const std::vector<std::string> words(argv + 1, argv + argc);
    if (words.size() == 2 && words[0] == "serve") {
        serve(words[1]);
    } else if (words.size() == 3 && (words[0] == "http" || words[0] == "raw")) {
        pull_all(words[0] == "http", words[1], std::stoul(words[2]));
    } else {
        fail("see the head of pull.cpp");
    }
    return 0;
}
