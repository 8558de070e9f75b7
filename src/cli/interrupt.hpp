// Signals during a run. The first SIGINT or SIGTERM asks the run to stop, a second one leaves at
// once; a lost terminal (SIGHUP) changes nothing.
//
//     Interrupts interrupts;             // before any other thread starts: they inherit the mask
//     operation.apply(journal, view, interrupts.token());
#pragma once

#include "base/files.hpp"

#include <stop_token>
#include <thread>

namespace slipway::cli {

class Interrupts {
  public:
    Interrupts();
    ~Interrupts();
    Interrupts(const Interrupts&) = delete;
    Interrupts& operator=(const Interrupts&) = delete;

    std::stop_token token() const { return source_.get_token(); }

  private:
    void watch();

    std::stop_source source_;
    Fd signals_;
    Fd leave_;  // eventfd: the destructor's word to the watching thread
    std::jthread watcher_;
};

}  // namespace slipway::cli
