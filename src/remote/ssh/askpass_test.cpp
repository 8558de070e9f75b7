#include "remote/ssh/askpass.hpp"

#include "remote/ssh/login.hpp"

#include <array>
#include <cstdlib>

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

namespace slipway::remote {
namespace {

// What a client's askpass writes for a prompt; "" when it gets no answer. Run in a child, as the
// client does.
std::string ask(const std::map<std::string, std::string>& environment, const std::string& prompt) {
    std::array<int, 2> pipe{};
    if (::pipe(pipe.data()) != 0) std::abort();
    const pid_t child = ::fork();
    if (child == 0) {
        for (const auto& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
        ::dup2(pipe[1], STDOUT_FILENO);
        std::string name = "askpass", text = prompt;
        std::array<char*, 2> argv = {name.data(), text.data()};
        ::_exit(run_as_askpass(2, argv.data()).value_or(70));
    }
    ::close(pipe[1]);
    std::string said = read_all(pipe[0], "askpass");
    ::close(pipe[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(WEXITSTATUS(status), said.empty() ? 1 : 0);
    return said;
}

TEST(AskpassTest, AnswersEachHostOnceInWhicheverWordsItIsAsked) {
    AskpassServer server;
    const AskpassServer::Ticket ticket(server, [](const std::string& host, const std::string&) {
        return Secret("password of " + host);
    });
    const auto w1 = ticket.environment("w1"), gate = ticket.environment("gate");
    EXPECT_EQ(ask(w1, "ops@10.0.0.1's password: "), "password of w1\n");
    EXPECT_EQ(ask(w1, "(ops@10.0.0.1) Password: "), "");
    EXPECT_EQ(ask(gate, "ops@10.0.0.1's password: "), "password of gate\n");
}

TEST(AskpassTest, AnAnswerThatIsNotGivenDoesNotCount) {
    AskpassServer server;
    const AskpassServer::Ticket ticket(server, [](const std::string&, const std::string& prompt) {
        return prompt == "Password: " ? Secret("secret") : Secret();
    });
    EXPECT_EQ(ask(ticket.environment("w1"), "Enter passphrase for key 'id':\n"), "");
    EXPECT_EQ(ask(ticket.environment("w1"), "Password: "), "secret\n");
}

TEST(AskpassTest, TicketThatIsGoneGetsNothing) {
    AskpassServer server;
    std::map<std::string, std::string> environment;
    {
        const AskpassServer::Ticket ticket(
            server, [](const std::string&, const std::string&) { return Secret("secret"); });
        environment = ticket.environment("w1");
    }
    EXPECT_EQ(ask(environment, "Password: "), "");
}

}  // namespace
}  // namespace slipway::remote
