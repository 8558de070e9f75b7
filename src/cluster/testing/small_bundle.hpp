// A bundle with everything a cluster is made of, a few bytes each: for tests that need one.
//
//     const SmallBundle bundle;
//     const Supplies supplies({bundle.file()});
#pragma once

#include "oci/testing/temp_folder.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace slipway::cluster::testing {

// A release no catalogue knows, so that tests do not change with the catalogue.
inline constexpr const char* kSmallVersion = "v1.99.0";

class SmallBundle {
  public:
    // `lacking`: names of images' repositories and of programs that are left out.
    explicit SmallBundle(const std::vector<std::string>& lacking = {});

    // All that a spec can ask for beside charts: repositories of images, files of programs.
    // Whatever is not here is found missing by the flows' tests.
    static std::vector<std::string> repositories();
    static std::vector<std::string> programs();

    std::filesystem::path file() const { return folder_ / "small.bundle"; }
    // Any file: what registry hosts get as the program that serves the bundle.
    std::filesystem::path program() const { return folder_ / "slipway"; }
    const std::filesystem::path& folder() const { return folder_.path(); }

  private:
    oci::testing::TempFolder folder_;
};

}  // namespace slipway::cluster::testing
