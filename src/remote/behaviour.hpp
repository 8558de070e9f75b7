// How a simulated host answers: how long each call takes and which of them fail, from its profile.
//
// Pure bookkeeping, no waiting: decide() says what is to happen with a call, the host does it.
#pragma once

#include "remote/profile.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slipway::remote {

// What happens with one call.
struct Verdict {
    Micros delay{0};                  // before anything else
    std::optional<Fault> fault = {};  // not slow: that is in the delay
    std::string fault_id = {};
};

class Behaviour {
  public:
    Behaviour(const HostProfile& profile, double time_scale, std::int64_t seed,
              std::string_view host);

    // `subject` is the path, name or argument vector; `step` the step that calls, or "". `fired`
    // tells how often a fault has fired before, in this process or an earlier one.
    Verdict decide(Call call, std::string_view subject, std::string_view step,
                   const std::function<std::int64_t(const std::string& fault_id)>& fired);

    void add_fault(const Fault& fault);

  private:
    struct Armed {
        Fault fault;
        std::string id;         // the same as long as the fault reads the same
        std::int64_t seen = 0;  // matching calls so far
    };

    Micros pick(const DelayRange& range);
    double random();  // from 0 to 1

    std::array<DelayRange, 10> latency_ = {};  // by Call
    std::vector<std::pair<std::string, DelayRange>> commands_;
    std::vector<Armed> faults_;
    double time_scale_;
    std::uint64_t random_state_;
};

}  // namespace slipway::remote
