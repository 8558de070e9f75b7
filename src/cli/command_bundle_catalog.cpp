#include "base/text.hpp"
#include "cli/commands.hpp"
#include "config/catalog.hpp"
#include "oci/catalog_recipe.hpp"

#include <fmt/format.h>

namespace slipway::cli {

namespace {

ExitCode list(const Call& call) {
    json::array items;
    std::vector<std::vector<std::string>> rows = {
        {"VERSION", "ETCD", "COREDNS", "PAUSE", "CONTAINERD", "RUNC"}};
    for (const config::KubernetesRelease& release : config::catalog().spec.kubernetes) {
        json::object tools;
        for (const auto& [name, version] : release.tools) tools[name] = version;
        json::array images;
        for (const std::string& image : release.images()) images.emplace_back(image);
        items.push_back(json::object{
            {"version", release.version}, {"images", images}, {"tools", std::move(tools)}});
        rows.push_back({release.version, release.etcd, release.coredns, release.pause,
                        release.tools.at("containerd"), release.tools.at("runc")});
    }
    call.output.data({{"kubernetes", std::move(items)}}, [&] { return table(rows); });
    return ExitCode::ok;
}

std::vector<std::string> wanted_archs(const Call& call) {
    const std::vector<std::string> given = call.arguments.values("--arch");
    return given.empty() ? std::vector<std::string>{"amd64", "arm64"} : given;
}

ExitCode run_bundle_catalog(const Call& call) {
    const std::string version = call.arguments.value("VERSION");
    if (version.empty()) return list(call);
    const config::KubernetesRelease* release = config::catalog().find(version);
    if (release == nullptr) {
        std::vector<std::string> known;
        for (const auto& r : config::catalog().spec.kubernetes) known.push_back(r.version);
        throw UserError("CATALOG-UNKNOWN",
                        fmt::format("the catalogue has no Kubernetes {}", printable(version)),
                        {.cause = "it has " + join(known, ", "),
                         .remedy = "take one of these, or write a recipe by hand"});
    }
    call.output.text(oci::recipe_text(config::catalog(), *release, wanted_archs(call)));
    return ExitCode::ok;
}

}  // namespace

Command bundle_catalog_command() {
    return {.name = "bundle catalog",
            .summary = "List known Kubernetes releases, or print a recipe for one",
            .examples =
                "slipway bundle catalog\n"
                "slipway bundle catalog v1.34 --arch amd64 > recipe.yaml\n"
                "slipway bundle build -f recipe.yaml -o kubernetes.bundle",
            .details =
                "The recipe names images under their own registries and programs by URL and "
                "SHA-256.\n"
                "It is a start: add charts, images and OS packages of your own.",
            .options = {{.name = "--arch",
                         .value = "ARCH",
                         .help = "amd64 or arm64; both by default",
                         .repeatable = true,
                         .complete = Complete::choices,
                         .choices = {"amd64", "arm64"}}},
            .positionals = {{.name = "VERSION", .help = "v1.34 or v1.34.11"}},
            .run = run_bundle_catalog};
}

}  // namespace slipway::cli
