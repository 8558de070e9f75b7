// A word on stderr while something takes long: after two seconds, and then whenever there is
// something new to say. Nothing when it is over sooner.
//
//     const SlowNote note(output, [&] { return operation.looking_at(); });
//     operation.gather_facts(stop);
#pragma once

#include "base/mutex.hpp"
#include "cli/output.hpp"

#include <chrono>
#include <functional>
#include <string>
#include <thread>

namespace slipway::cli {

class SlowNote {
  public:
    // `words` is called on a thread of its own while this object lives; nothing else may write to
    // the output meanwhile.
    SlowNote(Output& output, std::function<std::string()> words,
             std::chrono::milliseconds patience = std::chrono::seconds(2));

  private:
    void watch(const std::stop_token& stop);

    Output& output_;
    const std::function<std::string()> words_;
    const std::chrono::milliseconds patience_;
    std::jthread thread_;  // last: it uses all of the above
};

}  // namespace slipway::cli
