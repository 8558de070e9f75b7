#include "cli/material.hpp"

#include "base/clock.hpp"
#include "base/digest.hpp"
#include "base/files.hpp"
#include "cli/bundle_trust.hpp"

namespace slipway::cli {

namespace {

namespace fs = std::filesystem;

void admit_all(const Call& call, const config::Spec& spec, const RunOptions& options) {
    const BundleTrust trust{.keys = options.bundle_keys, .allow_unsigned = options.allow_unsigned};
    for (const std::string& file : spec.bundles) admit_bundle(call, oci::BundleReader(file), trust);
}

}  // namespace

cluster::Material open_material(const Call& call, const config::Spec& spec,
                                const RunOptions& options, const ClusterFolder& cluster,
                                store::Journal* journal) {
    cluster::Material out;
    if (spec.bundles.empty()) return out;
    admit_all(call, spec, options);
    out.supplies = std::make_shared<const cluster::Supplies>(
        std::vector<fs::path>(spec.bundles.begin(), spec.bundles.end()));
    if (journal != nullptr) {
        out.vault = std::make_shared<cluster::Vault>(*journal, system_clock(),
                                                     spec.kubernetes.certificates);
    }
    out.program = fs::read_symlink("/proc/self/exe");
    out.program_size = fs::file_size(out.program);
    out.program_version = sha256_hex(read_file(out.program, out.program_size));
    out.state_folder = cluster.folder;
    return out;
}

}  // namespace slipway::cli
