// Fetching from servers that behave, that fail in the middle and that lie: the file is right or as
// it was.
#include "agent/fetch.hpp"

#include "agent/testing/fetch_case.hpp"
#include "agent/testing/http_server.hpp"
#include "agent/testing/own_namespace.hpp"
#include "base/digest.hpp"

#include <algorithm>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace slipway::agent {

namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class Fetch : public FetchCase {};

// Bytes that differ everywhere, so that a shifted resume cannot pass.
std::string sample(std::size_t size) {
    std::string out;
    for (std::size_t i = 0; out.size() < size; ++i) out += std::to_string(i) + "|";
    out.resize(size);
    return out;
}

HttpServer::Handler always(const std::string& bytes) {
    return [bytes](Peer& peer, const std::string&) { peer.send(bytes); };
}

// Where the range of a request begins; 0 when it has none.
std::size_t range_start(const std::string& request) {
    const std::size_t at = request.find("Range: bytes=");
    return at == std::string::npos ? 0 : std::stoul(request.substr(at + 13));
}

// Serves `content` with ranges, cutting the connection after `cut` bytes of each body.
HttpServer::Handler with_ranges(const std::string& content, std::size_t cut) {
    return [=](Peer& peer, const std::string& request) {
        const std::size_t start = range_start(request);
        const std::string rest = content.substr(start);
        const std::string range = "Content-Range: bytes " + std::to_string(start) + "-" +
                                  std::to_string(content.size() - 1) + "/" +
                                  std::to_string(content.size()) + "\r\n";
        const std::string whole =
            answer(rest, start > 0 ? "206 Partial Content" : "200 OK", start > 0 ? range : "");
        const std::size_t head = whole.size() - rest.size();
        peer.send(whole.substr(0, head + std::min(cut, rest.size())));
    };
}

