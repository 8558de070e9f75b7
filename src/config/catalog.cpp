#include "config/catalog.hpp"

#include "config/decode.hpp"
#include "config/load.hpp"
#include "config/rules.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace slipway::embedded {
extern const char slipway_config_kubernetes[];
}

namespace slipway::config {

namespace {

constexpr std::string_view kArch = "{arch}";

bool is_sha256(const std::string& text) {
    return text.size() == 64 && std::ranges::all_of(text, [](char c) {
               return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
           });
}

void check_tools(const CatalogSpec& spec, Scope& scope) {
    for (std::size_t i = 0; i < spec.kubernetes.size(); ++i) {
        for (const auto& [name, version] : spec.kubernetes[i].tools) {
            const bool is_known = std::ranges::any_of(spec.tools, [&](const CatalogTool& tool) {
                return tool.name == name && tool.version == version;
            });
            if (is_known) continue;
            scope.error("CATALOG-TOOL", fmt::format("kubernetes[{}].tools.{}", i, name),
                        fmt::format("{} is not under tools", version), "add it with its checksums");
        }
    }
}

}  // namespace

std::string CatalogTool::url_for(std::string_view arch) const {
    std::string out = url;
    if (const std::size_t at = out.find(kArch); at != std::string::npos) {
        out.replace(at, kArch.size(), arch);
    }
    return out;
}

std::string KubernetesRelease::minor() const { return version.substr(0, version.rfind('.')); }

std::string KubernetesRelease::program_url(const std::string& program,
                                           std::string_view arch) const {
    return fmt::format("https://dl.k8s.io/release/{}/bin/linux/{}/{}", version, arch, program);
}

std::vector<std::string> KubernetesRelease::images() const {
    std::vector<std::string> out;
    for (const char* part :
         {"kube-apiserver", "kube-controller-manager", "kube-scheduler", "kube-proxy"}) {
        out.push_back(fmt::format("registry.k8s.io/{}:{}", part, version));
    }
    out.push_back("registry.k8s.io/etcd:" + etcd);
    out.push_back("registry.k8s.io/coredns/coredns:" + coredns);
    out.push_back("registry.k8s.io/pause:" + pause);
    return out;
}

const KubernetesRelease* Catalog::find(std::string_view version) const {
    if (version.starts_with('v')) version.remove_prefix(1);
    for (const KubernetesRelease& release : spec.kubernetes) {
        if (release.version.substr(1) == version || release.minor().substr(1) == version)
            return &release;
    }
    return nullptr;
}

const CatalogTool* Catalog::tool(std::string_view name, std::string_view version) const {
    const auto found = std::ranges::find_if(spec.tools, [&](const CatalogTool& tool) {
        return tool.name == name && tool.version == version;
    });
    return found == spec.tools.end() ? nullptr : &*found;
}

Catalog load_catalog(const Source& source) {
    return decode_yaml_or_throw<Catalog>(source, "CATALOG-INVALID");
}

const Catalog& catalog() {
    static const Catalog built_in =
        load_catalog({"catalog/kubernetes.yaml", embedded::slipway_config_kubernetes});
    return built_in;
}

void describe(Describe<CatalogSums>& d) {
    const std::string example = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
    d.field("amd64", &CatalogSums::amd64, "For amd64.").example(example).required();
    d.field("arm64", &CatalogSums::arm64, "For arm64.").example(example).required();
    d.check([](const CatalogSums& sums, Scope& scope) {
        for (const char* arch : {"amd64", "arm64"}) {
            if (!is_sha256(sums.of(arch)))
                scope.error("CATALOG-SUM", arch, "is not a SHA-256", "write 64 hexadecimal digits");
        }
    });
}

void describe(Describe<CatalogTool>& d) {
    d.field("name", &CatalogTool::name, "What it is called.").example("crictl").required();
    d.field("file", &CatalogTool::file, "What its file is called in a bundle.")
        .example("crictl.tar.gz")
        .required();
    d.field("version", &CatalogTool::version, "Its version.").example("v1.34.0").required();
    d.field("url", &CatalogTool::url, "Where it is published, with {arch} for the architecture.")
        .example("https://example.com/crictl-{arch}.tar.gz")
        .required()
        .rule(rules::one_line());
    d.field("sha256", &CatalogTool::sha256, "What it must be.")
        .example("{amd64: 9f86…, arm64: 60303…}")
        .required();
    d.check([](const CatalogTool& tool, Scope& scope) {
        if (!tool.url.starts_with("https://") || tool.url.find(kArch) == std::string::npos)
            scope.error("CATALOG-URL", "url", "is not https with {arch} in it", "write such a URL");
    });
}

void describe(Describe<KubernetesRelease>& d) {
    d.field("version", &KubernetesRelease::version, "The release.")
        .example("v1.34.11")
        .required()
        .rule(rules::version());
    d.field("etcd", &KubernetesRelease::etcd, "Tag of etcd's image.").example("3.6.5-0").required();
    d.field("coredns", &KubernetesRelease::coredns, "Tag of CoreDNS's image.")
        .example("v1.12.1")
        .required();
    d.field("pause", &KubernetesRelease::pause, "Tag of the pause image.")
        .example("\"3.10.1\"")
        .required();
    d.field("tools", &KubernetesRelease::tools, "Which version of each tool goes with it.")
        .example("{crictl: v1.34.0}");
    d.field("programs", &KubernetesRelease::programs, "Checksums of its programs.")
        .example("{kubeadm: {amd64: 9f86…, arm64: 60303…}}")
        .required();
}

void describe(Describe<CatalogSpec>& d) {
    d.field("images", &CatalogSpec::images, "Images that go with every release.")
        .example("[registry.k8s.io/metrics-server/metrics-server:v0.8.1]");
    d.field("kubernetes", &CatalogSpec::kubernetes, "The releases, the newest first.")
        .example("[{version: v1.34.11}]")
        .required()
        .at_least_one();
    d.field("tools", &CatalogSpec::tools, "Programs of others, each version by itself.")
        .example("[{name: runc, version: v1.4.3}]");
    d.check(check_tools);
}

void describe(Describe<Catalog>& d) {
    d.field("apiVersion", &Catalog::api_version, "The version of this format.")
        .example(std::string(kApiVersion))
        .required()
        .one_of({std::string(kApiVersion)});
    d.field("kind", &Catalog::kind, "What the document describes.")
        .example("Catalog")
        .required()
        .one_of({"Catalog"});
    d.field("spec", &Catalog::spec, "What there is.").required().envelope();
}

}  // namespace slipway::config
