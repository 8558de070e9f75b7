// What the server is called and which certificate it shows: both may change while it runs.
#pragma once

#include "base/mutex.hpp"

#include <set>
#include <string>

namespace slipway::server {

class Identity {
  public:
    Identity(std::string fingerprint, std::set<std::string> names) {
        become(std::move(fingerprint), std::move(names));
    }

    void become(std::string fingerprint, std::set<std::string> names) {
        const Lock lock(mutex_);
        fingerprint_ = std::move(fingerprint);
        names_ = std::move(names);
    }
    // SHA-256 of its certificate.
    std::string fingerprint() const {
        const Lock lock(mutex_);
        return fingerprint_;
    }
    // In lower case.
    bool is_named(const std::string& name) const {
        const Lock lock(mutex_);
        return names_.contains(name);
    }

  private:
    mutable Mutex mutex_;
    std::string fingerprint_ SLIPWAY_GUARDED_BY(mutex_);
    std::set<std::string> names_ SLIPWAY_GUARDED_BY(mutex_);
};

}  // namespace slipway::server
