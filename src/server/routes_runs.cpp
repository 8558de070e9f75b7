// Runs: what happened in them, and wishes for those that go on.
#include "base/clock.hpp"
#include "base/text.hpp"
#include "desk/control.hpp"
#include "desk/run_view.hpp"
#include "server/cluster_access.hpp"
#include "server/event_stream.hpp"
#include "server/front.hpp"
#include "server/request_fields.hpp"
#include "server/services.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace slipway::server {

namespace {

constexpr std::int64_t kLargestSeq = 1'000'000'000'000;

void get_runs(Exchange& x) {
    const desk::ClusterFolder cluster = cluster_of(x);
    const auto journal = journal_of(x.services, cluster);
    const auto living = desk::living_run(cluster, *journal);
    json::array all;
    for (const store::Run& run : journal->runs())
        all.push_back(desk::run_json(run, desk::result_of(run, living)));
    answer_list(x, std::move(all));
}

void get_run(Exchange& x) {
    const desk::ClusterFolder cluster = cluster_of(x);
    const auto journal = journal_of(x.services, cluster);
    const store::Run run = run_of(x, *journal, cluster);
    x.answer_text(x.services.run_views.of(cluster, run, *journal), "application/json");
}

void get_gantt(Exchange& x) {
    const desk::ClusterFolder cluster = cluster_of(x);
    const auto journal = journal_of(x.services, cluster);
    const store::Run run = run_of(x, *journal, cluster);
    const auto events = desk::gantt_events(*journal, run.id);
    x.answer_text(
        desk::gantt_svg(desk::gantt_model(events), {.cluster = cluster.name, .run = run.id}),
        "image/svg+xml");
    // The picture is coloured by a style of its own; whatever else may be in it does nothing.
    x.response.headers.set("Content-Security-Policy",
                           "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; "
                           "sandbox");
}

std::vector<std::string> types_of(const Exchange& x) {
    const std::string list = x.parameter("type");
    return list.empty() ? std::vector<std::string>() : split(list, ',');
}

// Where a reader goes on: Last-Event-ID, ?after= or ?page=.
std::int64_t position_of(const Exchange& x) {
    if (const auto last = x.request.headers.find("Last-Event-ID"))
        if (const auto number = number_of(*last)) return *number;
    return x.number(x.request.target.parameter("page") ? "page" : "after", 0, kLargestSeq);
}

void stream_events(Exchange& x, const desk::ClusterFolder& cluster, std::int64_t run) {
    EventHub::Listener listener = x.services.hub.listen(cluster, run, position_of(x));
    x.response.headers.set("Content-Type", "text/event-stream");
    x.response.headers.set("X-Accel-Buffering", "no");
    x.response.close = true;
    if (x.request.method == "HEAD") return;
    x.response.body = event_stream(
        std::move(listener),
        {.types = types_of(x), .host = x.parameter("host"), .step = x.parameter("step")},
        still_good(x));
}

void get_events(Exchange& x) {
    const desk::ClusterFolder cluster = cluster_of(x);
    const auto journal = journal_of(x.services, cluster);
    const store::Run run = run_of(x, *journal, cluster);
    if (x.accepts("text/event-stream")) return stream_events(x, cluster, run.id);
    const auto limit = static_cast<std::size_t>(x.number("limit", kUsualPage, kMostPage));
    const auto rows = journal->events({.after_seq = position_of(x),
                                       .run = run.id,
                                       .host = x.parameter("host"),
                                       .step = x.parameter("step"),
                                       .types = types_of(x),
                                       .limit = limit});
    json::array items;
    for (const store::EventRow& row : rows) items.push_back(desk::event_from_row(row).to_json());
    const bool more = !rows.empty() && rows.size() >= limit;
    x.answer(page_of(std::move(items), more ? fmt::format("{}", rows.back().seq) : ""));
}

// Lines of output, in pieces out of the journal.
class LogReader {
  public:
    LogReader(JournalLease journal, store::EventQuery query, std::string search)
        : journal_(std::move(journal)), query_(std::move(query)), search_(std::move(search)) {}

    // The next that hold what is searched for; none when there are no more.
    std::vector<engine::Event> next() {
        std::vector<engine::Event> out;
        while (out.empty() && !over_) {
            const auto rows = journal_->events(query_);
            over_ = rows.size() < query_.limit;
            if (!rows.empty()) query_.after_seq = rows.back().seq;
            for (const store::EventRow& row : rows) {
                engine::Event event = desk::event_from_row(row);
                if (search_.empty() ||
                    string_at(event.body, "line").find(search_) != std::string::npos)
                    out.push_back(std::move(event));
            }
        }
        return out;
    }

