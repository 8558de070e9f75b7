// Journals that are open already. Opening one costs several milliseconds (two connections, their
// checks, a thread), reading a few rows of it a fraction of one; pages ask every second.
//
//     const JournalLease journal = journals.lend(cluster);
//     journal->last_run();
#pragma once

#include "base/mutex.hpp"
#include "desk/state.hpp"

#include <memory>
#include <string>
#include <vector>

namespace slipway::server {

class Journals {
  public:
    // Which file it was when it was opened: one that was moved or restored since is another.
    struct Source {
        std::string file = {};
        std::uint64_t device = 0, inode = 0;
        bool operator==(const Source&) const = default;
    };
    // Gives it back when the borrower is done with it.
    struct Return {
        Journals* owner = nullptr;
        Source source = {};
        void operator()(store::Journal* journal) const;
    };
    using Lease = std::unique_ptr<store::Journal, Return>;

    // To one borrower at a time: nobody waits for the reading of another. Throws StateError.
    Lease lend(const desk::ClusterFolder& cluster);

    static constexpr std::size_t kMostIdle = 8;  // the one unused for longest is closed

  private:
    struct Idle {
        Source source;
        std::unique_ptr<store::Journal> journal;
    };
    std::unique_ptr<store::Journal> take_idle(const Source& source);
    void put_back(const Source& source, std::unique_ptr<store::Journal> journal);

    Mutex mutex_;
    std::vector<Idle> idle_ SLIPWAY_GUARDED_BY(mutex_);  // the last used at the end
};

using JournalLease = Journals::Lease;

}  // namespace slipway::server
