// Who may have made a bundle: keys that are trusted here, and overrides that were written down.
#pragma once

#include "cli/command.hpp"
#include "oci/bundle_trust.hpp"

#include <filesystem>
#include <vector>

namespace slipway::cli {

// --key FILE and --allow-unsigned, for every command that uses a bundle.
std::vector<Option> admission_options();

std::filesystem::path own_trust_folder();     // ~/.config/slipway/trusted-keys
std::filesystem::path system_trust_folder();  // /etc/slipway/trusted-keys
std::vector<oci::TrustedKey> trusted_here();

// Lets the bundle in by the options above, or throws as oci::admit. An override is written down and
// said on stderr.
oci::Admission admit_bundle(const Call& call, const oci::BundleReader& bundle);
// The same by what a run was started with.
struct BundleTrust {
    std::vector<std::string> keys = {};  // files; empty: those trusted here
    bool allow_unsigned = false;
};
oci::Admission admit_bundle(const Call& call, const oci::BundleReader& bundle,
                            const BundleTrust& trust);
void describe_admission(const oci::Admission& admission, json::object& into);

// Overrides so far, the oldest first, one object each.
json::array recorded_overrides(const Arguments& arguments);

}  // namespace slipway::cli
