// Binaries, charts, packages and images made of files, as OCI manifests in a MadeSource.
//
//     const SourceImage kubeadm = make_binary(made, {.file = "kubeadm", .version = "v1.34.1"});
//
// Their names begin with slipway.local/, a host that does not exist: the registry serves them from
// the bundle under that name.
#pragma once

#include "oci/made_source.hpp"
#include "oci/packages/package_layers.hpp"
#include "oci/recipe.hpp"

namespace slipway::oci {

// slipway.local/binaries/kubeadm:v1.34.1, an index with one manifest a platform.
SourceImage make_binary(MadeSource& made, const RecipeBinary& binary);

// What a URL names has been fetched before: `file` and `chart` are then where it lies.
// slipway.local/charts/NAME:VERSION, as `helm push` would store it. A .tgz is kept byte for byte.
SourceImage make_chart(MadeSource& made, const RecipeChart& chart);
// The same name for a chart as a registry has it, from its config.
std::string chart_name(std::string_view config);

// slipway.local/packages/debian-12:amd64, one layer a package.
SourceImage make_packages(MadeSource& made, const RecipePackages& item,
                          const packages::Fetch& fetch);

// One layer over the base, uncompressed: its digest depends on no compressor.
SourceImage make_image(MadeSource& made, const ImageFromFiles& image, const std::string& name,
                       Spool& spool);

}  // namespace slipway::oci
