#include "config/fields.hpp"

#include "config/load.hpp"
#include "config/rules.hpp"

namespace slipway::config {

const TypeInfo& document_type() { return type_of<Document>(); }

void describe(Describe<Document>& d) {
    d.field("apiVersion", &Document::api_version, "The version of this format.")
        .example(std::string(kApiVersion))
        .required()
        .one_of({std::string(kApiVersion)});
    d.field("kind", &Document::kind, "What the document describes.")
        .example(std::string(kKind))
        .required()
        .one_of({std::string(kKind)});
    d.field("metadata", &Document::metadata, "What the cluster is called.")
        .example("{name: demo}")
        .required();
    d.field("spec", &Document::spec, "What the cluster is to be.")
        .example("{hosts: […]}")
        .required()
        .envelope();
}

void describe(Describe<Metadata>& d) {
    d.field("name", &Metadata::name,
            "Name of the cluster. Runs and state are kept under it, so a changed name is another "
            "cluster.")
        .example("demo")
        .required()
        .rule(rules::dns_label());
}

void describe(Describe<Spec>& d) {
    d.field("hosts", &Spec::hosts, "The machines. Their order means nothing; names order them.")
        .example("[{name: cp1, address: 10.0.0.11, roles: [control-plane, worker]}]")
        .required()
        .at_least_one()
        .unordered();
    d.field("bundles", &Spec::bundles,
            "Offline files with everything that is installed. Without one the hosts are only "
            "prepared.")
        .example("[kubernetes.bundle]")
        .unset_means("no cluster is made")
        .rule(rules::local_path())
        .local_file();
    d.field("kubernetes", &Spec::kubernetes, "Version, endpoint and networks of the cluster.");
    d.field("etcd", &Spec::etcd, "Where etcd runs and how it is backed up.");
    d.field("runtime", &Spec::runtime, "The container runtime on the nodes.");
    d.field("networkPlugin", &Spec::network_plugin, "The plugin that connects pods.");
    d.field("registry", &Spec::registry, "Where nodes pull images from.");
    d.field("os", &Spec::os,
            "How machines are prepared. Each part can be switched off, and each change is put back "
            "by undo.");
    d.field("hooks", &Spec::hooks, "Own scripts before and after.");
    d.field("storage", &Spec::storage, "Storage classes of the cluster.");
    d.field("components", &Spec::components,
            "Pieces of the platform, from charts or manifests, installed once the cluster works. "
            "One that is taken out of the list is removed.")
        .example("[{name: metrics-server, chart: metrics-server}]");
    d.field("steps", &Spec::steps, "Single steps left out or handed to an outside program.");
    d.field("limits", &Spec::limits,
            "How much is done at once, and what a failure means for the run.");
}

}  // namespace slipway::config
