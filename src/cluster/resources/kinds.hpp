// The kinds of resources there are; each is one .cpp file of this folder, named like its function.
#pragma once

#include "cluster/resources/resource.hpp"

namespace slipway::cluster {

// A file of ours, or a symbolic link. Undo puts back what was there, or removes the file and the
// parent folders that were made for it.
ResourcePtr file(std::string path, remote::FileState wanted);

// A marked block of lines in a file that is not ours: "# BEGIN slipway" … "# END slipway".
// Everything else in the file stays, at any time; undo takes out (or puts back) only the block.
ResourcePtr text_block(std::string path, std::string lines);

// How a program is told to read its configuration again. A unit is restarted only when it runs.
struct Activation {
    std::string unit = {};
    std::vector<std::string> command = {};       // after a change
    std::vector<std::string> undo_command = {};  // after putting back
};

// A file or block some program has to read again when it changes. The content first goes in with a
// comment that says "not read yet" and loses it after the activation: so a crash in between is seen
// by the next probe.
ResourcePtr activated_file(std::string path, std::string content, Activation activation);
ResourcePtr activated_block(std::string path, std::string lines, Activation activation);

ResourcePtr folder(std::string path, unsigned mode, std::string owner = "root",
                   std::string group = "root");

// The name the kernel has and the one in /etc/hostname.
ResourcePtr hostname(std::string name);

ResourcePtr kernel_module(std::string name);

// The live value of a kernel setting.
ResourcePtr sysctl(std::string key, std::string value);

// No swap device in use.
ResourcePtr no_swap();

// A unit enabled and running.
ResourcePtr running_unit(std::string unit);

// An account. One that exists already is left as it is.
ResourcePtr user(std::string name, remote::UserState wanted);

// permissive, enforcing or disabled, now and after a reboot.
ResourcePtr selinux_mode(std::string mode);

ResourcePtr timezone(std::string zone);

// The service (or ufw profile) of that name let through the firewall, now and after a reboot.
ResourcePtr firewalld_service(std::string service);
ResourcePtr ufw_profile(std::string profile);

// A resource that can only restore(), from what identity() said. Throws StateError STATE-NEWER for
// a kind this program does not know.
ResourcePtr resource_from_identity(const json::object& identity);

}  // namespace slipway::cluster
