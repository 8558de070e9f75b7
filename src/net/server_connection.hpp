// One connection of the server: requests in, answers out, until either side has had enough.
#pragma once

#include "net/http_server.hpp"
#include "net/server_counters.hpp"

#include <atomic>
#include <functional>

namespace slipway::net {

class ServerConnection {
  public:
    // What it is at: waiting for a request (or for the handshake), reading the head of one, or
    // answering it.
    enum class Stage { waiting, reading, answering };
    // So that a server that stops, or is full, knows whom to leave alone.
    using OnStage = std::function<void(Stage stage)>;

    ServerConnection(const ServerOptions& options, const Handler& handler, ServerCounters& counters,
                     const std::atomic<bool>& stopping, OnStage on_stage)
        : options_(options),
          handler_(handler),
          counters_(counters),
          stopping_(stopping),
          on_stage_(std::move(on_stage)) {}

    // Never throws. The socket stays the caller's.
    void serve(int socket, const std::string& peer);

  private:
    enum class After { next, close, linger };  // linger: someone may still be sending

    std::unique_ptr<Stream> open(int socket);
    void serve_requests();
    After serve_one();
    std::optional<RequestHead> receive_head();
    After answer(RequestHead head);
    void call_handler(Request& request, Response& response, Served& record);
    void write_answer(const Request& request, Response& response, bool keep, Served& record);
    bool keeps_alive(const RequestHead& head, const Response& response, const BodyReader& body,
                     bool unasked) const;
    void finish(Served& record, const BodyReader& body, Deadline::Clock::time_point begin);
    Refusal refusal_of(int status) const;
    void refuse(int status);
    bool drain(BodyReader& body);
    bool is_quiet() const;
    void linger();
    void reset_on_close() const;
    PaceLimits body_pace() const;
    PaceLimits write_pace() const;

    const ServerOptions& options_;
    const Handler& handler_;
    ServerCounters& counters_;
    const std::atomic<bool>& stopping_;
    OnStage on_stage_;
    int socket_ = -1;
    std::unique_ptr<Stream> stream_;
    std::string peer_;
    InputBuffer buffer_;
    std::size_t served_ = 0;
    bool head_sent_ = false;  // of the answer to this request: too late for another
};

// The answer to someone for whom there is no room.
std::string_view busy_answer();

}  // namespace slipway::net