  private:
    JournalLease journal_;
    store::EventQuery query_;
    std::string search_;
    bool over_ = false;
};

store::EventQuery log_query(const Exchange& x, std::int64_t run) {
    store::EventQuery query{.after_seq = position_of(x),
                            .run = run,
                            .host = x.parameter("host"),
                            .step = x.parameter("step"),
                            .types = {"log.line"}};
    const std::string node = x.parameter("node");
    if (const std::size_t slash = node.find('/'); slash != std::string::npos) {
        query.host = node.substr(0, slash);
        query.step = node.substr(slash + 1);
    } else if (!node.empty()) {
        query.step = node;
    }
    return query;
}

net::Producer log_text(LogReader first) {
    auto reader = std::make_shared<LogReader>(std::move(first));  // shared: a Producer is copied
    auto pending = std::make_shared<std::string>();
    return [reader, pending](std::span<char> room) {
        if (pending->empty()) {
            for (const engine::Event& event : reader->next())
                *pending += fmt::format("{} {}/{} {}\n", format_utc(event.wall_ms), event.host,
                                        event.step, string_at(event.body, "line"));
        }
        const std::size_t n = pending->copy(room.data(), room.size());
        pending->erase(0, n);
        return n;
    };
}

void get_logs(Exchange& x) {
    const desk::ClusterFolder cluster = cluster_of(x);
    auto journal = journal_of(x.services, cluster);
    const store::Run run = run_of(x, *journal, cluster);
    LogReader reader(std::move(journal), log_query(x, run.id), x.parameter("search"));
    if (x.accepts("text/plain")) {
        x.response.headers.set("Content-Type", "text/plain; charset=utf-8");
        if (x.request.method != "HEAD") x.response.body = log_text(std::move(reader));
        return;
    }
    const auto limit = static_cast<std::size_t>(x.number("limit", kUsualPage, kMostPage));
    json::array items;
    std::string next;
    while (items.size() < limit) {
        const auto events = reader.next();
        if (events.empty()) break;
        for (const engine::Event& event : events) {
            if (items.size() >= limit) break;
            items.push_back(json::object{{"seq", event.seq},
                                         {"time", format_utc(event.wall_ms)},
                                         {"host", event.host},
                                         {"step", event.step},
                                         {"stream", string_at(event.body, "stream")},
                                         {"line", string_at(event.body, "line")}});
            if (items.size() >= limit) next = fmt::format("{}", event.seq);
        }
    }
    x.answer(page_of(std::move(items), next));
}

void require_own_run(const Exchange& x, const desk::ClusterFolder& cluster,
                     store::Journal& journal) {
    const std::int64_t living = desk::require_living_run(cluster, journal);
    if (run_of(x, journal, cluster).id != living)
        throw Problem(409, "RUN-NOT-ALIVE", "this run is over; another goes on",
                      {.remedy = fmt::format("run {} is the one that goes on", living)});
}

void leave(Exchange& x, const desk::ClusterFolder& cluster, store::Journal& journal,
           const std::string& verb, const std::string& target) {
    require_own_run(x, cluster, journal);
    x.answer(json::object{{"answer", leave_wish(x, cluster, journal, verb, target)}});
}

void control(Exchange& x, const char* verb) {
    const desk::ClusterFolder cluster = cluster_of(x);
    leave(x, cluster, *journal_of(x.services, cluster), verb, "");
}

void post_pause(Exchange& x) { control(x, "pause"); }
void post_continue(Exchange& x) { control(x, "continue"); }
void post_cancel(Exchange& x) { control(x, "cancel"); }

void post_skip(Exchange& x) {
    const desk::ClusterFolder cluster = cluster_of(x);
    leave(x, cluster, *journal_of(x.services, cluster), "skip", x.text("target"));
}

// A run that is over goes on in a process of its own.
void post_retry(Exchange& x) {
    const desk::ClusterFolder cluster = cluster_of(x);
    const auto journal = journal_of(x.services, cluster);
    const std::string target = x.text_or("target", "");
    if (desk::living_run(cluster, *journal)) {
        require_own_run(x, cluster, *journal);
    } else if (run_of(x, *journal, cluster).id != desk::find_run(*journal, cluster).id) {
        throw Problem(409, "RUN-COMPLETE", "only the last run can go on");
    }
    const json::object answer = retry_last_run(x, cluster, *journal, target);
    x.answer(answer, answer.contains("run") ? 202 : 200);
}

constexpr std::string_view kReading = "after,type,host,step,limit,page";

}  // namespace

std::vector<Route> run_routes() {
    return {
        {"GET", "/api/v1/clusters/{name}/runs", Role::viewer, "Runs, newest first", "", "RunList",
         get_runs, 200, false, "limit,page"},
        {"GET", "/api/v1/clusters/{name}/runs/{run}", Role::viewer, "When each step was at work",
         "", "Document", get_run},
        {"GET", "/api/v1/clusters/{name}/runs/{run}/gantt", Role::viewer, "The run as a picture",
         "", "image/svg+xml", get_gantt},
        {"GET", "/api/v1/clusters/{name}/runs/{run}/events", Role::viewer,
         "Events; with Accept: text/event-stream as they happen", "", "EventList", get_events, 200,
         false, kReading},
        {"GET", "/api/v1/clusters/{name}/runs/{run}/logs", Role::viewer,
         "Output of steps; with Accept: text/plain the lines", "", "LogList", get_logs, 200, false,
         "node,search,after,host,step,limit,page"},
        {"POST", "/api/v1/clusters/{name}/runs/{run}/pause", Role::operate,
         "Let running steps end and start no new ones", "", "ControlAnswer", post_pause},
        {"POST", "/api/v1/clusters/{name}/runs/{run}/continue", Role::operate,
         "Go on after a pause", "", "ControlAnswer", post_continue},
        {"POST", "/api/v1/clusters/{name}/runs/{run}/cancel", Role::operate, "Stop the run", "",
         "ControlAnswer", post_cancel},
        {"POST", "/api/v1/clusters/{name}/runs/{run}/retry", Role::operate,
         "Try what failed again; a run that is over goes on (202)", "Target", "ControlAnswer",
         post_retry},
        {"POST", "/api/v1/clusters/{name}/runs/{run}/skip", Role::operate, "Go on without a step",
         "Target", "ControlAnswer", post_skip},
    };
}

}  // namespace slipway::server
