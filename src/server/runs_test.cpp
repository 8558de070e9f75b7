// Clusters, runs, events and logs out of a journal, and streams of events while it is written.
#include "base/files.hpp"
#include "base/text.hpp"
#include "server/cluster_access.hpp"
#include "server/testing/running_server.hpp"
#include "store/run_lock.hpp"

#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::server {
namespace {

using testing::Answer;
using testing::await;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::RunningServer;

// The number of every event in a stream, and whether its end was said.
struct Heard {
    std::vector<std::int64_t> ids;
    bool ended = false;
};

Heard heard_in(const std::string& text) {
    Heard out;
    for (const std::string& line : split(text, '\n')) {
        if (line.starts_with("id: ")) out.ids.push_back(std::stoll(line.substr(4)));
        if (line == "event: end") out.ended = true;
    }
    return out;
}

class RunsTest : public ::testing::Test {
  protected:
    RunsTest() {
        server.unlock();
        make_private_folders(folder());
        journal = store::Journal::create_or_open(folder() / "journal.db");
        run =
            journal->begin_run({.kind = "apply", .plan_hash = "p", .spec = "{}", .started_ms = 1});
    }
    std::filesystem::path folder() const { return server.state() / "demo"; }

    void event(const std::string& type, const std::string& body = "{}",
               const std::string& host = "") {
        journal->append_events({{.run = run,
                                 .at_ms = 2,
                                 .type = type,
                                 .level = "info",
                                 .host = host,
                                 .step = "s",
                                 .body = body}});
        journal->flush();
    }
    Answer listen(const std::string& query = "", net::Headers headers = {}) {
        headers.add("Accept", "text/event-stream");
        return server.get("/api/v1/clusters/demo/runs/last/events" + query, std::move(headers));
    }

