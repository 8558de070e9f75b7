// Everything the handlers work with, made once for a server.
#pragma once

#include "base/clock.hpp"
#include "convert/convert.hpp"
#include "server/answers.hpp"
#include "server/audit.hpp"
#include "server/bundles.hpp"
#include "server/child.hpp"
#include "server/claims.hpp"
#include "server/drafts.hpp"
#include "server/event_hub.hpp"
#include "server/gate.hpp"
#include "server/identity.hpp"
#include "server/jobs.hpp"
#include "server/journals.hpp"
#include "server/metrics.hpp"
#include "server/passwords.hpp"
#include "server/run_views.hpp"
#include "server/sessions.hpp"
#include "server/tokens.hpp"

#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace slipway::server {

// Beside the clusters in the state folder; no cluster has a name that begins with a dot.
inline constexpr const char* kServerFolder = ".server";

struct Settings {
    std::filesystem::path state = {};
    std::string program = "/proc/self/exe";
    std::string version = {};
    std::string listen = {};
    std::vector<std::string> public_names = {};
    std::set<std::string> hosts = {};  // of the Identity at the start
    std::string fingerprint = {};
    Clock* clock = &system_clock();
    convert::MoreProblems step_problems = {};  // only a higher layer knows the steps
    std::function<void(const std::string&)> warn = {};

    std::filesystem::path folder() const { return state / kServerFolder; }
};

struct Services {
    explicit Services(Settings how);

    const Settings settings;
    Clock& clock;
    Identity identity;
    Gate gate;
    Passwords passwords;
    Sessions sessions;
    Tokens tokens;
    Audit audit;
    Answers answers;
    Children children;
    Jobs jobs;
    Drafts drafts;
    Bundles bundles;
    Claims submissions;  // clusters that are being made of a tke.json
    Journals journals;
    EventHub hub{journals};
    RunViews run_views{clock};
    Metrics metrics;
    std::function<net::ServerStats()> stats = {};
};

}  // namespace slipway::server
