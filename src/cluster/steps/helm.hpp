// Charts as steps see them: helm on the first control plane, as administrator.
#pragma once

#include "cluster/steps/kubectl.hpp"

#include <string>
#include <string_view>

namespace slipway::cluster {

inline constexpr std::string_view kChartFolder = "/var/lib/slipway/charts";
inline constexpr std::string_view kHelmFolder = "/var/lib/slipway/helm";  // its own caches

// A chart as it is installed under a name.
struct Release {
    std::string name = {};
    std::string space = {};
    std::string chart = {};   // file on the control plane
    std::string values = {};  // YAML; by stdin, so that no file keeps what may be secret
    bool wait = true;         // until what it brings is ready; then a failure is rolled back
};

class Helm {
  public:
    Helm(engine::Context& context, std::string control_plane)
        : context_(context), control_plane_(std::move(control_plane)) {}

    bool is_deployed(const std::string& name, const std::string& space) const;
    // Throws RemoteError COMPONENT-FAILED.
    void install(const Release& release) const;
    void uninstall(const std::string& name, const std::string& space) const;

  private:
    remote::CommandResult try_run(std::vector<std::string> words, std::string input,
                                  Millis deadline) const;
    void forget_cut_off(const std::string& name, const std::string& space) const;

    engine::Context& context_;
    std::string control_plane_;
};

}  // namespace slipway::cluster
