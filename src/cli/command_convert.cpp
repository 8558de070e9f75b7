#include "base/files.hpp"
#include "cli/commands.hpp"
#include "cluster/step_references.hpp"
#include "convert/convert.hpp"

#include <fmt/format.h>

#include <unistd.h>

namespace slipway::cli {

namespace {

config::Source input(const std::string& file) {
    if (file != "-") return {.file = file, .text = read_file(file)};
    return {.file = "<stdin>", .text = read_all(STDIN_FILENO, "standard input")};
}

convert::Options options_of(const Arguments& arguments) {
    convert::Options options;
    const std::string from = arguments.value("--from");
    if (!from.empty())
        options.from = from == "tke" ? convert::Format::tke : convert::Format::kubekey;
    options.secrets_folder = arguments.value("--secrets");
    // Only the layer of the steps knows their names.
    options.more_problems = [](const config::LoadedSpec& loaded) {
        return cluster::check_step_references(loaded);
    };
    return options;
}

// The spec may go into a file; what its maker has to know goes to the terminal too.
void tell(Output& output, const convert::Conversion& conversion, bool secrets_written) {
    if (!conversion.unsupported.empty())
        output.note(fmt::format("{} settings have no counterpart; the head of the spec lists them",
                                conversion.unsupported.size()));
    if (!conversion.secrets.empty())
        output.note(fmt::format("{} secrets {}; the head of the spec says where each came from",
                                conversion.secrets.size(),
                                secrets_written ? "were written" : "are to be given"));
    if (!conversion.valid)
        output.warning(
            "something is missing: slipway validate says what; the head of the spec too");
}

ExitCode run_convert(const Call& call) {
    const convert::Options options = options_of(call.arguments);
    const convert::Conversion conversion =
        convert::convert(input(call.arguments.value("FILE")), options);
    const bool write = !options.secrets_folder.empty();
    if (write) convert::write_secrets(conversion, options.secrets_folder);
    if (call.output.format == Format::json) {
        call.output.data(convert::to_json(conversion), [] { return std::string(); });
    } else {
        call.output.text(conversion.yaml);
        tell(call.output, conversion, write);
    }
    return conversion.valid ? ExitCode::ok : ExitCode::spec_invalid;
}

}  // namespace

Command convert_command() {
    return {.name = "convert",
            .summary = "Write a spec made from a file of TKE or KubeKey on stdout",
            .examples =
                "slipway convert tke.json > cluster.yaml\n"
                "slipway convert config-sample.yaml --secrets secrets > cluster.yaml\n"
                "slipway convert tke.json -o json",
            .details =
                "It reads a tke.json, as TKE's installer takes or keeps it, a cluster file of "
                "KubeKey, or "
                "its\n"
                "Inventory and Config in one file. Every setting without a counterpart is listed, "
                "in the\n"
                "head of the spec and in `unsupported` of -o json. Passwords and keys are not "
                "copied: the\n"
                "spec refers to environment variables, or, with --secrets, to files in that "
                "folder. Exit\n"
                "code 3 when something is missing that the file does not say (docs/convert.md).",
            .options = {{.name = "--from",
                         .value = "FORMAT",
                         .help = "the format of FILE; found out when it is not given",
                         .complete = Complete::choices,
                         .choices = {"tke", "kubekey"}},
                        {.name = "--secrets",
                         .value = "DIR",
                         .help = "write passwords and keys into this folder, as files of mode 0600",
                         .complete = Complete::file}},
            .positionals = {{.name = "FILE",
                             .help = "the file to convert; - for standard input",
                             .required = true,
                             .complete = Complete::file}},
            .run = run_convert};
}

}  // namespace slipway::cli
