// The rules texts of a spec follow, by name. Each is a constant: d.field(…).rule(rules::cidr()).
//
// A rule says what is wrong after the value, and what to do: `"10.0.0.0/33" is not a network; write
// …`.
#pragma once

#include "config/describe.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace slipway::config::rules {

const Rule& dns_label();         // node-1: a host, a cluster, a script
const Rule& dns_name();          // cluster.local
const Rule& address();           // IP address or host name
const Rule& host_address();      // the same, or "local"
const Rule& certificate_name();  // IP address or host name, or *.example.org
const Rule& cidr();              // network without host bits
const Rule& version();           // v1.34.11
const Rule& login_user();        // for ssh
const Rule& account();           // a user or group of a Linux system
const Rule& absolute_path();     // on a host
const Rule& plain_path();        // on a host, of characters no file format makes anything of
const Rule& local_path();        // on this computer
const Rule& file_mode();         // 0755
const Rule& port_range();        // 8080/tcp, 30000-32767/udp
const Rule& interface_name();    // eth0
const Rule& registry_host();     // registry.example.org:5000
const Rule& resource_name();     // secrets, deployments.apps
const Rule& calendar();          // daily, Mon *-*-* 02:00:00
const Rule& https_endpoint();    // https://10.0.0.31:2379
const Rule& plain_value();       // of characters no file format makes anything of
const Rule& ip_address();        // 10.0.0.7
const Rule& name_server();       // 10.0.0.53, 10.0.0.53:5353, [fd00::53]:53
const Rule& upstream();          // the same, or none
const Rule& value_path();        // of a chart: image.tag
const Rule& mtu();               // 1450
const Rule& flannel_backend();   // vxlan, host-gw, wireguard
const Rule& component_name();    // a name that fits a release of helm
const Rule& chart_version();     // 3.13.0, v1.18.2
const Rule& label_key();
const Rule& label_value();
const Rule& env_name();
const Rule& argument();    // of a program
const Rule& one_line();    // no control characters: fits one line of a file of ours
const Rule& flag_name();   // of a program, without dashes: audit-log-maxage
const Rule& flag_value();  // printable, without spaces, quotes, backslashes and dollar signs
const Rule& gate_name();   // NodeSwap
const Rule& sysctl();
const Rule& kernel_module();
const Rule& package_name();  // of a Linux distribution
const Rule& timezone();
const Rule& step_id();  // load-modules, or host/load-modules

}  // namespace slipway::config::rules
