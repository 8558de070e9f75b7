// Units, packages, users and kernel settings: the verbs that bring one thing of the system to a
// wanted state or say how it is.
#pragma once

#include "agent/request.hpp"

namespace slipway::agent {

wire::Unit unit_state(const std::string& name, Request& request);
void set_unit(const wire::SetUnit& wanted, Request& request);
void restart_unit(const std::string& name, Request& request);

std::string package_version(const std::string& name, Request& request);  // "" = not installed
void change_packages(const wire::ChangePackages& wanted, Request& request);

wire::User user_state(const std::string& name);
void add_user(const wire::User& user, Request& request);
void remove_user(const std::string& name, Request& request);

wire::Found sysctl_value(const std::string& key);
void set_sysctl(const std::string& key, const std::string& value);

bool module_loaded(const std::string& name);
void set_module(const wire::Switch& wanted, Request& request);

std::vector<std::string> swap_devices();
void set_swap(const wire::Switch& wanted, Request& request);

std::map<std::string, std::string> mounts();  // folder -> source

}  // namespace slipway::agent
