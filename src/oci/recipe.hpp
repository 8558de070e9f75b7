// `kind: Recipe`: what a bundle is to hold and where it comes from.
//
//     apiVersion: slipway.dev/v1
//     kind: Recipe
//     metadata: {name: demo, version: "1.0"}
//     spec:
//       images:
//         - oci-layout: images/            # every image in it
//         - docker-archive: pause.tar.gz
//           name: registry.k8s.io/pause:3.10
//       binaries:
//         - file: kubeadm
//           version: v1.34.1
//       charts:
//         - chart: charts/metrics-server
//
// Paths are relative to the recipe. Described with the same fields as the spec
// (config/describe.hpp).
#pragma once

#include "config/describe.hpp"
#include "config/problem.hpp"
#include "config/spec.hpp"

#include <map>
#include <string>
#include <vector>

namespace slipway::oci {

// One of file, link and folder.
struct ImageFile {
    std::string file = {};
    std::string link = {};
    bool folder = false;
    std::string to = {};
    std::string mode = {};
    std::int64_t uid = 0;
    std::int64_t gid = 0;
};

struct BaseImage {
    std::string oci_layout = {};
    std::string oci_archive = {};
    std::string docker_archive = {};
    std::string image = {};
};

struct ImageFromFiles {
    BaseImage base = {};
    std::vector<ImageFile> files = {};
    std::string os = "linux";
    std::string arch = "amd64";
    std::string user = {};
    std::string workdir = {};
    std::vector<std::string> entrypoint = {};
    std::vector<std::string> cmd = {};
    std::map<std::string, std::string> env = {};
    std::map<std::string, std::string> labels = {};

    bool is_given() const;
};

struct RecipeImage {
    std::string registry = {};
    std::string oci_layout = {};
    std::string oci_archive = {};
    std::string docker_archive = {};
    ImageFromFiles from_files = {};
    std::string name = {};
    std::vector<std::string> only = {};
    std::vector<std::string> platforms = {};
};

struct RecipeBinary {
    std::string file = {};
    std::string url = {};
    std::string sha256 = {};
    std::string name = {};
    std::string version = {};
    std::string os = "linux";
    std::string arch = "amd64";
};

struct RecipeChart {
    std::string chart = {};
    std::string registry = {};
    std::string url = {};
    std::string sha256 = {};
};

struct RecipeRepository {
    std::string url = {};
    std::string file = {};
    std::string ca = {};
    std::string suite = {};
    std::vector<std::string> components = {"main"};
    std::string keyring = {};
    bool is_unsigned = false;
    bool expired = false;
};

struct RecipePackages {
    std::string os = {};
    std::string arch = "amd64";
    std::vector<std::string> files = {};
    std::vector<std::string> deb = {};
    std::vector<std::string> rpm = {};
    std::vector<RecipeRepository> repositories = {};
    std::string base = {};
    std::vector<std::string> installed = {};
};

struct RecipeLogin {
    std::string user = {};
    config::SecretRef password = {};
};

// How a registry is reached; those nobody describes are reached with TLS, and with the login that
// docker or podman left.
struct RecipeRegistry {
    std::string host = {};
    std::string mirror = {};
    std::string ca_file = {};
    bool plain_http = false;
    RecipeLogin login = {};
};

struct RecipeSpec {
    std::vector<RecipeRegistry> registries = {};
    std::vector<RecipeImage> images = {};
    std::vector<RecipeBinary> binaries = {};
    std::vector<RecipeChart> charts = {};
    std::vector<RecipePackages> packages = {};
};

struct RecipeMetadata {
    std::string name = {};
    std::string version = {};
};

struct Recipe {
    std::string api_version = {};
    std::string kind = {};
    RecipeMetadata metadata = {};
    RecipeSpec spec = {};

    std::string title() const;
};

// Throws UserError RECIPE-INVALID with every problem in it.
Recipe load_recipe(const config::Source& source);

void describe(config::Describe<ImageFile>& d);
void describe(config::Describe<BaseImage>& d);
void describe(config::Describe<ImageFromFiles>& d);
void describe(config::Describe<RecipeImage>& d);
void describe(config::Describe<RecipeBinary>& d);
void describe(config::Describe<RecipeChart>& d);
void describe(config::Describe<RecipeRepository>& d);
void describe(config::Describe<RecipePackages>& d);
void describe(config::Describe<RecipeLogin>& d);
void describe(config::Describe<RecipeRegistry>& d);
void describe(config::Describe<RecipeSpec>& d);
void describe(config::Describe<RecipeMetadata>& d);
void describe(config::Describe<Recipe>& d);

}  // namespace slipway::oci
