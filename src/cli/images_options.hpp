// What the commands of `slipway images` share: how registries are named and reached.
#pragma once

#include "cli/command.hpp"
#include "images/push_run.hpp"

#include <string>
#include <vector>

namespace slipway::cli {

// --ca-file, --plain-http, --login and where the password is.
std::vector<Option> registry_options();
// The same for the source, with --from- in front; passwords of it come from a file or are asked.
std::vector<Option> source_registry_options();
// --only, --keep-digest, --parallel, --rate, --progress.
std::vector<Option> push_options();
// --prefix and --keep-host.
std::vector<Option> naming_options();

std::vector<Option> joined(std::vector<std::vector<Option>> lists);

images::RegistryAccess access_of(const Arguments& arguments, const std::string& before = "--");

// Who to log in as, with the password from --password-file, --password-stdin, the environment or
// the terminal; without --login what docker or podman login have left for host[/repository].
oci::Login login_of(const Arguments& arguments, const std::string& where,
                    const std::string& before = "--");

// HOST[:PORT][/FOLDERS]; throws UsageError.
struct RegistryArgument {
    std::string host = {};
    std::string path = {};
};
RegistryArgument registry_argument(const std::string& text);

// From the options above; source and destination are the command's own.
images::PushOptions read_push_options(const Call& call);

}  // namespace slipway::cli
