#include "cluster/steps/steps.hpp"

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

// The kernel's own ceiling unless fs.nr_open is raised. A limit above it makes every login fail.
constexpr std::int64_t kDefaultCeiling = 1048576;

std::string login_limits(const config::Limits& limits) {
    std::string out(kWrittenBySlipway);
    for (const char* who : {"*", "root"}) {  // the star does not mean root
        for (const char* kind : {"soft", "hard"}) {
            out += fmt::format("{} {} nofile {}\n{} {} nproc {}\n", who, kind, limits.open_files,
                               who, kind, limits.processes);
        }
    }
    return out;
}

std::string service_limits(const config::Limits& limits) {
    return fmt::format("{}[Manager]\nDefaultLimitNOFILE={}\nDefaultLimitNPROC={}\n",
                       kWrittenBySlipway, limits.open_files, limits.processes);
}

}  // namespace

StepKind raise_limits() {
    return {
        .id = "raise-limits",
        .title = "Raise limits of open files and processes",
        .part = "os.limits",
        .enabled = [](const config::Spec& spec) { return spec.os.limits; },
        .needs = {kAfterPreInstall},
        .make = shared_step_of(
            "raise-limits", [](const StepInput&) { return ""; },
            [](const StepInput& in) {
                const config::Limits& limits = in.spec.os.limit_values;
                std::vector<ResourcePtr> out;
                if (limits.open_files > kDefaultCeiling) {
                    const std::string value = std::to_string(limits.open_files);
                    out.push_back(file(
                        "/etc/sysctl.d/90-slipway-limits.conf",
                        {.content = fmt::format("{}fs.nr_open = {}\n", kWrittenBySlipway, value)}));
                    out.push_back(sysctl("fs.nr_open", value));
                }
                out.push_back(file("/etc/security/limits.d/90-slipway.conf",
                                   {.content = login_limits(limits)}));
                const std::vector<std::string> reload = {"systemctl", "daemon-reload"};
                out.push_back(activated_file("/etc/systemd/system.conf.d/90-slipway.conf",
                                             service_limits(limits),
                                             {.command = reload, .undo_command = reload}));
                return out;
            }),
    };
}

}  // namespace slipway::cluster
