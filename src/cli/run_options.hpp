// How a run was started; kept with it, so that resume, retry and reset need not be told again.
#pragma once

#include "cli/command.hpp"
#include "engine/undo.hpp"

#include <string>
#include <vector>

namespace slipway::cli {

struct RunOptions {
    bool simulate = false;
    std::string profile = {};  // built-in name or absolute path; "" = healthy hosts
    std::vector<std::string> ignore_checks = {};
    bool accept_new_keys = false;               // trust host keys at first sight
    std::string ssh_config = {};                // instead of the user's; absolute path
    std::vector<std::string> bundle_keys = {};  // who may have signed; empty: those trusted here
    bool allow_unsigned = false;                // bundles nobody trusted has signed
    engine::UndoFilter undo = {};               // of a reset

    std::string to_json() const;
    static RunOptions from_json(const std::string& text);

    // Takes over what the command line says: --simulate, --ignore, --accept-new,
    // --ssh-config, --key, --allow-unsigned.
    void override_with(const Arguments& arguments);
};

}  // namespace slipway::cli
