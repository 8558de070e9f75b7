#include "engine/workers.hpp"

#include <system_error>

namespace slipway::engine {

Workers::~Workers() {
    {
        const Lock lock(mutex_);
        ending_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
}

void Workers::start(std::function<void()> job) {
    bool need_thread = false;
    {
        const Lock lock(mutex_);
        jobs_.push_back(std::move(job));
        need_thread = jobs_.size() > idle_;
    }
    if (!need_thread) {
        changed_.notify_one();
        return;
    }
    try {
        threads_.emplace_back([this] { work(); });
    } catch (const std::system_error&) {
        if (threads_.empty()) throw;
        // On purpose: the system gives no more threads, so the job waits for one of ours.
    }
}

void Workers::work() {
    while (true) {
        std::function<void()> job;
        {
            const Lock lock(mutex_);
            ++idle_;
            while (jobs_.empty() && !ending_) changed_.wait(mutex_);
            --idle_;
            if (jobs_.empty()) return;
            job = std::move(jobs_.front());
            jobs_.pop_front();
        }
        job();
    }
}

}  // namespace slipway::engine
