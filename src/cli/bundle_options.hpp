// What the commands of `slipway bundle` share.
#pragma once

#include "base/json.hpp"
#include "cli/command.hpp"
#include "oci/bundle_build.hpp"

#include <filesystem>
#include <string>

namespace slipway::cli {

Positional bundle_positional();
// -o FILE, where the bundle or what is taken out of it goes. Results are then asked for as JSON
// with the long --output json.
Option to_option(std::string_view help);
Option public_key_option();

// The value of -o; throws UsageError when it is missing.
std::filesystem::path destination(const Call& call);

// Refuses a destination that is one of the inputs.
void require_other_file(const std::filesystem::path& to, const std::filesystem::path& from);

json::object bundle_json(const oci::BundleIndex& index);
// Says what bundle was written to `to`.
void show_written(const Call& call, const std::filesystem::path& to, const oci::BundleIndex& index);
std::string bundle_line(const oci::BundleIndex& index);  // 12 images, 3 binaries, 83 blobs, 1.4 GB

}  // namespace slipway::cli
