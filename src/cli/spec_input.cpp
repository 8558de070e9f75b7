#include "cli/spec_input.hpp"

#include "base/clock.hpp"
#include "base/files.hpp"
#include "cluster/external_etcd.hpp"
#include "cluster/kubelet_patches.hpp"
#include "cluster/step_references.hpp"
#include "config/local_files.hpp"

#include <filesystem>
#include <utility>

#include <unistd.h>

namespace slipway::cli {

std::vector<config::Source> spec_sources(const Arguments& arguments) {
    std::vector<config::Source> sources;
    bool stdin_taken = false;
    for (const std::string& file : arguments.values("--config")) {
        if (file != "-") {
            sources.push_back({.file = file, .text = read_file(file)});
            continue;
        }
        if (std::exchange(stdin_taken, true)) {
            throw UsageError("USAGE-STDIN-TWICE", "standard input can be read only once",
                             {.remedy = "give '-c -' once"});
        }
        const std::filesystem::path folder = arguments.value("--relative-to");
        sources.push_back({.file = (folder / "<stdin>").string(),
                           .text = read_all(STDIN_FILENO, "standard input")});
    }
    if (sources.empty()) {
        throw UsageError(
            "USAGE-NO-SPEC", "no spec was given",
            {.remedy = "-c FILE, or -c - for standard input; slipway init writes one"});
    }
    return sources;
}

config::LoadedSpec load_checked(const std::vector<config::Source>& sources, LocalFiles files) {
    config::LoadedSpec loaded = config::load_spec(sources);
    const auto add = [&](const std::vector<config::Problem>& more) {
        loaded.problems.insert(loaded.problems.end(), more.begin(), more.end());
    };
    // Only the layer of the steps knows their names.
    add(cluster::check_step_references(loaded));
    if (files == LocalFiles::checked) {
        add(config::check_local_files(loaded));
        add(cluster::check_external_etcd(loaded, system_clock().wall_ms()));
        add(cluster::check_kubelet_patches(loaded));
    }
    return loaded;
}

config::Spec read_spec(const Call& call, LocalFiles files) {
    config::LoadedSpec loaded = load_checked(spec_sources(call.arguments), files);
    if (!loaded.ok()) throw SpecInvalid(std::move(loaded.problems));
    for (const config::Problem& notice : loaded.problems) call.output.note(notice.line());
    return std::move(loaded.spec);
}

config::Spec stored_spec(const std::string& text, const std::string& where) {
    config::LoadedSpec loaded = config::load_spec({{.file = where, .text = text}});
    if (!loaded.ok()) throw SpecInvalid(std::move(loaded.problems));
    return std::move(loaded.spec);
}

}  // namespace slipway::cli
