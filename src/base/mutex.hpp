// A mutex clang's thread-safety analysis understands: shared state stands in one struct whose
// members are SLIPWAY_GUARDED_BY(mutex_), and an unguarded read does not compile under the clang
// preset.
#pragma once

#include <condition_variable>
#include <mutex>
#include <shared_mutex>

#if defined(__clang__)
#define SLIPWAY_ANNOTATE(x) __attribute__((x))
#else
#define SLIPWAY_ANNOTATE(x)
#endif
#define SLIPWAY_GUARDED_BY(x) SLIPWAY_ANNOTATE(guarded_by(x))
#define SLIPWAY_REQUIRES(...) SLIPWAY_ANNOTATE(requires_capability(__VA_ARGS__))

namespace slipway {

class SLIPWAY_ANNOTATE(capability("mutex")) Mutex {
  public:
    void lock() SLIPWAY_ANNOTATE(acquire_capability()) { mutex_.lock(); }
    void unlock() SLIPWAY_ANNOTATE(release_capability()) { mutex_.unlock(); }
    bool try_lock() SLIPWAY_ANNOTATE(try_acquire_capability(true)) { return mutex_.try_lock(); }

  private:
    std::mutex mutex_;
};

class SLIPWAY_ANNOTATE(scoped_lockable) Lock {
  public:
    explicit Lock(Mutex& mutex) SLIPWAY_ANNOTATE(acquire_capability(mutex)) : mutex_(mutex) {
        mutex_.lock();
    }
    ~Lock() SLIPWAY_ANNOTATE(release_capability()) { mutex_.unlock(); }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;

  private:
    Mutex& mutex_;
};

// Held by many together, or by one alone.
class SLIPWAY_ANNOTATE(capability("mutex")) SharedMutex {
  public:
    void lock() SLIPWAY_ANNOTATE(acquire_capability()) { mutex_.lock(); }
    void unlock() SLIPWAY_ANNOTATE(release_capability()) { mutex_.unlock(); }
    void lock_shared() SLIPWAY_ANNOTATE(acquire_shared_capability()) { mutex_.lock_shared(); }
    void unlock_shared() SLIPWAY_ANNOTATE(release_shared_capability()) { mutex_.unlock_shared(); }

  private:
    std::shared_mutex mutex_;
};

class SLIPWAY_ANNOTATE(scoped_lockable) LockAlone {
  public:
    explicit LockAlone(SharedMutex& mutex) SLIPWAY_ANNOTATE(acquire_capability(mutex))
        : mutex_(mutex) {
        mutex_.lock();
    }
    ~LockAlone() SLIPWAY_ANNOTATE(release_capability()) { mutex_.unlock(); }
    LockAlone(const LockAlone&) = delete;
    LockAlone& operator=(const LockAlone&) = delete;

  private:
    SharedMutex& mutex_;
};

class SLIPWAY_ANNOTATE(scoped_lockable) LockTogether {
  public:
    explicit LockTogether(SharedMutex& mutex) SLIPWAY_ANNOTATE(acquire_shared_capability(mutex))
        : mutex_(mutex) {
        mutex_.lock_shared();
    }
    ~LockTogether() SLIPWAY_ANNOTATE(release_generic_capability()) { mutex_.unlock_shared(); }
    LockTogether(const LockTogether&) = delete;
    LockTogether& operator=(const LockTogether&) = delete;

  private:
    SharedMutex& mutex_;
};

// Waits on a Mutex directly: `while (!ready_) changed_.wait(mutex_);` inside a Lock.
using Condition = std::condition_variable_any;

}  // namespace slipway
