#include "registry/metrics.hpp"

#include "base/clock.hpp"
#include "registry/route.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace slipway::registry {

namespace {

std::string method_label(const std::string& method) {
    constexpr std::array kKnown = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"};
    return std::ranges::find(kKnown, method) == kKnown.end() ? "other" : method;
}

void counter(std::string& out, std::string_view name, std::string_view help,
             std::string_view type) {
    out += fmt::format("# HELP slipway_registry_{0} {1}\n# TYPE slipway_registry_{0} {2}\n", name,
                       help, type);
}

void single(std::string& out, std::string_view name, std::string_view help, std::string_view type,
            std::uint64_t value) {
    counter(out, name, help, type);
    out += fmt::format("slipway_registry_{} {}\n", name, value);
}

}  // namespace

void Metrics::served(const net::Served& record) {
    const std::string_view target = record.raw_target;
    const Route route = parse_route(target.substr(0, target.find('?')));
    const auto ms = record.took.count();
    const Lock lock(mutex_);
    ++requests_[{std::string(to_string(route.kind)), method_label(record.method), record.status}];
    for (std::size_t i = 0; i < kBounds.size(); ++i) took_[i] += ms <= kBounds[i] ? 1 : 0;
    ++count_;
    took_ms_ += static_cast<std::uint64_t>(ms);
}

void Metrics::collected(const GarbageReport& report) {
    const Lock lock(mutex_);
    garbage_blobs_ += report.removed;
    garbage_bytes_ += report.bytes;
    last_collection_ = static_cast<std::uint64_t>(system_clock().wall_ms() / 1000);
}

void Metrics::collection_failed() {
    const Lock lock(mutex_);
    ++garbage_failures_;
}

std::string Metrics::text(const net::ServerStats& server, std::size_t uploads) const {
    std::string out;
    const Lock lock(mutex_);
    counter(out, "requests_total", "Requests answered.", "counter");
    for (const auto& [key, count] : requests_) {
        const auto& [route, method, status] = key;
        out += fmt::format(
            "slipway_registry_requests_total{{route=\"{}\",method=\"{}\",status=\"{}\"}} {}\n",
            route, method, status, count);
    }
    counter(out, "request_seconds", "From the head of a request to the end of its answer.",
            "histogram");
    for (std::size_t i = 0; i < kBounds.size(); ++i) {
        out += fmt::format("slipway_registry_request_seconds_bucket{{le=\"{}\"}} {}\n",
                           kBounds[i] / 1000.0, took_[i]);
    }
    out += fmt::format(
        "slipway_registry_request_seconds_bucket{{le=\"+Inf\"}} {0}\n"
        "slipway_registry_request_seconds_count {0}\n"
        "slipway_registry_request_seconds_sum {1}\n",
        count_, static_cast<double>(took_ms_) / 1000.0);
    single(out, "received_bytes_total", "Bytes of bodies received.", "counter",
           server.bytes_received);
    single(out, "sent_bytes_total", "Bytes of bodies sent.", "counter", server.bytes_sent);
    single(out, "connections", "Connections open now.", "gauge", server.open);
    single(out, "connections_total", "Connections taken.", "counter", server.accepted);
    single(out, "connections_refused_total", "Connections refused for want of room.", "counter",
           server.refused);
    single(out, "bad_requests_total", "Requests that were no HTTP.", "counter",
           server.bad_requests);
    single(out, "failures_total", "Requests that failed here.", "counter", server.handler_failures);
    single(out, "uploads", "Uploads under way.", "gauge", uploads);
    single(out, "garbage_blobs_total", "Blobs removed because nothing refers to them.", "counter",
           garbage_blobs_);
    single(out, "garbage_bytes_total", "Their bytes.", "counter", garbage_bytes_);
    single(out, "garbage_failures_total", "Collections that failed.", "counter", garbage_failures_);
    single(out, "garbage_last_success_timestamp_seconds", "End of the last that did not; 0: none.",
           "gauge", last_collection_);
    return out;
}

}  // namespace slipway::registry
