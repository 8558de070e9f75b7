#include "config/fields.hpp"
#include "config/rules.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

namespace slipway::config {

namespace {

void check_upstreams(const Dns& dns, Scope& scope) {
    const bool none = std::ranges::find(dns.upstreams, "none") != dns.upstreams.end();
    if (none && dns.upstreams.size() > 1) {
        scope.error("SPEC-DNS", "upstreams", "names servers and none as well",
                    "list the servers, or write [none]");
    }
}

void check_lists(const std::map<std::string, std::vector<std::string>>& map, std::string_view key,
                 std::string_view what, Scope& scope) {
    for (const auto& [name, list] : map) {
        if (!list.empty()) continue;
        scope.error("SPEC-REQUIRED", key, fmt::format("{} has no {}", name, what),
                    fmt::format("list at least one, or remove {}", name));
    }
}

}  // namespace

void describe(Describe<Dns>& d) {
    d.field("hosts", &Dns::hosts, "Names with fixed addresses, as in /etc/hosts: names by address.")
        .example("{10.0.0.7: [git.example.org, git]}")
        .keys(rules::ip_address())
        .rule(rules::dns_name());
    d.field("zones", &Dns::zones, "Name servers of single domains, asked for all names in them.")
        .example("{corp.example.org: [10.0.0.53, 10.0.1.53]}")
        .keys(rules::dns_name())
        .rule(rules::name_server());
    d.field("upstreams", &Dns::upstreams,
            "Name servers that are asked for all other names; [none]: nobody is.")
        .example("[10.0.0.53]")
        .unset_means("those of the nodes")
        .rule(rules::upstream());
    d.field("cacheSeconds", &Dns::cache_seconds, "How long answers from outside are kept.")
        .example("30")
        .range(0, 3600);
    d.field("nodeLocal", &Dns::node_local,
            "A cache on every node, at 169.254.25.10: pods ask their own node first.")
        .example("true");
    d.check([](const Dns& dns, Scope& scope) {
        check_upstreams(dns, scope);
        check_lists(dns.hosts, "hosts", "name", scope);
        check_lists(dns.zones, "zones", "name server", scope);
    });
}

void describe(Describe<LocalStorage>& d) {
    d.field("enabled", &LocalStorage::enabled, "Install it.").example("true");
    d.field("className", &LocalStorage::class_name, "Name of the storage class.")
        .example("local-path")
        .rule(rules::dns_label());
    d.field("folder", &LocalStorage::folder, "Where the nodes keep the volumes.")
        .example("/var/lib/slipway-volumes")
        .rule(rules::plain_path());
    d.field("reclaim", &LocalStorage::reclaim,
            "What becomes of a volume whose claim is deleted. With Retain, reset keeps the folder.")
        .example("Delete")
        .one_of({"Delete", "Retain"});
    d.field("default", &LocalStorage::is_default, "Claims that name no class get this one.")
        .example("true");
}

void describe(Describe<Storage>& d) {
    d.field("local", &Storage::local, "Volumes in folders of the nodes, made when a pod asks.");
}

void describe(Describe<Component>& d) {
    d.field("name", &Component::name, "Name of the component, and of the chart's release.")
        .example("metrics-server")
        .rule(rules::component_name())
        .required();
    d.field("chart", &Component::chart, "Name of a chart in the bundle.")
        .example("metrics-server")
        .unset_means("from manifests")
        .rule(rules::dns_name());
    d.field("version", &Component::version, "Version of the chart.")
        .example("3.13.0")
        .unset_means("the one in the bundle")
        .rule(rules::chart_version());
    d.field("namespace", &Component::name_space, "Namespace it is installed in, made if need be.")
        .example("kube-system")
        .unset_means("of a chart: the component's name; of manifests: what they say")
        .rule(rules::dns_label());
    d.field("valuesFile", &Component::values_file, "Values for the chart.")
        .example("values/metrics.yaml")
        .unset_means("the chart's own")
        .rule(rules::local_path())
        .local_file();
    d.field("manifests", &Component::manifests, "Manifest files instead of a chart.")
        .example("[manifests/app.yaml]")
        .rule(rules::local_path())
        .local_file();
    d.field("needs", &Component::needs, "Components that must be there first.")
        .example("[cert-manager]")
        .rule(rules::component_name())
        .unordered();
    d.check([](const Component& c, Scope& scope) {
        if (c.chart.empty() == c.manifests.empty()) {
            scope.error(
                "SPEC-COMPONENT", "",
                c.chart.empty() ? "has neither a chart nor manifests" : "has a chart and manifests",
                "give it one of them");
        }
        if (!c.chart.empty()) return;
        if (!c.version.empty())
            scope.error("SPEC-COMPONENT", "version", "is for charts", "remove it");
        if (!c.values_file.empty())
            scope.error("SPEC-COMPONENT", "valuesFile", "is for charts", "remove it");
    });
}

}  // namespace slipway::config
