// Blobs fetched ahead of their turn, several at a time, into the spool.
//
//     Prefetch ahead(items, spool, {});
//     while (…) write(ahead.take(digest));    // in the order of the items
//
// A bundle is written from front to end, a registry gives more over several connections than over
// one. What lies in the spool is bounded; the next one that is wanted is always under way.
#pragma once

#include "base/mutex.hpp"
#include "oci/source.hpp"
#include "oci/spool.hpp"

#include <exception>
#include <map>
#include <memory>
#include <stop_token>
#include <thread>
#include <vector>

namespace slipway::oci {

struct PrefetchItem {
    Digest digest = {};
    std::uint64_t size = 0;
    Source* source = nullptr;
};

struct PrefetchOptions {
    std::size_t connections = 6;
    std::uint64_t bytes = 1u << 30;  // fetched and not taken yet
    std::size_t blobs = 64;          // likewise: each is an open file
};

class Prefetch {
  public:
    Prefetch(std::vector<PrefetchItem> items, Spool& spool, PrefetchOptions options);
    ~Prefetch();
    Prefetch(const Prefetch&) = delete;
    Prefetch& operator=(const Prefetch&) = delete;

    bool has(const Digest& digest) const { return places_.contains(digest); }
    // Waits for it; throws what the fetching threw. Once for each, in order.
    BlobInput take(const Digest& digest);

  private:
    struct State {
        std::size_t next = 0;  // to be fetched
        std::uint64_t bytes = 0;
        std::size_t blobs = 0;
        std::vector<std::shared_ptr<const Fd>> files = {};  // shared with who reads them
        std::vector<std::exception_ptr> errors = {};
    };

    void work(const std::stop_token& stop);
    bool has_room() const SLIPWAY_REQUIRES(mutex_);
    std::shared_ptr<const Fd> fetch(const PrefetchItem& item, const std::stop_token& stop);
    std::filesystem::path new_path();

    std::vector<PrefetchItem> items_;
    std::map<Digest, std::size_t> places_;
    Spool& spool_;
    PrefetchOptions options_;
    Mutex mutex_;
    Condition changed_;
    State state_ SLIPWAY_GUARDED_BY(mutex_);
    std::vector<std::jthread> threads_;  // last: they use all of the above
};

}  // namespace slipway::oci
