// Which kernel modules are there. Lists are read once, and only when they are needed.
#pragma once

#include "agent/facts/root.hpp"

#include <optional>
#include <set>
#include <string>

namespace slipway::agent {

class Modules {
  public:
    explicit Modules(const Root& root) : root_(root) {}

    // loaded, builtin, available or absent. Dashes and underscores are the same here, as for
    // modprobe.
    std::string state(std::string_view name);

    // Whether talking to this part of the kernel loads nothing: it is there already, or the kernel
    // knows no modules at all.
    bool safe_to_ask(std::string_view name);

  private:
    const std::set<std::string, std::less<>>& loaded();
    const std::set<std::string, std::less<>>& builtin();
    const std::set<std::string, std::less<>>& available();
    std::string folder() const;

    const Root& root_;
    std::optional<std::set<std::string, std::less<>>> loaded_, builtin_, available_;
};

}  // namespace slipway::agent
