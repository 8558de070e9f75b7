#include "cluster/testing/small_bundle.hpp"

#include "oci/bundle_build.hpp"
#include "oci/testing/package_repository.hpp"
#include "oci/testing/small_images.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace slipway::cluster::testing {

namespace {

struct Item {
    std::string_view name, version;
};

constexpr std::array<Item, 12> kImages = {
    {{"registry.k8s.io/coredns/coredns", "v1.12.0"},
     {"registry.k8s.io/etcd", "3.6.0-0"},
     {"registry.k8s.io/kube-apiserver", kSmallVersion},
     {"registry.k8s.io/kube-controller-manager", kSmallVersion},
     {"registry.k8s.io/kube-proxy", kSmallVersion},
     {"registry.k8s.io/kube-scheduler", kSmallVersion},
     {"registry.k8s.io/metrics-server/metrics-server", "v0.8.0"},
     {"registry.k8s.io/pause", "3.10"},
     {"docker.io/library/haproxy", "2.8"},
     {"docker.io/rancher/local-path-provisioner", "v0.0.30"},
     {"ghcr.io/flannel-io/flannel", "v0.27.0"},
     {"ghcr.io/kube-vip/kube-vip", "v1.0.0"}}};

// In the form the catalogue brings them.
constexpr std::array<Item, 9> kPrograms = {{{"kubelet", kSmallVersion},
                                            {"kubeadm", kSmallVersion},
                                            {"kubectl", kSmallVersion},
                                            {"etcd.tar.gz", "v3.6.0"},
                                            {"helm.tar.gz", "v3.19.0"},
                                            {"runc", "v1.3.0"},
                                            {"containerd.tar.gz", "v2.1.0"},
                                            {"crictl.tar.gz", "v1.33.0"},
                                            {"cni-plugins.tgz", "v1.7.0"}}};

constexpr std::array<Item, 2> kCharts = {{{"small-chart", "1.2.3"}, {"tigera-operator", "3.30.0"}}};

void add_packages(const oci::testing::TempFolder& folder) {
    oci::testing::DebRepository repository(folder / "debian");
    repository.add({.name = "conntrack", .depends = "libnetfilter"});
    repository.add({.name = "libnetfilter"});
    repository.add({.name = "unasked"});
    repository.write();
}

}  // namespace

std::vector<std::string> SmallBundle::repositories() {
    std::vector<std::string> out;
    for (const Item& item : kImages) out.emplace_back(item.name);
    return out;
}

std::vector<std::string> SmallBundle::programs() {
    std::vector<std::string> out;
    for (const Item& item : kPrograms) out.emplace_back(item.name);
    return out;
}

SmallBundle::SmallBundle(const std::vector<std::string>& lacking) {
    const auto there = [&](std::string_view name) {
        return std::ranges::find(lacking, name) == lacking.end();
    };
    oci::testing::SmallImages images;
    for (const Item& item : kImages) {
        if (!there(item.name)) continue;
        const std::string name = fmt::format("{}:{}", item.name, item.version);
        images.name(name, images.image({.files = {{"name", name}}}));
    }
    images.write_layout(folder_ / "images");
    add_packages(folder_);
    folder_.write("slipway", "the program itself");
    std::string recipe =
        "apiVersion: slipway.dev/v1\nkind: Recipe\nmetadata: {name: small}\nspec:\n"
        "  images:\n    - oci-layout: images\n"
        "  packages:\n    - os: debian-12\n      deb: [conntrack, unasked]\n"
        "      repositories: [{file: debian, suite: bookworm, unsigned: true}]\n"
        "  binaries:\n";
    for (const Item& item : kPrograms) {
        if (!there(item.name)) continue;
        folder_.write(item.name, fmt::format("program {}", item.name));
        recipe += fmt::format("    - {{file: {}, version: {}}}\n", item.name, item.version);
    }
    recipe += "  charts:\n";
    for (const Item& item : kCharts) {
        folder_.write(
            fmt::format("{}/Chart.yaml", item.name),
            fmt::format("apiVersion: v2\nname: {}\nversion: {}\n", item.name, item.version));
        recipe += fmt::format("    - chart: {}\n", item.name);
    }
    const std::string name = (folder_ / "recipe.yaml").string();
    oci::build_bundle(oci::load_recipe({name, recipe}), file());
}

}  // namespace slipway::cluster::testing
