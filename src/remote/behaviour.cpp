#include "remote/behaviour.hpp"

#include "base/digest.hpp"

#include <charconv>
#include <limits>

namespace slipway::remote {

namespace {

// What a machine on a local network takes; time-scale makes it faster or slower.
constexpr std::array<std::string_view, 10> kUsual = {
    "300ms-900ms",   // connect
    "200ms-600ms",   // facts
    "30ms-90ms",     // read
    "80ms-240ms",    // write
    "250ms-900ms",   // command
    "300ms-1200ms",  // unit
    "4s-9s",         // package
    "60ms-200ms",    // kernel
    "150ms-400ms",   // user
    "20ms-60ms",     // network
};

DelayRange delay_of(std::string_view text) {
    const std::optional<DelayRange> range = parse_delay(text);
    return range ? *range : DelayRange{};  // the profile's rules have let only good ones through
}

bool is_change(Call call) {
    return call != Call::connect && call != Call::facts && call != Call::read &&
           call != Call::network;
}

bool applies(Call on, Call call) {
    if (on == Call::any) return call != Call::connect;
    if (on == Call::change) return is_change(call);
    return on == call;
}

// "cp1/set-hostname" is a node of the step "set-hostname".
bool is_step(std::string_view wanted, std::string_view node) {
    if (wanted.empty() || wanted == node) return true;
    const std::size_t slash = node.find('/');
    return slash != std::string_view::npos && node.substr(slash + 1) == wanted;
}

std::int64_t times_of(const Fault& fault) {
    std::int64_t times = 0;
    const std::string& text = fault.times;
    if (text == "always") return std::numeric_limits<std::int64_t>::max();
    std::from_chars(text.data(), text.data() + text.size(), times);
    return times;
}

std::uint64_t hash(std::string_view text) {
    std::uint64_t h = 0xcbf29ce484222325u;
    for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    return h;
}

}  // namespace

Behaviour::Behaviour(const HostProfile& profile, double time_scale, std::int64_t seed,
                     std::string_view host)
    : time_scale_(time_scale), random_state_(static_cast<std::uint64_t>(seed) ^ hash(host)) {
    const LatencyProfile& given = profile.latency;
    const std::array<const std::string*, 10> texts = {
        &given.connect, &given.facts,   &given.read,   &given.write, &given.command,
        &given.unit,    &given.package, &given.kernel, &given.user,  &given.network};
    for (std::size_t i = 0; i < texts.size(); ++i) {
        latency_[i] = delay_of(texts[i]->empty() ? kUsual[i] : *texts[i]);
    }
    for (const auto& [pattern, text] : given.commands)
        commands_.emplace_back(pattern, delay_of(text));
    for (const Fault& fault : profile.faults) add_fault(fault);
}

void Behaviour::add_fault(const Fault& fault) {
    // Two alike are told apart by their number, so that each fires as often as it says.
    std::size_t alike = 0;
    const std::string text = json::serialize(config::to_json(fault));
    const std::string id = sha256_hex(text).substr(0, 16);
    for (const Armed& armed : faults_) alike += armed.id.starts_with(id) ? 1 : 0;
    faults_.push_back({fault, id + "-" + std::to_string(alike)});
}

Verdict Behaviour::decide(Call call, std::string_view subject, std::string_view step,
                          const std::function<std::int64_t(const std::string&)>& fired) {
    Verdict verdict;
    if (time_scale_ > 0) {
        DelayRange range = latency_.at(static_cast<std::size_t>(call));
        if (call == Call::command) {
            for (const auto& [pattern, special] : commands_) {
                if (matches(pattern, subject)) range = special;
            }
        }
        verdict.delay = pick(range);
    }
    for (Armed& armed : faults_) {
        const Fault& fault = armed.fault;
        if (!applies(fault.on, call) || !is_step(fault.step, step) ||
            !matches(fault.match, subject)) {
            continue;
        }
        if (armed.seen++ < fault.after || fired(armed.id) >= times_of(fault)) continue;
        if (fault.chance < 1.0 && random() >= fault.chance) continue;
        verdict.fault = fault;
        verdict.fault_id = armed.id;
        break;
    }
    return verdict;
}

// Somewhere in the range, in simulated time made real by the scale.
Micros Behaviour::pick(const DelayRange& range) {
    const auto width = static_cast<double>((range.most - range.least).count());
    const double micros = static_cast<double>(range.least.count()) + random() * width;
    return Micros(static_cast<std::int64_t>(micros * time_scale_));
}

double Behaviour::random() {
    // SplitMix64: tiny, and the same on every computer.
    std::uint64_t z = (random_state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1.0p-53;
}

}  // namespace slipway::remote
