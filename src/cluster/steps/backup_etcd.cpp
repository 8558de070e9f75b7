#include "cluster/steps/etcd_scripts.hpp"
#include "cluster/steps/steps.hpp"

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

constexpr const char* kTimer = "slipway-backup-etcd.timer";

constexpr std::string_view kService = R"([Unit]
Description=Back up etcd

[Service]
Type=oneshot
ExecStart=/usr/local/lib/slipway/backup-etcd
Nice=10
IOSchedulingClass=idle
NoNewPrivileges=yes
PrivateTmp=yes
ProtectHome=yes
UMask=0077
)";

// Members need not make theirs at the same time.
std::string timer_text(const config::EtcdBackup& backup) {
    return fmt::format(R"([Unit]
Description=Back up etcd

[Timer]
OnCalendar={}
RandomizedDelaySec=5min
Persistent=true

[Install]
WantedBy=timers.target
)",
                       backup.schedule);
}

std::vector<ResourcePtr> resources(const StepInput& in) {
    const config::Etcd& etcd = in.spec.etcd;
    const std::string units = "/etc/systemd/system/";
    return {
        kept_folder(etcd.backup.folder, 0700),  // may be the user's; stays with the backups in it
        file("/usr/local/lib/slipway/backup-etcd", {.content = backup_script(etcd), .mode = 0755}),
        file("/usr/local/lib/slipway/restore-etcd",
             {.content = restore_script(etcd), .mode = 0755}),
        file(units + "slipway-backup-etcd.service", {.content = std::string(kService)}),
        activated_file(units + kTimer, timer_text(etcd.backup),
                       {.unit = kTimer, .command = {"systemctl", "daemon-reload"}}),
        running_unit(kTimer)};
}

}  // namespace

StepKind backup_etcd() {
    return {
        .id = "backup-etcd",
        .title = "Back up etcd by a timer",
        .part = "etcd.backup",
        .enabled = [](const config::Spec& spec) { return spec.etcd.backup.enabled; },
        // The last one has the same folder for its script: who made it must be undone last.
        .needs = {"install-etcd-programs", "install-container-runtime", "start-etcd",
                  "renew-certificates-timer"},
        .make = step_of("backup-etcd", resources),
    };
}

}  // namespace slipway::cluster
