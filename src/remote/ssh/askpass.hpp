// Passwords for the SSH client, without argv, environment or files: the client starts this very
// program as its askpass, which fetches the answer from a socket in a private folder.
//
//     AskpassServer server(folder);
//     const auto env = server.environment(pid-less token …);
//
// Each answer is given once for each connection: a wrong password is tried once, not three times.
#pragma once

#include "base/files.hpp"
#include "base/mutex.hpp"
#include "base/secret.hpp"

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <thread>

namespace slipway::remote {

class AskpassServer {
  public:
    // What to answer to a prompt such as "ops@10.0.0.1's password: "; empty: nothing, give up.
    using Answer = std::function<Secret(const std::string& prompt)>;

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
        // For the environment of the SSH client.
        std::map<std::string, std::string> environment() const;
        bool asked_twice() const;

      private:
        friend class AskpassServer;
        AskpassServer& server_;
        const std::string id_;
    };

  private:
    struct Entry {
        Answer answer;
        std::map<std::string, int> asked;  // prompt -> how often
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
