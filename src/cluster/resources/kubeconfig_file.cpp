#include "base/clock.hpp"
#include "base/text.hpp"
#include "cluster/kubeconfig.hpp"
#include "cluster/resources/file_json.hpp"
#include "cluster/resources/kept_file.hpp"
#include "cluster/resources/kinds.hpp"
#include "pki/kubeconfig.hpp"
#include "pki/renew.hpp"

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

constexpr const char* kAuthority = "kubernetes";

class Kubeconfig : public Resource {
  public:
    Kubeconfig(KubeconfigFile file, std::shared_ptr<Vault> vault)
        : Resource("kubeconfig", file.path), file_(std::move(file)), vault_(std::move(vault)) {}

    json::value desired() const override {
        json::array organizations(file_.request.organizations.begin(),
                                  file_.request.organizations.end());
        return json::object{{"server", file_.server},
                            {"user", file_.user},
                            {"cluster", file_.cluster},
                            {"commonName", file_.request.common_name},
                            {"organizations", std::move(organizations)},
                            {"certificateFile", file_.certificate_file}};
    }

    // All but the key.
    json::value read(Target& target) const override {
        json::value state = read_info(target, name());
        if (is_absent(state)) return state;
        const auto text = target.host.read_file(name(), target.call);
        if (!text) return state;
        json::object out = state.as_object();
        out["server"] = kubeconfig_value(text->content, "server");
        out["ca"] = kubeconfig_data(text->content, "certificate-authority-data");
        out["certificate"] = kubeconfig_data(text->content, "client-certificate-data");
        out["certificateFile"] = kubeconfig_value(text->content, "client-certificate");
        return out;
    }

    bool differs(const json::value& now) const override { return !why(now).empty(); }

    engine::Change change(const json::value& now) const override {
        return {is_absent(now) ? "create" : "change", describe(),
                is_absent(now) ? "for " + file_.user : why(now)};
    }

    void apply(Target& target) const override {
        const pki::Authority& authority = vault_->authority(kAuthority);
        pki::KubeconfigInput input{.cluster = file_.cluster,
                                   .server = file_.server,
                                   .ca_pem = authority.certificate(),
                                   .user = file_.user};
        pki::KeyPair pair;
        if (file_.certificate_file.empty()) {
            pair = authority.issue(file_.request, system_clock().wall_ms());
            input.client_certificate = pair.certificate;
            input.client_key = &pair.key;
        } else {
            input.client_certificate_file = file_.certificate_file;
            input.client_key_file = file_.certificate_file;
        }
        const Secret text = pki::kubeconfig(input);
        remote::FileState state{.content = std::string(text.reveal()), .mode = 0600};
        target.host.write_file(name(), state, target.call);
        wipe(state.content);
    }

    void restore(Target& target, const json::value& before) const override {
        if (is_absent(before)) remove_with_parents(target, name(), before);
    }

  private:
    std::string why(const json::value& now) const {
        if (is_absent(now)) return "it is not there";
        const json::object& object = now.as_object();
        if (string_at(object, "server") != file_.server) return "its server is another";
        const auto ca = vault_ ? vault_->authority_certificate(kAuthority) : std::nullopt;
        if (!ca) return "the authority has not been made yet";
        if (string_at(object, "ca") != *ca) return "its authority is another";
        if (!file_.certificate_file.empty()) {
            const bool same = string_at(object, "certificateFile") == file_.certificate_file;
            return same ? "" : "its certificate is elsewhere";
        }
        return pki::why_renew(string_at(object, "certificate"), file_.request, *ca,
                              system_clock().wall_ms(), pki::kRenewBeforeDays);
    }

    KubeconfigFile file_;
    std::shared_ptr<Vault> vault_;
};

}  // namespace

ResourcePtr kubeconfig_file(KubeconfigFile file, std::shared_ptr<Vault> vault) {
    return std::make_shared<Kubeconfig>(std::move(file), std::move(vault));
}

}  // namespace slipway::cluster