    RunningServer server;
    std::unique_ptr<store::Journal> journal;
    std::int64_t run = 0;
};

TEST_F(RunsTest, ClustersAreListedAndTheServersOwnFolderIsNone) {
    event("progress", R"({"percent": 40})");
    const json::object list = server.get("/api/v1/clusters").object();
    ASSERT_EQ(list.at("items").as_array().size(), 1u) << json::serialize(list);
    const json::object& item = list.at("items").as_array()[0].as_object();
    EXPECT_EQ(string_at(item, "name"), "demo");
    EXPECT_EQ(string_at(item.at("run").as_object(), "state"), "interrupted");
    EXPECT_EQ(int_at(item.at("run").as_object(), "percent"), 40);
    const auto lock = store::RunLock::take(folder(), "apply");
    EXPECT_THAT(server.get("/api/v1/clusters").body, HasSubstr(R"("state":"running")"));
}

TEST_F(RunsTest, OneDamagedJournalDoesNotHideTheOthers) {
    make_private_folders(server.state() / "broken");
    atomic_write(server.state() / "broken/journal.db", "not a database at all, certainly not one");
    const std::string body = server.get("/api/v1/clusters").body;
    EXPECT_THAT(body, HasSubstr(R"("name":"demo")"));
    EXPECT_THAT(body, HasSubstr("STATE-DAMAGED"));
}

TEST_F(RunsTest, WhatIsNotThereIsNotFound) {
    for (const char* path : {"clusters/other/runs", "clusters/other", "clusters/demo/runs/9",
                             "clusters/demo/runs/x/events", "clusters/Demo/runs",
                             "clusters/-v/kubeconfig", "clusters/.server/runs"})
        EXPECT_EQ(server.get(fmt::format("/api/v1/{}", path)).status, 404) << path;
}

TEST_F(RunsTest, EventsComeInPages) {
    for (int i = 0; i < 5; ++i) event("step.started", "{}", i % 2 == 0 ? "w1" : "w2");
    const json::object first = server.get("/api/v1/clusters/demo/runs/1/events?limit=2").object();
    EXPECT_EQ(first.at("items").as_array().size(), 2u);
    const json::object rest =
        server.get("/api/v1/clusters/demo/runs/1/events?page=" + string_at(first, "next")).object();
    EXPECT_EQ(rest.at("items").as_array().size(), 3u);
    EXPECT_FALSE(rest.contains("next"));
    EXPECT_EQ(server.get("/api/v1/clusters/demo/runs/1/events?host=w2")
                  .object()
                  .at("items")
                  .as_array()
                  .size(),
              2u);
    EXPECT_EQ(server.get("/api/v1/clusters/demo/runs/1/events?limit=x").status, 400);
    EXPECT_EQ(server.get("/api/v1/clusters/demo/runs/1/events?limit=1001").status, 400);
}

TEST_F(RunsTest, LogsAreSearchedAndGivenAsText) {
    event("log.line", R"({"stream":"stdout","line":"pulling image"})", "w1");
    event("log.line", R"({"stream":"stderr","line":"no space left"})", "w2");
    const json::object found =
        server.get("/api/v1/clusters/demo/runs/last/logs?search=space").object();
    ASSERT_EQ(found.at("items").as_array().size(), 1u);
    EXPECT_EQ(string_at(found.at("items").as_array()[0].as_object(), "host"), "w2");
    const Answer text =
        server.get("/api/v1/clusters/demo/runs/last/logs?node=w1/s", {{"Accept", "text/plain"}});
    EXPECT_THAT(text.body, ::testing::EndsWith("w1/s pulling image\n"));
}

TEST_F(RunsTest, AStreamOfARunThatIsOverHasAllOfItAndEnds) {
    for (int i = 0; i < 700; ++i)
        journal->append_events({{.run = run,
                                 .at_ms = 2,
                                 .type = "log.line",
                                 .level = "info",
                                 .host = "",
                                 .step = "",
                                 .body = "{}"}});
    journal->flush();
    const Heard heard = heard_in(listen().body);
    ASSERT_EQ(heard.ids.size(), 700u);
    for (std::size_t i = 0; i < 700; ++i)
        EXPECT_EQ(heard.ids[i], heard.ids[0] + static_cast<std::int64_t>(i));
    EXPECT_TRUE(heard.ended);
    const Heard rest = heard_in(listen("", {{"Last-Event-ID", "698"}}).body);
    EXPECT_THAT(rest.ids, ElementsAre(699, 700));
    EXPECT_THAT(heard_in(listen("?after=699").body).ids, ElementsAre(700));
    EXPECT_TRUE(heard_in(listen("?type=step.started").body).ids.empty());
}

TEST_F(RunsTest, StreamsFollowARunWithoutGapOrDuplicate) {
    auto lock = std::make_unique<store::RunLock>(store::RunLock::take(folder(), "apply"));
    lock->set_run(run);
    constexpr std::size_t kEvents = 300;
    constexpr int kListeners = 8;
    std::vector<Heard> heard(kListeners);
    {
        std::vector<std::jthread> listeners;
        for (int i = 0; i < kListeners; ++i)
            listeners.emplace_back(
                [&, i] { heard[static_cast<std::size_t>(i)] = heard_in(listen().body); });
        auto own = server.services().hub.listen({.name = "demo", .folder = folder()}, run, 0);
        std::size_t read = 0;
        for (std::size_t i = 0; i < kEvents; ++i) {
            event("log.line");
            // In pieces: what there is has been read before more is written.
            if (i % 50 == 0)
                await([&] { return (read += own.next(Millis(5)).events.size()) == i + 1; });
        }
        journal->finish_run(run, "succeeded", 3);
        lock.reset();
    }
    for (const Heard& one : heard) {
        EXPECT_TRUE(one.ended);
        ASSERT_EQ(one.ids.size(), kEvents);
        for (std::size_t i = 1; i < one.ids.size(); ++i) EXPECT_EQ(one.ids[i], one.ids[i - 1] + 1);
    }
    await([&] { return server.services().hub.listeners() == 0; });
}

// What happens to a stream when whoever listens may no longer: it ends, without what came after.
TEST_F(RunsTest, AStreamEndsWithTheSessionOrTokenItWasAskedWith) {
    auto lock = store::RunLock::take(folder(), "apply");
    lock.set_run(run);
    Services& services = server.services();
    const Tokens::Made token = services.tokens.make("ci", Role::viewer, 1);
    const Sessions::Opened session = services.sessions.open(Role::viewer);
    for (const net::Headers& as : {net::Headers{{"Authorization", "Bearer " + token.text}},
                                   net::Headers{{"Cookie", "slipway_session=" + session.id}}}) {
        net::Headers headers = as;
        headers.add("Accept", "text/event-stream");
        const std::string news = as.find("Cookie") ? "news.one" : "news.two";
        Answer heard;
        await([&] { return services.hub.listeners() == 0; });
        {
            const std::jthread listener([&] {
                heard = server.ask(
                    {.target = "/api/v1/clusters/demo/runs/last/events", .headers = headers});
            });
            await([&] { return services.hub.listeners() == 1; });
            services.tokens.remove(token.token.id);
            if (as.find("Cookie")) services.sessions.close(session.id);
            event(news);
            await([&] { return services.hub.listeners() == 0; });
            if (HasFailure()) services.hub.stop();  // else it would listen for ever
        }
        EXPECT_EQ(heard.status, 200);
        EXPECT_THAT(heard.body, ::testing::Not(HasSubstr(news)));
        EXPECT_FALSE(heard_in(heard.body).ended);
    }
    EXPECT_TRUE(services.sessions.lives(server.cookie()));
}

TEST_F(RunsTest, ThePictureMayBeColouredAndDoNothingElse) {
    event("step.started");
    EXPECT_EQ(server.get("/api/v1/clusters/demo/runs/last/gantt").header("Content-Security-Policy"),
              "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox");
}

// The look that found nobody at work was taken before this run began.
TEST_F(RunsTest, AStreamOfARunThatHasJustBegunDoesNotEnd) {
    EventHub& hub = server.services().hub;
    const desk::ClusterFolder cluster{.name = "demo", .folder = folder()};
    EventHub::Listener first = hub.listen(cluster, run, 0);
    EXPECT_TRUE(first.next(std::chrono::seconds(20)).ended);
    auto lock = store::RunLock::take(folder(), "apply");
    const std::int64_t second =
        journal->begin_run({.kind = "apply", .plan_hash = "p", .spec = "{}", .started_ms = 2});
    lock.set_run(second);
    EventHub::Listener listener = hub.listen(cluster, second, 0);
    EXPECT_FALSE(listener.next(Millis(0)).ended);
    EXPECT_FALSE(listener.next(std::chrono::seconds(1)).ended);
    EventHub::Listener late = hub.listen(cluster, run, 0);
    EXPECT_TRUE(late.next(std::chrono::seconds(20)).ended) << "of the run that is over";
}

TEST_F(RunsTest, AStreamEndsWithTheServer) {
    const auto lock = store::RunLock::take(folder(), "apply");
    std::jthread listener([&] { EXPECT_FALSE(heard_in(listen().body).ended); });
    while (server.services().hub.listeners() == 0) std::this_thread::yield();
    server.services().hub.stop();
}

TEST_F(RunsTest, ARunThatIsOverTakesNoWishes) {
    EXPECT_EQ(server.post("/api/v1/clusters/demo/runs/last/pause").id(), "RUN-NOT-ALIVE");
    server.set_program(R"(echo '{"cluster":"demo","run":1}'; echo "$@" > )" +
                       (server.state() / "said").string());
    const Answer begun = server.post("/api/v1/clusters/demo/runs/last/retry", {{"target", "w2/s"}});
    EXPECT_EQ(begun.status, 202) << begun.body;
    EXPECT_THAT(read_file(server.state() / "said"), HasSubstr("retry demo --step=w2/s --detach"));
    EXPECT_EQ(server.post("/api/v1/clusters/demo/reset", {{"confirm", "other"}}).status, 422);
    // Hosts that name none must not stand for all of them.
    for (const json::array& none : {json::array{}, json::array{","}, json::array{" "}}) {
        const json::object body = {{"confirm", "demo"}, {"hosts", none}};
        EXPECT_EQ(server.post("/api/v1/clusters/demo/reset", body).status, 422);
    }
    EXPECT_EQ(server.post("/api/v1/clusters/demo/reset", {{"confirm", "demo"}}).status, 202);
    EXPECT_THAT(read_file(server.state() / "said"), HasSubstr("reset demo --yes --detach"));
}

TEST_F(RunsTest, APushOfImagesDoesNotGoOnInsideARequest) {
    server.set_program(": > " + (server.state() / "asked").string());
    journal->begin_run({.kind = std::string(kImagePush), .plan_hash = "p", .spec = "{}"});
    EXPECT_EQ(server.post("/api/v1/clusters/demo/resume").id(), "SERVER-CONFLICT");
    EXPECT_EQ(server.post("/api/v1/clusters/demo/runs/last/retry").id(), "SERVER-CONFLICT");
    EXPECT_FALSE(std::filesystem::exists(server.state() / "asked"));
}

TEST_F(RunsTest, WishesReachARunThatGoesOn) {
    auto lock = store::RunLock::take(folder(), "apply");
    lock.set_run(run);
    std::jthread engine([&](const std::stop_token& stop) {
        const auto own = store::Journal::open_existing(folder() / "journal.db");
        while (!stop.stop_requested()) {
            for (const store::CommandRow& command : own->open_commands(run))
                own->answer_command(command.id,
                                    command.verb == "skip" ? "refused: needed" : "will do");
            system_clock().sleep_for(Millis(5), stop);
        }
    });
    EXPECT_EQ(server.post("/api/v1/clusters/demo/runs/last/pause").body, R"({"answer":"will do"})");
    EXPECT_EQ(server.post("/api/v1/clusters/demo/runs/last/skip", {{"target", "w1/s"}}).status,
              409);
}

TEST_F(RunsTest, TheSupportBundleHoldsTheRun) {
    event("step.started");
    const Answer bundle = server.get("/api/v1/clusters/demo/support");
    EXPECT_EQ(bundle.status, 200);
    EXPECT_EQ(bundle.body.substr(0, 2), "\x1f\x8b");
    EXPECT_THAT(read_file(server.state() / kServerFolder / "audit.log"), HasSubstr("/support"));
}

TEST_F(RunsTest, MetricsCountWhatIsThere) {
    server.get("/api/v1/clusters/demo/runs");
    const std::string text = server.get("/metrics").body;
    EXPECT_THAT(text, HasSubstr("slipway_server_clusters 1\n"));
    EXPECT_THAT(text, HasSubstr("slipway_server_sessions 1\n"));
    EXPECT_THAT(
        text, HasSubstr("route=\"/api/v1/clusters/{name}/runs\",method=\"GET\",status=\"200\"} 1"));
}

}  // namespace
}  // namespace slipway::server
