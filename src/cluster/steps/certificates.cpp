#include "cluster/steps/certificates.hpp"

#include "base/digest.hpp"
#include "base/files.hpp"
#include "cluster/etcd_config.hpp"
#include "cluster/external_etcd.hpp"
#include "cluster/topology.hpp"

#include <fmt/format.h>

namespace slipway::cluster {

std::string pki_path(std::string_view file) { return fmt::format("/etc/kubernetes/pki/{}", file); }

void add_authority(std::vector<ResourcePtr>& out, const std::shared_ptr<Vault>& vault,
                   const std::string& name, const std::string& path, bool with_key) {
    const auto known = [vault, name] {
        const auto text = vault ? vault->authority_certificate(name) : std::nullopt;
        return text ? sha256_hex(*text) : std::string();
    };
    out.push_back(vault_file(
        {.path = path + ".crt",
         .mode = 0644,
         .content = [vault, name] { return Secret(vault->authority(name).certificate()); },
         .known = known}));
    if (!with_key) return;
    out.push_back(
        vault_file({.path = path + ".key",
                    .mode = 0600,
                    .content = [vault, name] { return vault->authority(name).key().clone(); },
                    .known =
                        [vault, name] {
                            if (!vault || !vault->authority_certificate(name)) return std::string();
                            return sha256_hex(vault->authority(name).key().reveal());
                        }}));
}

void add_leaf(std::vector<ResourcePtr>& out, const StepInput& in, const std::string& name,
              const std::string& authority, pki::Request request) {
    request.days = static_cast<int>(in.spec.kubernetes.certificates.leaf_days);
    out.push_back(certificate({.certificate = pki_path(name + ".crt"),
                               .key = pki_path(name + ".key"),
                               .authority = authority,
                               .request = std::move(request)},
                              in.material.vault));
}

void add_etcd_member(std::vector<ResourcePtr>& out, const StepInput& in) {
    const config::Host& host = *in.host;
    add_authority(out, in.material.vault, "etcd", std::string(kEtcdPki) + "/ca", true);
    std::vector<std::string> names = host_names(host);
    names.insert(names.end(), {"localhost", "127.0.0.1", "::1"});
    for (const char* name : {"etcd/server", "etcd/peer"}) {
        add_leaf(out, in, name, "etcd",
                 {.common_name = host.name, .names = names, .usage = pki::Usage::both});
    }
    add_leaf(out, in, "etcd/healthcheck-client", "etcd",
             {.common_name = "kube-etcd-healthcheck-client"});
}

void add_external_etcd(std::vector<ResourcePtr>& out, const StepInput& in) {
    const config::Etcd& etcd = in.spec.etcd;
    const auto given = [&](const std::string& path) {
        return in.around.undo ? std::string() : read_file(path);
    };
    out.push_back(file(std::string(kEtcdPki) + "/ca.crt", {.content = given(etcd.ca_file)}));
    out.push_back(file(std::string(kEtcdClient) + ".crt", {.content = given(etcd.cert_file)}));
    const auto vault = in.material.vault;
    const auto read = [etcd] { return read_external_etcd_key(etcd); };
    constexpr const char* kName = "external-etcd-key";
    out.push_back(vault_file(
        {.path = std::string(kEtcdClient) + ".key",
         .mode = 0600,
         .content = [vault, read] { return vault->given(kName, read); },
         .known = [vault,
                   read] { return vault ? vault->given_digest(kName, read) : std::string(); }}));
}

}  // namespace slipway::cluster