TEST_F(Fetch, StoresTheFileWithItsModeAndLeavesNothingElse) {
    const std::string content = sample(300'000);
    const HttpServer server(always(answer(content)));
    wire::Fetch wanted = wish(server.url("/dir/file?token=x"), content);
    wanted.headers = {{"Authorization", "Bearer t0ken"}};
    ASSERT_EQ(try_fetch(wanted), "ok");
    EXPECT_EQ(text_of(path()), content);
    EXPECT_FALSE(fetched_.already);
    EXPECT_EQ(fetched_.fetched, content.size());
    EXPECT_EQ(fetched_.resumed, 0u);
    struct stat info{};
    ASSERT_EQ(::stat(path().c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 07777u, 0750u);
    EXPECT_FALSE(exists(part()));
    ASSERT_EQ(server.requests().size(), 1u);
    EXPECT_THAT(server.requests()[0],
                StartsWith("GET /dir/file?token=x HTTP/1.1\r\nHost: 127.0.0.1:"));
    EXPECT_THAT(server.requests()[0], HasSubstr("\r\nAuthorization: Bearer t0ken\r\n"));
    EXPECT_THAT(server.requests()[0], Not(HasSubstr("Range")));
}

TEST_F(Fetch, TakesChunksAndBodiesThatEndWithTheConnection) {
    const HttpServer chunked(always(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"));
    EXPECT_EQ(try_fetch(wish(chunked.url("/"), "abcde")), "ok");
    EXPECT_EQ(text_of(path()), "abcde");
    const HttpServer open_ended(always("HTTP/1.0 200 OK\r\n\r\nfghij"));
    wire::Fetch wanted = wish(open_ended.url("/"), "fghij");
    wanted.size = 0;  // not known
    EXPECT_EQ(try_fetch(wanted), "ok");
    EXPECT_EQ(text_of(path()), "fghij");
}

TEST_F(Fetch, AsksNobodyForAFileThatIsThere) {
    const HttpServer server(always(answer("content")));
    put(path(), "content", 0750);
    EXPECT_EQ(try_fetch(wish(server.url("/"), "content")), "ok");
    EXPECT_TRUE(fetched_.already);
    put(path(), "content", 0600);
    EXPECT_EQ(try_fetch(wish(server.url("/"), "content")), "ok");
    EXPECT_FALSE(fetched_.already) << "its mode was changed";
    EXPECT_EQ(fetched_.fetched, 0u);
    EXPECT_EQ(std::filesystem::status(path()).permissions(), std::filesystem::perms(0750));
    EXPECT_TRUE(server.requests().empty());
    put(path(), "another", 0750);
    EXPECT_EQ(try_fetch(wish(server.url("/"), "content")), "ok");
    EXPECT_EQ(fetched_.fetched, 7u);
}

TEST_F(Fetch, GoesOnWhereACutConnectionLeftOff) {
    const std::string content = sample(250'000);
    const HttpServer server(with_ranges(content, 100'000));
    put(path(), "old");
    for (int attempt = 0; attempt < 2; ++attempt) {
        EXPECT_THAT(try_fetch(wish(server.url("/"), content)), StartsWith("connect: "));
        EXPECT_EQ(text_of(path()), "old");
        EXPECT_TRUE(exists(part()));
    }
    ASSERT_EQ(try_fetch(wish(server.url("/"), content)), "ok");
    EXPECT_EQ(text_of(path()), content);
    EXPECT_EQ(fetched_.resumed, 200'000u);
    EXPECT_EQ(fetched_.fetched, 50'000u);
    EXPECT_THAT(server.requests()[2], HasSubstr("Range: bytes=200000-\r\n"));
}

TEST_F(Fetch, AResetKeepsWhatHasCome) {
    const std::string content = sample(1000);
    const HttpServer server([&](Peer& peer, const std::string&) {
        peer.send(answer(content).substr(0, 600));
        while (request_.sent().empty() && text_of(part()).empty()) std::this_thread::yield();
        peer.reset();
    });
    EXPECT_THAT(try_fetch(wish(server.url("/"), content)), StartsWith("connect: "));
    EXPECT_FALSE(text_of(part()).empty());
}

TEST_F(Fetch, AWholePartIsFinishedWithoutTheServer) {
    put(part(), "content");
    EXPECT_EQ(try_fetch(wish("http://127.0.0.1:1/", "content")), "ok");
    EXPECT_EQ(fetched_.resumed, 7u);
    EXPECT_EQ(text_of(path()), "content");
    EXPECT_FALSE(exists(part()));
}

TEST_F(Fetch, BeginsAnewWhenTheServerKnowsNoRanges) {
    const std::string content = sample(5000);
    const HttpServer server(always(answer(content)));
    put(part(), content.substr(0, 2000));
    EXPECT_EQ(try_fetch(wish(server.url("/"), content)), "ok");
    EXPECT_EQ(text_of(path()), content);
    EXPECT_EQ(fetched_.resumed, 0u);
    EXPECT_THAT(server.requests()[0], HasSubstr("Range: bytes=2000-"));
}

TEST_F(Fetch, BeginsAnewWhenTheServerServesAnotherRange) {
    const std::string content = sample(5000);
    for (const std::string& refusal :
         {answer("", "416 Range Not Satisfiable", "Content-Range: bytes */1000\r\n"),
          answer("x", "206 Partial Content", "Content-Range: bytes 7-7/5000\r\n"),
          answer("x", "206 Partial Content")}) {
        const HttpServer server([&](Peer& peer, const std::string& request) {
            peer.send(range_start(request) > 0 ? refusal : answer(content));
        });
        put(part(), content.substr(0, 2000));
        std::filesystem::remove(path());
        EXPECT_EQ(try_fetch(wish(server.url("/"), content)), "ok") << refusal;
        EXPECT_EQ(text_of(path()), content);
    }
}

// The part of another version of the file, or one a power cut damaged, must not fail for ever.
TEST_F(Fetch, APartWithWrongBytesIsFetchedAgainFromTheStart) {
    const std::string content = sample(5000);
    const HttpServer server(with_ranges(content, content.size()));
    put(part(), std::string(2000, 'x'));
    EXPECT_EQ(try_fetch(wish(server.url("/"), content)), "ok");
    EXPECT_EQ(text_of(path()), content);
    EXPECT_EQ(fetched_.resumed, 0u);
    EXPECT_EQ(server.requests().size(), 2u);

    std::filesystem::remove(path());
    put(part(), std::string(9000, 'x'));  // longer than the file
    EXPECT_EQ(try_fetch(wish(server.url("/"), content)), "ok");
    EXPECT_EQ(text_of(path()), content);
}

TEST_F(Fetch, WrongContentNeverTakesThePlaceOfTheFile) {
    const HttpServer server(always(answer("c0ntent")));
    put(path(), "before");
    EXPECT_THAT(
        try_fetch(wish(server.url("/f"), "content")),
        AllOf(StartsWith("digest-mismatch: http://127.0.0.1"), HasSubstr(sha256_hex("c0ntent"))));
    EXPECT_EQ(text_of(path()), "before");
    EXPECT_FALSE(exists(part()));
}

TEST_F(Fetch, ALieAboutTheLengthIsNoticed) {
    const HttpServer longer(always(answer("content and more")));
    EXPECT_THAT(try_fetch(wish(longer.url("/"), "content")), HasSubstr("16 bytes instead of 7"));
    const HttpServer flood([](Peer& peer, const std::string&) {
        peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
        while (peer.send("400\r\n" + std::string(1024, 'x') + "\r\n")) {
        }
    });
    EXPECT_THAT(try_fetch(wish(flood.url("/"), "content")), HasSubstr("more than 7 bytes"));
    EXPECT_FALSE(exists(part()));
    EXPECT_FALSE(exists(path()));
}

TEST_F(Fetch, TellsTheStatusButNotTheQuery) {
    const HttpServer server(always(answer("gone", "404 Not Found")));
    const std::string told = try_fetch(wish(server.url("/f?secret=1"), "content"));
    EXPECT_THAT(told, AllOf(StartsWith("http-status: "), HasSubstr("/f answered 404 Not Found"),
                            Not(HasSubstr("secret"))));
    EXPECT_FALSE(exists(part()));
}

TEST_F(Fetch, WhatIsNoHttpFails) {
    const HttpServer server(always("SSH-2.0-OpenSSH_9.2\r\n\r\n"));
    EXPECT_THAT(try_fetch(wish(server.url("/"), "x")),
                AllOf(StartsWith("connect: "), HasSubstr("does not speak HTTP")));
}

TEST_F(Fetch, FollowsRedirectsWithItsHeadersOnTheSameServerOnly) {
    const HttpServer other(always(answer("content")));
    const HttpServer server([&](Peer& peer, const std::string& request) {
        const std::string to = request.starts_with("GET /a/b ") ? "c?x=1" : other.url("/blob");
        peer.send(answer("", "302 Found", "Location: " + to + "\r\n"));
    });
    wire::Fetch wanted = wish(server.url("/a/b"), "content");
    wanted.headers = {{"Authorization", "Bearer t0ken"}, {"Accept", "text/x"}, {"X-Key", "k"}};
    ASSERT_EQ(try_fetch(wanted), "ok");
    ASSERT_EQ(server.requests().size(), 2u);
    EXPECT_THAT(server.requests()[1],
                AllOf(StartsWith("GET /a/c?x=1 "), HasSubstr("Authorization: Bearer t0ken")));
    ASSERT_EQ(other.requests().size(), 1u);
    EXPECT_THAT(other.requests()[0], AllOf(StartsWith("GET /blob "), HasSubstr("Accept: text/x"),
                                           Not(HasSubstr("t0ken")), Not(HasSubstr("X-Key"))));
}

TEST_F(Fetch, RedirectsHaveAnEnd) {
    const HttpServer server(always(answer("", "307 Temporary Redirect", "Location: /\r\n")));
    EXPECT_THAT(try_fetch(wish(server.url("/"), "x")),
                AllOf(StartsWith("http-status: "), HasSubstr("again and again")));
    EXPECT_EQ(server.requests().size(), 6u);
    const HttpServer nowhere(always(answer("", "301 Moved Permanently")));
    EXPECT_THAT(try_fetch(wish(nowhere.url("/"), "x")), HasSubstr("without saying where"));
    const HttpServer odd(always(answer("", "301 x", "Location: file:///etc/passwd\r\n")));
    EXPECT_THAT(try_fetch(wish(odd.url("/"), "x")), StartsWith("http-status: "));
}

TEST_F(Fetch, AStalledServerIsGivenUpAndItsBytesKept) {
    const std::string content = sample(1000);
    const HttpServer server([&](Peer& peer, const std::string&) {
        peer.send(answer(content).substr(0, 500));
        peer.wait_for_end();
    });
    limits_.stall = std::chrono::milliseconds(100);
    EXPECT_THAT(try_fetch(wish(server.url("/"), content)), StartsWith("timeout: "));
    EXPECT_THAT(content, StartsWith(text_of(part())));
    EXPECT_FALSE(text_of(part()).empty());
}

TEST_F(Fetch, EndsAtItsDeadlineHoweverBusyTheServerIs) {
    const HttpServer server([](Peer& peer, const std::string&) {
        peer.send("HTTP/1.1 200 OK\r\n\r\n");
        while (peer.send("x")) std::this_thread::yield();
    });
    wire::Fetch wanted = wish(server.url("/"), "never");
    wanted.size = 0;
    wanted.deadline_ms = 150;
    EXPECT_THAT(try_fetch(wanted), StartsWith("timeout: "));
}

TEST_F(Fetch, ACancelEndsTheWaitAtOnce) {
    const HttpServer server([this](Peer& peer, const std::string&) {
        peer.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc");
        request_.cancel();
        peer.wait_for_end();
    });
    limits_.stall = std::chrono::seconds(60);
    EXPECT_THAT(try_fetch(wish(server.url("/"), "abcdefghi")), StartsWith("cancelled: "));
}

TEST_F(Fetch, TellsWhyItCannotConnect) {
    EXPECT_THAT(try_fetch(wish("http://127.0.0.1:1/", "x")),
                AllOf(StartsWith("connect: "), HasSubstr("refused")));
    EXPECT_THAT(try_fetch(wish("http://no-such-host.invalid/", "x")),
                AllOf(StartsWith("connect: "), HasSubstr("not known")));
}

TEST_F(Fetch, ProgressIsToldInLinesAtMostFiveTimesASecond) {
    using Clock = std::chrono::steady_clock;
    const HttpServer server([this](Peer& peer, const std::string&) {
        peer.send("HTTP/1.1 200 OK\r\n\r\n");
        const std::string piece(1000, 'p');
        const auto lines = [this] {
            const std::string sent = request_.sent();
            return std::count(sent.begin(), sent.end(), '\n');
        };
        while (lines() < 2 && peer.send(piece)) std::this_thread::yield();
    });
    wire::Fetch wanted = wish(server.url("/"), "");
    wanted.size = 0;
    const Clock::time_point begin = Clock::now();
    EXPECT_THAT(try_fetch(wanted), StartsWith("digest-mismatch: "));
    EXPECT_GE(Clock::now() - begin, std::chrono::milliseconds(400));
    const std::string lines = request_.sent();
    const std::size_t second = lines.find('\n') + 1;
    EXPECT_GT(std::stoul(lines), 0u);
    EXPECT_GT(std::stoul(lines.substr(second)), std::stoul(lines));
}

TEST_F(Fetch, RefusesToFillTheDiskBeforeItStarts) {
    const HttpServer server([](Peer& peer, const std::string&) {
        peer.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000000000000\r\n\r\nx");
        peer.wait_for_end();
    });
    wire::Fetch wanted = wish(server.url("/"), "x");
    wanted.size = 1'000'000'000'000'000;
    EXPECT_THAT(try_fetch(wanted), AllOf(StartsWith("disk-full: "), HasSubstr("are free")));
    EXPECT_FALSE(exists(part()));
}

// On a file system of 1 MiB in a mount namespace of its own.
TEST_F(Fetch, AFullDiskIsToldAndGivenBack) {
    const HttpServer server([](Peer& peer, const std::string&) {
        peer.send("HTTP/1.1 200 OK\r\n\r\n");
        for (int i = 0; i < 64 && peer.send(std::string(64u << 10, 'x')); ++i) {
        }
    });
    const pid_t child = ::fork();
    if (child == 0) {
        if (!enter_own_namespace(CLONE_NEWNS) ||
            ::mount("none", folder_.c_str(), "tmpfs", 0, "size=1m") != 0) {
            ::_exit(2);
        }
        wire::Fetch wanted = wish(server.url("/"), "x");
        wanted.size = 0;
        const bool told = try_fetch(wanted).starts_with("disk-full: ");
        ::_exit(told && !exists(part()) && !exists(path()) ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status));
    ASSERT_NE(WEXITSTATUS(status), 2) << "needs root, or user namespaces";
    EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST_F(Fetch, OnlyOneAtATimeFetchesAFile) {
    const int fd = ::open(part().c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    ASSERT_EQ(::flock(fd, LOCK_EX | LOCK_NB), 0);
    EXPECT_THAT(try_fetch(wish("http://127.0.0.1:1/", "x")), StartsWith("busy: "));
    ::close(fd);
}

TEST_F(Fetch, NeverWritesThroughALinkSomeoneLeftThere) {
    const HttpServer server(always(answer("content")));
    put(folder_ + "/victim", "precious");
    std::filesystem::create_symlink(folder_ + "/victim", part());
    EXPECT_EQ(try_fetch(wish(server.url("/"), "content")), "ok");
    std::filesystem::remove(path());
    std::filesystem::create_hard_link(folder_ + "/victim", part());
    EXPECT_EQ(try_fetch(wish(server.url("/"), "content")), "ok");
    EXPECT_EQ(text_of(folder_ + "/victim"), "precious");
    EXPECT_EQ(text_of(path()), "content");
}

TEST_F(Fetch, RefusesWishesThatMakeNoSense) {
    const wire::Fetch good = wish("http://127.0.0.1:1/", "x");
    const auto refused = [&](auto change) {
        wire::Fetch bad = good;
        change(bad);
        return try_fetch(bad).starts_with("bad-request: ");
    };
    EXPECT_TRUE(refused([](auto& f) { f.sha256 = "abc"; }));
    EXPECT_TRUE(refused([](auto& f) { f.sha256.back() = 'G'; }));
    EXPECT_TRUE(refused([](auto& f) { f.path = "relative"; }));
    EXPECT_TRUE(refused([](auto& f) { f.path += "/"; }));
    EXPECT_TRUE(refused([](auto& f) { f.mode = 0100644; }));
    EXPECT_TRUE(refused([](auto& f) { f.url = "ftp://x/"; }));
    EXPECT_FALSE(exists(part()));
    EXPECT_THAT(try_fetch([&] {
                    wire::Fetch lost = good;
                    lost.path = folder_ + "/no/such/folder";
                    return lost;
                }()),
                StartsWith("not-found: "));
}

TEST_F(Fetch, AHeaderCannotSmuggleAnother) {
    const HttpServer server(always(answer("x")));
    for (const auto& [name, value] :
         std::map<std::string, std::string>{{"X", "a\r\nHost: evil"},
                                            {"X: y\r\nZ", "a"},
                                            {"Range", "bytes=0-"},
                                            {"hOST", "evil"},
                                            {"", "x"},
                                            {"Y", std::string("a\0b", 3)}}) {
        wire::Fetch wanted = wish(server.url("/"), "x");
        wanted.headers = {{name, value}};
        const std::string told = try_fetch(wanted);
        EXPECT_THAT(told, StartsWith("bad-request: ")) << name;
        EXPECT_THAT(told, Not(HasSubstr("evil")));
    }
    EXPECT_TRUE(server.requests().empty());
}

}  // namespace

}  // namespace slipway::agent
