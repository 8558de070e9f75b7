// dpkg and dpkg-query: packages from files, as an offline installation has them.
#include "base/error.hpp"
#include "base/text.hpp"
#include "remote/commands.hpp"
#include "remote/machine.hpp"

#include <fmt/format.h>

namespace slipway::remote::commands {

namespace {

// conntrack_1.4.7-1_amd64.deb: the content of a file that was fetched is not kept, its name is.
CommandResult install(Invocation& in, std::span<const std::string> files) {
    for (const std::string& file : files) {
        if (file.starts_with("--force-")) continue;
        const std::vector<std::string> parts = split(file.substr(file.rfind('/') + 1), '_');
        if (in.model.file(file) == nullptr || parts.size() < 2) {
            return failed(1, fmt::format("dpkg: error: cannot access archive '{}': No such file "
                                         "or directory\n",
                                         printable(file)));
        }
        machine::add_package(in.model, parts[0], parts[1]);
    }
    return {};
}

}  // namespace

CommandResult dpkg(Invocation& in) {
    if (in.args.size() < 2) return failed(2, "dpkg: error: need an action option\n");
    if (in.args[0] == "--install") return install(in, in.args.subspan(1));
    if (in.args[0] != "--purge") return failed(2, "dpkg: error: unknown option\n");
    machine::remove_packages(in.model, {in.args.begin() + 1, in.args.end()});
    return {};
}

CommandResult dpkg_query(Invocation& in) {
    if (in.args.size() < 4 || in.args[0] != "-W" || in.args[1] != "-f")
        return failed(2, "dpkg-query: error: this form is not simulated\n");
    CommandResult result;
    for (const std::string& name : in.args.subspan(3)) {
        if (in.model.text(Section::package, name) != nullptr) {
            result.out += name + " installed\n";
        } else {
            result.err += fmt::format("dpkg-query: no packages found matching {}\n", name);
            result.exit_code = 1;
        }
    }
    return result;
}

}  // namespace slipway::remote::commands
