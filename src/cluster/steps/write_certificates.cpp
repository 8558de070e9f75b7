#include "base/digest.hpp"
#include "cluster/etcd_config.hpp"
#include "cluster/roles.hpp"
#include "cluster/steps/certificates.hpp"
#include "cluster/topology.hpp"

namespace slipway::cluster {

namespace {

// A look alone makes nothing.
bool is_made(const std::shared_ptr<Vault>& vault) {
    return vault && vault->authority_certificate("kubernetes");
}

void add_signing_key(std::vector<ResourcePtr>& out, const std::shared_ptr<Vault>& vault) {
    out.push_back(vault_file({.path = pki_path("sa.key"),
                              .mode = 0600,
                              .content = [vault] { return vault->signing_key().key.clone(); },
                              .known =
                                  [vault] {
                                      return is_made(vault)
                                                 ? sha256_hex(vault->signing_key().key.reveal())
                                                 : "";
                                  }}));
    out.push_back(vault_file(
        {.path = pki_path("sa.pub"),
         .mode = 0644,
         .content = [vault] { return Secret(vault->signing_key().public_key); },
         .known =
             [vault] {
                 return is_made(vault) ? sha256_hex(vault->signing_key().public_key) : "";
             }}));
}

class ControlPlaneFiles {
  public:
    explicit ControlPlaneFiles(const StepInput& in)
        : in_(in), spec_(in.spec), host_(*in.host), vault_(in.material.vault) {}

    void add_to(std::vector<ResourcePtr>& out) {
        add_authority(out, vault_, "kubernetes", pki_path("ca"), true);
        add_authority(out, vault_, "front-proxy", pki_path("front-proxy-ca"), true);
        add_signing_key(out, vault_);
        leaf(out, "apiserver", "kubernetes",
             {.common_name = "kube-apiserver",
              .names = api_server_names(spec_, host_),
              .usage = pki::Usage::server});
        leaf(out, "apiserver-kubelet-client", "kubernetes",
             {.common_name = "kube-apiserver-kubelet-client",
              .organizations = {"kubeadm:cluster-admins"}});
        leaf(out, "front-proxy-client", "front-proxy", {.common_name = "front-proxy-client"});
        add_etcd(out);
        config(out, "admin.conf", "kubernetes-admin", "kubeadm:cluster-admins");
        config(out, "super-admin.conf", "kubernetes-super-admin", "system:masters");
        config(out, "controller-manager.conf", "system:kube-controller-manager", "");
        config(out, "scheduler.conf", "system:kube-scheduler", "");
    }

  private:
    // What a host that runs a member has of its own (write_etcd_certificates.cpp) is left to it.
    void add_etcd(std::vector<ResourcePtr>& out) {
        switch (spec_.etcd.mode) {
            case config::EtcdMode::external: add_external_etcd(out, in_); return;
            case config::EtcdMode::stacked: add_etcd_member(out, in_); break;
            case config::EtcdMode::managed:
                if (!runs_etcd(spec_, host_))
                    add_authority(out, vault_, "etcd", std::string(kEtcdPki) + "/ca", true);
                break;
        }
        leaf(out, "apiserver-etcd-client", "etcd", {.common_name = "kube-apiserver-etcd-client"});
    }

    void leaf(std::vector<ResourcePtr>& out, const std::string& name, const std::string& authority,
              pki::Request request) {
        add_leaf(out, in_, name, authority, std::move(request));
    }

    void config(std::vector<ResourcePtr>& out, const std::string& file, const std::string& user,
                const std::string& organization) {
        pki::Request request{.common_name = user};
        if (!organization.empty()) request.organizations = {organization};
        request.days = static_cast<int>(spec_.kubernetes.certificates.leaf_days);
        out.push_back(kubeconfig_file({.path = "/etc/kubernetes/" + file,
                                       .server = api_url(spec_, host_),
                                       .cluster = spec_.name,
                                       .user = user,
                                       .request = std::move(request)},
                                      vault_));
    }

    const StepInput& in_;
    const config::Spec& spec_;
    const config::Host& host_;
    std::shared_ptr<Vault> vault_;
};

// The kubelet renews its own: what it finds under this name is a link to the newest.
constexpr const char* kClient = "/var/lib/kubelet/pki/kubelet-client-first.pem";
constexpr const char* kCurrent = "/var/lib/kubelet/pki/kubelet-client-current.pem";

void add_kubelet(std::vector<ResourcePtr>& out, const StepInput& in) {
    const std::shared_ptr<Vault>& vault = in.material.vault;
    const config::Host& host = *in.host;
    const int days = static_cast<int>(in.spec.kubernetes.certificates.leaf_days);
    if (!host.has(config::Role::control_plane))
        add_authority(out, vault, "kubernetes", pki_path("ca"), false);
    out.push_back(certificate({.certificate = "/var/lib/kubelet/pki/kubelet.crt",
                               .key = "/var/lib/kubelet/pki/kubelet.key",
                               .authority = "kubernetes",
                               .request = {.common_name = "system:node:" + host.name,
                                           .organizations = {"system:nodes"},
                                           .names = host_names(host),
                                           .usage = pki::Usage::server,
                                           .days = kDaysOfAuthority}},
                              vault));
    out.push_back(certificate({.certificate = kClient,
                               .key = kClient,
                               .authority = "kubernetes",
                               .request = {.common_name = "system:node:" + host.name,
                                           .organizations = {"system:nodes"},
                                           .days = days}},
                              vault));
    out.push_back(link_once(kCurrent, kClient));
    out.push_back(kubeconfig_file({.path = "/etc/kubernetes/kubelet.conf",
                                   .server = api_url(in.spec, host),
                                   .cluster = in.spec.name,
                                   .user = "system:node:" + host.name,
                                   .certificate_file = kCurrent},
                                  vault));
}

std::vector<ResourcePtr> resources(const StepInput& in) {
    // First, so that it is emptied last: the kubelet leaves its own certificates there.
    std::vector<ResourcePtr> out = {filled_folder("/var/lib/kubelet")};
    if (in.host->has(config::Role::control_plane)) ControlPlaneFiles(in).add_to(out);
    add_kubelet(out, in);
    return out;
}

}  // namespace

StepKind write_certificates() {
    return {
        .id = "write-certificates",
        .title = "Write certificates and kubeconfigs",
        .part = "kubernetes.certificates",
        .needs = {kAfterPreInstall, "create-users-and-folders"},
        .weight = 0.5,
        .delegable = false,
        .why_not_skippable = "every part of the cluster proves itself with one",
        .make = step_of("write-certificates", resources),
    };
}

}  // namespace slipway::cluster
