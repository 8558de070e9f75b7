#include "cluster/checks/reachability.hpp"

#include "base/digest.hpp"

#include <algorithm>
#include <memory>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

using remote::Port;
using remote::Protocol;

// One host: where it listens, what it probes, and what came of it. Each is touched by one thread.
struct Station {
    std::string name;
    std::set<std::pair<Protocol, std::uint32_t>> ports;
    std::vector<Link> links;
    std::unique_ptr<remote::Listener> listener = {};
    std::vector<remote::ProbeAnswer> answers = {};
    std::string failure = {};
};

bool in_use(const remote::Facts& facts, Protocol protocol, std::uint32_t port) {
    const std::string_view name = protocol == Protocol::udp ? "udp" : "tcp";
    return std::ranges::any_of(facts.listening, [&](const remote::ListeningPort& taken) {
        return taken.port == port && taken.protocol == name;
    });
}

std::vector<Station> stations_for(const std::vector<Link>& links,
                                  const std::map<std::string, remote::Facts>& facts) {
    std::map<std::string, Station> by_name;
    for (const Link& link : links) {
        const Port& target = link.target;
        if (!link.to.empty()) {
            const bool taken = in_use(facts.at(link.to), target.protocol, target.port);
            // Whoever has the port answers a TCP probe in its own way, a UDP probe not at all.
            if (taken && target.protocol == Protocol::udp) continue;
            if (!taken) by_name[link.to].ports.emplace(target.protocol, target.port);
        }
        by_name[link.from].links.push_back(link);
    }
    std::vector<Station> out;
    for (auto& [name, station] : by_name) {
        station.name = name;
        out.push_back(std::move(station));
    }
    return out;
}

// What goes wrong with one host is said of this host, and does not end the others.
template <class F>
void attempt(Station& station, F&& work) {
    try {
        work();
    } catch (const Error& error) {
        station.failure = error.message();
    } catch (const Cancelled&) {
        station.failure = "cancelled";
    } catch (const std::exception& error) {
        station.failure = error.what();
    }
}

class Survey {
  public:
    Survey(std::vector<Station> stations, remote::Fleet& fleet, Clock& clock, std::int64_t retries,
           const ProbeOptions& options, std::stop_token stop)
        : stations_(std::move(stations)),
          fleet_(fleet),
          clock_(clock),
          retries_(retries),
          options_(options),
          stop_(std::move(stop)) {}

    // No listener stays, whichever way this ends. Closing one may take a round trip: all at once.
    ~Survey() {
        in_parallel(stations_.size(), options_.parallel_hosts, {},
                    [&](std::size_t i) { stations_[i].listener.reset(); });
    }
    Survey(const Survey&) = delete;
    Survey& operator=(const Survey&) = delete;

    Reachability run() {
        each([this](Station& station) { listen(station); });
        each([this](Station& station) {
            probe(station);
            if (options_.on_host) options_.on_host();
        });
        if (stop_.stop_requested()) throw Cancelled();
        return collect();
    }

  private:
    void each(const std::function<void(Station&)>& work) {
        in_parallel(stations_.size(), options_.parallel_hosts, stop_,
                    [&](std::size_t i) { attempt(stations_[i], [&] { work(stations_[i]); }); });
    }

    void listen(Station& station) {
        std::vector<Port> ports;
        for (const auto& [protocol, port] : station.ports)
            ports.push_back({.protocol = protocol, .address = "", .port = port});
        if (ports.empty()) return;
        station.listener = with_retries(clock_, retries_, stop_, [&] {
            return fleet_.host(station.name).listen(ports, nonce_, {.stop = stop_});
        });
    }

    void probe(Station& station) {
        if (station.links.empty()) return;
        std::vector<Port> targets;
        for (const Link& link : station.links) targets.push_back(link.target);
        station.answers = with_retries(clock_, retries_, stop_, [&] {
            return fleet_.host(station.name)
                .probe(targets, nonce_, options_.timeout, {.stop = stop_});
        });
        if (station.answers.size() != targets.size()) {
            station.failure =
                fmt::format("it answered {} of {} probes", station.answers.size(), targets.size());
            station.answers.clear();
        }
    }

    Reachability collect() {
        Reachability out;
        std::map<std::string, const Station*> by_name;
        for (const Station& station : stations_) {
            by_name[station.name] = &station;
            if (!station.failure.empty()) out.failed[station.name] = station.failure;
        }
        for (Station& station : stations_) {
            for (std::size_t i = 0; i < station.answers.size(); ++i) {
                Link& link = station.links[i];
                const bool answered = station.answers[i].reached || station.answers[i].accepted;
                // Silence where nobody listens says nothing about the way there.
                const auto there = by_name.find(link.to);
                if (!answered && there != by_name.end() && !listens(*there->second, link.target))
                    continue;
                out.links.push_back({std::move(link), std::move(station.answers[i])});
            }
        }
        return out;
    }

    static bool listens(const Station& station, const Port& target) {
        // Not asked to listen: a program has the port, and would have answered.
        if (!station.ports.contains({target.protocol, target.port})) return true;
        return station.listener != nullptr && !station.listener->refused().contains(target.port);
    }

    std::vector<Station> stations_;
    remote::Fleet& fleet_;
    Clock& clock_;
    const std::int64_t retries_;
    const ProbeOptions options_;
    const std::stop_token stop_;
    const std::string nonce_ = random_hex(16);
};

}  // namespace

Reachability probe_reachability(const config::Spec& spec,
                                const std::map<std::string, remote::Facts>& facts,
                                remote::Fleet& fleet, Clock& clock, const ProbeOptions& options,
                                const std::stop_token& stop) {
    Survey survey(stations_for(needed_links(spec, facts), facts), fleet, clock, spec.limits.retries,
                  options, stop);
    return survey.run();
}

}  // namespace slipway::cluster
