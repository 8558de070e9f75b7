// What goes with each Kubernetes release: tags of images, programs and their checksums. Data, in
// catalog/kubernetes.yaml, which is part of the program.
//
//     const Catalog& all = catalog();
//     if (const KubernetesRelease* release = all.find("v1.34")) use(release->pause);
//
// Code asks here; it has no `if version >=` of its own.
#pragma once

#include "config/describe.hpp"
#include "config/problem.hpp"

#include <map>
#include <string>
#include <vector>

namespace slipway::config {

// SHA-256 of a file for each architecture.
struct CatalogSums {
    std::string amd64 = {};
    std::string arm64 = {};

    const std::string& of(std::string_view arch) const { return arch == "arm64" ? arm64 : amd64; }
};

struct CatalogTool {
    std::string name = {};
    std::string file = {};  // what it is called in a bundle: crictl.tar.gz
    std::string version = {};
    std::string url = {};  // with {arch} in it
    CatalogSums sha256 = {};

    std::string url_for(std::string_view arch) const;
};

struct KubernetesRelease {
    std::string version = {};
    std::string etcd = {};
    std::string coredns = {};
    std::string pause = {};
    std::map<std::string, std::string> tools = {};     // name: version
    std::map<std::string, CatalogSums> programs = {};  // kubeadm, kubelet, kubectl

    std::string minor() const;  // v1.34
    std::string program_url(const std::string& program, std::string_view arch) const;
    // All images kubeadm asks for.
    std::vector<std::string> images() const;
};

struct CatalogSpec {
    std::vector<std::string> images = {};
    std::vector<KubernetesRelease> kubernetes = {};  // the newest first
    std::vector<CatalogTool> tools = {};
};

struct Catalog {
    std::string api_version = {};
    std::string kind = {};
    CatalogSpec spec = {};

    // By version or minor version, with or without v; nullptr when there is none.
    const KubernetesRelease* find(std::string_view version) const;
    const CatalogTool* tool(std::string_view name, std::string_view version) const;
};

// Throws UserError CATALOG-INVALID with every problem in it.
Catalog load_catalog(const Source& source);
// The one this program was built with.
const Catalog& catalog();

void describe(Describe<CatalogSums>& d);
void describe(Describe<CatalogTool>& d);
void describe(Describe<KubernetesRelease>& d);
void describe(Describe<CatalogSpec>& d);
void describe(Describe<Catalog>& d);

}  // namespace slipway::config
