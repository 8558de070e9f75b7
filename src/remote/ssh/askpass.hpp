// Passwords for the SSH client, without argv, environment or files: the client starts this very
// program as its askpass, which fetches the answer from a socket in a private folder.
//
//     AskpassServer server;
//     const AskpassServer::Ticket ticket(server, answer);
//     … start the client with ticket.environment("w1") …
//
// Each client is given one answer, in whichever words and ways its server asks: a wrong password is
// tried once.
#pragma once

#include "base/files.hpp"
#include "base/mutex.hpp"
#include "base/secret.hpp"

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <thread>

namespace slipway::remote {

class AskpassServer {
  public:
    // What to answer the client that logs in to this host of the spec when it shows this prompt
    // ("ops@10.0.0.1's password: "); empty: nothing, give up.
    using Answer = std::function<Secret(const std::string& host, const std::string& prompt)>;

    AskpassServer();
    ~AskpassServer();
    AskpassServer(const AskpassServer&) = delete;
    AskpassServer& operator=(const AskpassServer&) = delete;

    // One connection attempt; its answers are to be had while it lives.
    class Ticket {
      public:
        Ticket(AskpassServer& server, Answer answer);
        ~Ticket();
        Ticket(const Ticket&) = delete;
        Ticket& operator=(const Ticket&) = delete;
        // For the environment of the SSH client that logs in to this host.
        std::map<std::string, std::string> environment(const std::string& host) const;

      private:
        friend class AskpassServer;
        AskpassServer& server_;
        const std::string id_;
    };

  private:
    struct Entry {
        Answer answer;
        std::set<std::string> answered;  // hosts
    };
    void serve();
    void answer(int connection);

    std::filesystem::path folder_;
    Fd listening_, wake_;
    mutable Mutex mutex_;
    std::map<std::string, Entry> entries_ SLIPWAY_GUARDED_BY(mutex_);
    std::thread thread_;
};

// The other side: what `slipway` does when it finds itself started as askpass. nullopt: it was not.
std::optional<int> run_as_askpass(int argc, char** argv);

}  // namespace slipway::remote
