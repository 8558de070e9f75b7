// The file that lets a simulated machine outlive the program: one JSON line a change.
//
// A simulated machine stands for another machine, so killing Slipway must not undo what happened on
// it. Each change is one write(2) with O_APPEND: after SIGKILL the file holds it wholly or not at
// all. (It is not fsynced: the power cut of a simulated machine is simulated, too.) Another process
// may have the same machine open; read_new() brings in what it did.
//
//     {"format":"slipway-simulated-host","version":1}
//     {"changes":[{"in":"sysctls","name":"net.ipv4.ip_forward","value":"1"}]}
#pragma once

#include "remote/model.hpp"

#include <cstdint>
#include <filesystem>
#include <vector>

namespace slipway::remote {

class History {
  public:
    explicit History(std::filesystem::path file) : file_(std::move(file)) {}

    // Changes in the file that this object has not seen. A last line without its end is left for
    // the next time; any other line that cannot be read is StateError STATE-DAMAGED.
    std::vector<Change> read_new();

    // Throws StateError STATE-WRITE; the file is then as it was.
    void append(const std::vector<Change>& changes);

  private:
    std::filesystem::path file_;
    std::uint64_t seen_ = 0;  // bytes
};

}  // namespace slipway::remote
