#include "cli/cluster_view.hpp"

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "cli/output.hpp"
#include "cluster/kubeconfig.hpp"
#include "kube/overview.hpp"

#include <fmt/format.h>

namespace slipway::cli {

namespace {

constexpr net::Millis kCertificatePatience{3'000};
constexpr std::int64_t kDayMs = 24LL * 3600 * 1000;

using Rows = std::vector<std::vector<std::string>>;

std::string node_state(const kube::NodeRow& node) {
    return std::string(node.ready ? "ready" : "not ready") +
           (node.schedulable ? "" : ", no new pods");
}

std::string node_table(const std::vector<kube::NodeRow>& nodes) {
    Rows rows = {{"NODE", "ROLES", "STATE", "VERSION", "ADDRESS", "RUNTIME"}};
    for (const kube::NodeRow& one : nodes)
        rows.push_back({one.name, one.roles.empty() ? "-" : one.roles, node_state(one), one.version,
                        one.address, one.runtime});
    return table(rows);
}

std::string component_table(const std::vector<kube::ComponentRow>& components) {
    Rows rows = {{"COMPONENT", "NAMESPACE", "KIND", "READY", "VERSION"}};
    for (const kube::ComponentRow& one : components)
        rows.push_back({one.name, one.name_space, one.kind,
                        fmt::format("{}/{}", one.ready, one.wanted), one.version});
    return table(rows);
}

std::int64_t days_left(const kube::CertificateRow& one) {
    return (one.ends_ms - system_clock().wall_ms()) / kDayMs;
}

std::string certificate_table(const std::vector<kube::CertificateRow>& certificates) {
    Rows rows = {{"CERTIFICATE", "NODE", "ENDS", "DAYS LEFT"}};
    for (const kube::CertificateRow& one : certificates) {
        const bool known = one.unknown.empty();
        rows.push_back({one.what, one.where.empty() ? "-" : one.where,
                        known ? format_utc(one.ends_ms) : one.unknown,
                        known ? std::to_string(days_left(one)) : "-"});
    }
    return table(rows);
}

json::array nodes_json(const std::vector<kube::NodeRow>& nodes) {
    json::array out;
    for (const kube::NodeRow& one : nodes) {
        json::object row = {{"name", one.name},       {"roles", one.roles},
                            {"ready", one.ready},     {"schedulable", one.schedulable},
                            {"version", one.version}, {"address", one.address},
                            {"runtime", one.runtime}};
        if (!one.why.empty()) row["why"] = one.why;
        out.push_back(std::move(row));
    }
    return out;
}

json::array components_json(const std::vector<kube::ComponentRow>& components) {
    json::array out;
    for (const kube::ComponentRow& one : components)
        out.push_back({{"name", one.name},
                       {"namespace", one.name_space},
                       {"kind", one.kind},
                       {"ready", one.ready},
                       {"wanted", one.wanted},
                       {"version", one.version}});
    return out;
}

json::array certificates_json(const std::vector<kube::CertificateRow>& certificates) {
    json::array out;
    for (const kube::CertificateRow& one : certificates) {
        json::object row = {{"what", one.what}, {"node", one.where}};
        if (one.unknown.empty()) {
            row["ends"] = format_utc(one.ends_ms);
            row["daysLeft"] = days_left(one);
        } else {
            row["unknown"] = one.unknown;
        }
        out.push_back(std::move(row));
    }
    return out;
}

ClusterView describe(const kube::Access& access, const kube::Overview& overview) {
    const std::vector<kube::CertificateRow> certificates =
        kube::certificates(access, overview.nodes, kCertificatePatience);
    return {.object = {{"server", access.server},
                       {"answers", true},
                       {"ready", overview.ready},
                       {"version", overview.version},
                       {"nodes", nodes_json(overview.nodes)},
                       {"components", components_json(overview.components)},
                       {"certificates", certificates_json(certificates)}},
            .text = fmt::format("\n{}: Kubernetes {}, {}\n\n{}\n{}\n{}", access.server,
                                overview.version, overview.ready ? "ready" : "not ready",
                                node_table(overview.nodes), component_table(overview.components),
                                certificate_table(certificates))};
}

ClusterView not_asked(const std::string& server) {
    static constexpr const char* kWhy = "the hosts are simulated, so there is nobody to ask";
    return {.object = {{"server", server}, {"answers", false}, {"simulated", true}, {"why", kWhy}},
            .text = fmt::format("\n{}: {}\n", server, kWhy)};
}

}  // namespace

ClusterView view_cluster(const std::filesystem::path& state_folder, bool simulated) {
    const std::filesystem::path file = cluster::kubeconfig_path(state_folder);
    const std::optional<std::string> text = read_file_if_any(file);
    if (!text) return {};
    std::string server = "the cluster";
    try {
        kube::Client client(kube::read_kubeconfig(*text, file.string()));
        server = client.access().server;
        if (simulated) return not_asked(server);
        return describe(client.access(), kube::look_at(client));
    } catch (const Error& failure) {
        return {
            .object = {{"server", server}, {"answers", false}, {"why", failure.what()}},
            .text = fmt::format("\n{} does not answer from here: {}\n", server, failure.what())};
    }
}

}  // namespace slipway::cli
