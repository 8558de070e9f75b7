#include "server/metrics.hpp"

#include "base/files.hpp"
#include "base/text.hpp"
#include "net/target.hpp"
#include "server/request_fields.hpp"
#include "server/route.hpp"

#include <fmt/format.h>

#include <unistd.h>

namespace slipway::server {

namespace {

void heading(std::string& out, std::string_view name, std::string_view help,
             std::string_view type) {
    out += fmt::format("# HELP slipway_server_{0} {1}\n# TYPE slipway_server_{0} {2}\n", name, help,
                       type);
}

void single(std::string& out, std::string_view name, std::string_view help, std::string_view type,
            std::uint64_t value) {
    heading(out, name, help, type);
    out += fmt::format("slipway_server_{} {}\n", name, value);
}

std::uint64_t resident_bytes() {
    const std::string text = read_file_if_any("/proc/self/statm").value_or("");
    const std::vector<std::string> parts = split(text, ' ');
    const auto pages = parts.size() > 1 ? number_of(parts[1]) : std::nullopt;
    return static_cast<std::uint64_t>(pages.value_or(0)) *
           static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

void Metrics::served(const net::Served& record) {
    const std::string_view target = record.raw_target;
    const Match match = find_route(routes(), record.method, target.substr(0, target.find('?')));
    const std::string route(match.route == nullptr ? "other" : match.route->path);
    const std::string method(match.route == nullptr ? "other" : match.route->method);
    const auto ms = record.took.count();
    const Lock lock(mutex_);
    ++requests_[{route, method, record.status}];
    for (std::size_t i = 0; i < kBounds.size(); ++i) took_[i] += ms <= kBounds[i] ? 1 : 0;
    ++count_;
    took_ms_ += static_cast<std::uint64_t>(ms);
}

std::string Metrics::text(const net::ServerStats& server, const Gauges& gauges) const {
    std::string out;
    const Lock lock(mutex_);
    heading(out, "requests_total", "Requests answered.", "counter");
    for (const auto& [key, count] : requests_) {
        const auto& [route, method, status] = key;
        out += fmt::format(
            "slipway_server_requests_total{{route=\"{}\",method=\"{}\",status=\"{}\"}} {}\n", route,
            method, status, count);
    }
    heading(out, "request_seconds", "From the head of a request to the end of its answer.",
            "histogram");
    for (std::size_t i = 0; i < kBounds.size(); ++i)
        out += fmt::format("slipway_server_request_seconds_bucket{{le=\"{}\"}} {}\n",
                           kBounds[i] / 1000.0, took_[i]);
    out += fmt::format(
        "slipway_server_request_seconds_bucket{{le=\"+Inf\"}} {0}\n"
        "slipway_server_request_seconds_count {0}\nslipway_server_request_seconds_sum {1}\n",
        count_, static_cast<double>(took_ms_) / 1000.0);
    single(out, "connections", "Connections open now.", "gauge", server.open);
    single(out, "connections_total", "Connections taken.", "counter", server.accepted);
    single(out, "connections_refused_total", "Connections refused for want of room.", "counter",
           server.refused);
    single(out, "bad_requests_total", "Requests that were no HTTP.", "counter",
           server.bad_requests);
    single(out, "failures_total", "Requests that failed here.", "counter", server.handler_failures);
    single(out, "sessions", "Browsers signed in.", "gauge", gauges.sessions);
    single(out, "listeners", "Streams of events open.", "gauge", gauges.listeners);
    single(out, "jobs", "Jobs under way.", "gauge", gauges.jobs);
    single(out, "clusters", "Clusters in the state folder.", "gauge", gauges.clusters);
    single(out, "runs", "Runs that go on now.", "gauge", gauges.running);
    single(out, "resident_memory_bytes", "Memory in use.", "gauge", resident_bytes());
    return out;
}

}  // namespace slipway::server
