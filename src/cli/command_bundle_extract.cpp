#include "base/text.hpp"
#include "cli/bundle_options.hpp"
#include "cli/commands.hpp"
#include "cli/slow_note.hpp"

#include <fmt/format.h>

namespace slipway::cli {

namespace {

ExitCode run_bundle_extract(const Call& call) {
    const std::filesystem::path to = destination(call);
    const oci::BundleReader bundle(call.arguments.value("BUNDLE"));
    const std::string name = call.arguments.value("NAME");
    std::vector<std::string> files;
    {
        const SlowNote note(call.output, [&] { return "taking out " + printable(name); });
        files = oci::extract(bundle, name, to);
    }
    json::array list;
    for (const std::string& file : files) list.emplace_back(file);
    call.output.data({{"name", name}, {"files", std::move(list)}}, [&] {
        std::string out;
        for (const std::string& file : files) out += printable(file) + "\n";
        return out;
    });
    return ExitCode::ok;
}

}  // namespace

Command bundle_extract_command() {
    return {
        .name = "bundle extract",
        .summary = "Take an image, binary, chart or blob out of a bundle",
        .examples =
            "slipway bundle extract k.bundle registry.k8s.io/pause:3.10 -o pause/\n"
            "slipway bundle extract k.bundle kubeadm:v1.34.1 -o kubeadm\n"
            "slipway bundle extract k.bundle sha256:9f86… -o blob",
        .details =
            "An image becomes a folder that is an OCI image layout; a binary, chart or "
            "SBOM a file;\n"
            "packages a folder of files. Every byte is checked on its way out.",
        .options = {to_option("where it goes; must not exist")},
        .positionals = {bundle_positional(),
                        {.name = "NAME",
                         .help = "a name of `slipway bundle inspect`, its last part, or a digest",
                         .required = true}},
        .run = run_bundle_extract};
}

}  // namespace slipway::cli
