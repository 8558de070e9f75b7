// Everything a recipe names, opened, and fetched where it is elsewhere: what lives as long as a
// build.
#pragma once

#include "oci/bundle_build.hpp"
#include "oci/client/prefetch.hpp"
#include "oci/client/registries.hpp"
#include "oci/client/registry_source.hpp"
#include "oci/collector.hpp"
#include "oci/made_source.hpp"
#include "oci/spool.hpp"

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace slipway::oci {

class RecipeSources {
  public:
    // The spool lies beside `path`, the bundle that is built.
    RecipeSources(const Recipe& recipe, const std::filesystem::path& path,
                  const BuildOptions& options);

    // Reads the metadata of all images, downloads files.
    BundleContent collect();
    // The blobs of the bundle, in its order; those of registries come ahead of their turn.
    OpenBlob opener(const BundleIndex& index);

  private:
    void step(const std::string& doing);
    void reach_registries();
    void download();
    void add_images(const RecipeImage& item);
    void add_binary(RecipeBinary item);
    void add_chart(RecipeChart item);
    RegistrySource& source_of(const std::string& reference,
                              const std::vector<std::string>& platforms);

    const Recipe& recipe_;
    const BuildOptions& options_;
    Spool spool_;
    Registries registries_;
    // By name and platforms: one image may be asked for twice.
    std::map<std::pair<std::string, std::vector<std::string>>, std::unique_ptr<RegistrySource>>
        remote_;
    std::map<std::string, std::filesystem::path> downloads_;  // by digest, in hex
    std::vector<std::unique_ptr<Source>> sources_;
    MadeSource made_;
    Collector collector_;
    std::unique_ptr<Prefetch> ahead_;  // last: its threads use the sources
};

}  // namespace slipway::oci
