// The commands a simulated machine understands: each a small function that changes the model as the
// real tool would change the machine and prints what the real tool prints.
//
//     run_command(model, {.argv = {"hostnamectl", "set-hostname", "cp1"}});
//
// A program that is not in the table, or whose package is not installed, ends with 127 as a failed
// exec does. Options a command does not know end with its usage error, so that a step cannot rely
// on something only the simulation would let pass.
#pragma once

#include "remote/model.hpp"

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::remote {

// What a command gets to know of other machines.
struct Elsewhere {
    // Whether that machine's kubelet runs, and so tells every API server of its cluster.
    std::function<bool(const std::string& machine)> kubelet_runs = [](const std::string&) {
        return false;
    };
};

// One command as its function sees it.
struct Invocation {
    Model& model;
    std::span<const std::string> args;  // without the program
    const Command& command;
    const Elsewhere& elsewhere;
    Millis pause{0};  // how long it takes by itself (`sleep 3` in a script)

    bool is(std::initializer_list<std::string_view> words) const;
};

CommandResult printed(std::string out);
CommandResult failed(int exit_code, std::string err);

// The command's result; changes are left pending in the model. `pause` is added to by slow
// commands.
CommandResult run_command(Model& model, const Command& command, Millis& pause,
                          const Elsewhere& elsewhere = {});

// Whether the program can be run on the machine.
bool is_installed(const Model& model, const std::string& program);

// Programs in the table, for tests and docs.
std::vector<std::string> known_programs();

namespace commands {

// firewall_commands.cpp
CommandResult firewall_cmd(Invocation& in);
CommandResult ufw(Invocation& in);

// file_commands.cpp
CommandResult cp(Invocation& in);
CommandResult mkdir(Invocation& in);
CommandResult sync(Invocation& in);
CommandResult mv(Invocation& in);
CommandResult stat(Invocation& in);
CommandResult tar(Invocation& in);

// package_commands.cpp
CommandResult dpkg(Invocation& in);
CommandResult dpkg_query(Invocation& in);

// kubernetes_commands.cpp
CommandResult crictl(Invocation& in);
CommandResult etcdctl(Invocation& in);
CommandResult kubeadm(Invocation& in);
CommandResult kubectl(Invocation& in);

// component_commands.cpp
CommandResult helm(Invocation& in);
CommandResult label_local(Invocation& in);
CommandResult apply_list(Invocation& in, const std::string& space);
CommandResult get_list(Invocation& in, const std::vector<std::string>& words,
                       const std::string& space);
CommandResult kubectl_delete(Invocation& in, const std::vector<std::string>& words,
                             const std::string& space);
json::object configmap(const Model& model, const std::string& path);

// script_command.cpp
CommandResult bash(Invocation& in);

}  // namespace commands

}  // namespace slipway::remote
