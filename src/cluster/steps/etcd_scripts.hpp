// What is put on hosts that run etcd to make backups and to go back to one.
#pragma once

#include "config/spec.hpp"

#include <string>

namespace slipway::cluster {

std::string backup_script(const config::Etcd& etcd);
std::string restore_script(const config::Etcd& etcd);

}  // namespace slipway::cluster
