// The API server as steps see it: kubectl on the first control plane, as administrator.
#pragma once

#include "cluster/flow.hpp"
#include "engine/step.hpp"

#include <functional>
#include <string>
#include <vector>

namespace slipway::cluster {

// As a shell does it: a program that is not there (yet) ends with 127.
remote::CommandResult run_if_there(remote::Host& host, const remote::Command& command,
                                   const remote::CallOptions& call);

// Words of kubectl or helm that may be different the next time: nobody answers, or not yet.
bool is_transient(const std::string& said);
// The end of what it wrote, for an error.
std::string last_words(const remote::CommandResult& result);

class Kubectl {
  public:
    Kubectl(engine::Context& context, std::string control_plane)
        : context_(context), control_plane_(std::move(control_plane)) {}

    // What it printed; throws ApiError API-FAILED, transient when the server could not be reached.
    std::string run(std::vector<std::string> words, const std::string& input = "") const;
    remote::CommandResult try_run(std::vector<std::string> words,
                                  const std::string& input = "") const;

    void apply(const std::string& manifest) const;

    // Asks again until it holds; throws ApiError API-WAIT with `what` when the step's time is over.
    void wait_until(const std::string& what, Millis most, const std::function<bool()>& holds) const;

  private:
    engine::Context& context_;
    std::string control_plane_;
};

}  // namespace slipway::cluster
