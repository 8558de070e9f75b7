// Names that someone works on: the second who wants one is refused instead of waiting.
//
//     const Claims::Claim claim(services.submissions, "global");   // throws Problem 409
#pragma once

#include "base/mutex.hpp"
#include "server/problem.hpp"

#include <set>
#include <string>
#include <utility>

namespace slipway::server {

class Claims {
  public:
    class Claim {
      public:
        Claim(Claims& all, std::string name) : all_(all), name_(std::move(name)) {
            const Lock lock(all_.mutex_);
            if (!all_.names_.insert(name_).second)
                throw Problem(409, "SERVER-CLUSTER-EXISTS", name_ + " is being made right now");
        }
        ~Claim() {
            const Lock lock(all_.mutex_);
            all_.names_.erase(name_);
        }
        Claim(const Claim&) = delete;
        Claim& operator=(const Claim&) = delete;

      private:
        Claims& all_;
        const std::string name_;
    };

  private:
    Mutex mutex_;
    std::set<std::string> names_ SLIPWAY_GUARDED_BY(mutex_);
};

}  // namespace slipway::server
