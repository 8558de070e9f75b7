#include "agent/process.hpp"
#include "agent/system.hpp"

#include <map>
#include <sstream>

namespace slipway::agent {

namespace {

std::map<std::string, std::string> properties(const std::string& text) {
    std::map<std::string, std::string> out;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t at = line.find('=');
        if (at != std::string::npos) out[line.substr(0, at)] = line.substr(at + 1);
    }
    return out;
}

void check_name(const std::string& name) {
    if (name.empty() || name.front() == '-')
        throw Failed("bad-request", "'" + name + "' is no name of a unit");
}

}  // namespace

wire::Unit unit_state(const std::string& name, Request& request) {
    check_name(name);
    auto p = properties(
        need_tool({"systemctl", "show", "--property=LoadState,UnitFileState,ActiveState,SubState",
                   "--", name},
                  request));
    const std::string load = p["LoadState"], file = p["UnitFileState"], active = p["ActiveState"];
    wire::Unit unit;
    unit.masked = load == "masked" || file.starts_with("masked");
    unit.exists = unit.masked || (load != "not-found" && !load.empty());
    unit.enabled = file == "enabled" || file == "enabled-runtime" || file == "alias";
    // One that ends as often as it is started is "activating" between two tries: it does not run.
    unit.active = active == "active" || active == "reloading" ||
                  (active == "activating" && p["SubState"] != "auto-restart");
    return unit;
}

// Order matters: a masked unit can be neither enabled nor started.
void set_unit(const wire::SetUnit& wanted, Request& request) {
    const wire::Unit now = unit_state(wanted.name, request);
    // Without reading all units of the host again for each link made: one reading costs as much as
    // the rest.
    bool linked = false;
    const auto link = [&](const char* verb) {
        need_tool({"systemctl", "--quiet", "--no-reload", verb, "--", wanted.name}, request);
        linked = true;
    };
    const auto systemctl = [&](const char* verb) {
        need_tool({"systemctl", "--quiet", verb, "--", wanted.name}, request);
    };
    if (!wanted.wanted.masked && now.masked) link("unmask");
    if (!wanted.wanted.active && now.active) systemctl("stop");
    if (wanted.wanted.enabled != now.enabled || (now.masked && wanted.wanted.enabled))
        link(wanted.wanted.enabled ? "enable" : "disable");
    if (wanted.wanted.masked && !now.masked) link("mask");
    if (wanted.wanted.active && !now.active) systemctl("start");
    if (!linked) return;
    // Some versions say what they remember until then.
    const wire::Unit then = unit_state(wanted.name, request);
    if (then.enabled != wanted.wanted.enabled || then.masked != wanted.wanted.masked)
        need_tool({"systemctl", "daemon-reload"}, request);
}

void restart_unit(const std::string& name, Request& request) {
    check_name(name);
    need_tool({"systemctl", "--quiet", "restart", "--", name}, request);
}

}  // namespace slipway::agent
