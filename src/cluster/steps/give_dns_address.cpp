#include "cluster/dns_config.hpp"
#include "cluster/steps/steps.hpp"

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

constexpr const char* kUnit = "slipway-dns-address.service";

// At the loopback interface: that needs no kernel module, and pods reach it through their gateway.
// Pods that ask while nobody listens yet are told so at once; without the address they would wait.
std::string unit() {
    return fmt::format(R"([Unit]
Description=Address of this node's DNS cache
Before=kubelet.service

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/sbin/ip address replace {0}/32 dev lo
ExecStop=/sbin/ip address delete {0}/32 dev lo

[Install]
WantedBy=multi-user.target
)",
                       kNodeDnsAddress);
}

std::vector<ResourcePtr> resources(const StepInput&) {
    return {activated_file(fmt::format("/etc/systemd/system/{}", kUnit), unit(),
                           {.unit = kUnit, .command = {"systemctl", "daemon-reload"}}),
            running_unit(kUnit)};
}

}  // namespace

StepKind give_dns_address() {
    return {
        .id = "give-dns-address",
        .title = "Give the node the address of its DNS cache",
        .part = "kubernetes.dns.nodeLocal",
        .enabled = [](const config::Spec& spec) { return spec.kubernetes.dns.node_local; },
        .needs = {kAfterPreInstall, "create-users-and-folders"},
        .why_not_skippable = "pods would wait for an address that nobody has",
        .make = shared_step_of(
            "give-dns-address", [](const StepInput&) { return std::string(); }, resources),
    };
}

}  // namespace slipway::cluster
