// What changes to a machine mean: a unit needs to exist, a module brings its sysctls, a package its
// units, a reboot keeps only what is on disk. Free functions over a Model, used alike by the Host
// interface and by the commands.
//
// Each throws RemoteError, with what the real tool would say, before it has changed anything.
#pragma once

#include "remote/model.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::remote::machine {

// Files. Paths are absolute and clean ("/etc/hosts").
void write_file(Model& model, const std::string& path, const FileState& file);
void write_file(Model& model, const std::string& path, const ModelFile& file);
void remove_file(Model& model, const std::string& path);
void remove_tree(Model& model, const std::string& path, bool keep_top);

// Units, by name with or without ".service".
UnitState unit(const Model& model, std::string_view name);
void set_unit(Model& model, std::string_view name, const UnitState& wanted);
void restart_unit(Model& model, std::string_view name);

void install_packages(Model& model, const std::vector<std::string>& packages);
// From a file: nobody asks whether a repository has it.
void add_package(Model& model, const std::string& package, const std::string& version);
void remove_packages(Model& model, const std::vector<std::string>& packages);

void set_sysctl(Model& model, const std::string& key, const std::string& value);
// The key = value lines of a sysctl file, in order.
std::vector<std::pair<std::string, std::string>> parse_sysctls(std::string_view content);
// Files `sysctl --system` reads, in the order it reads them.
std::vector<std::string> sysctl_files(const Model& model);

bool module_loaded(const Model& model, std::string_view module);
void load_module(Model& model, std::string_view module);
void unload_module(Model& model, std::string_view module);

std::vector<std::string> swaps(const Model& model);        // in use
std::vector<std::string> fstab_swaps(const Model& model);  // named in /etc/fstab
void swap_off(Model& model, const std::string& device);
void swap_on(Model& model, const std::string& device);

void add_user(Model& model, const std::string& user, const UserState& wanted);
void remove_user(Model& model, const std::string& user);

std::string hostname(const Model& model);
void set_hostname(Model& model, const std::string& hostname);
std::string selinux(const Model& model);       // "", disabled, permissive, enforcing
std::string timezone(const Model& model);      // where /etc/localtime points
std::string time_service(const Model& model);  // "", chrony, systemd-timesyncd
std::string firewall(const Model& model);      // "", firewalld, ufw

std::int64_t boots(const Model& model);  // since the machine was fresh, that one included
// What is left after the power came back: files and what they say, and nothing set by hand.
void reboot(Model& model);

}  // namespace slipway::remote::machine
