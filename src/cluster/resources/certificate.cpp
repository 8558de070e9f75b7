#include "base/clock.hpp"
#include "base/text.hpp"
#include "cluster/resources/file_json.hpp"
#include "cluster/resources/kept_file.hpp"
#include "cluster/resources/kinds.hpp"
#include "pki/renew.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

// After the certificate in its file until the unit has read it: a crash in between is seen.
constexpr std::string_view kUnread = "# Slipway: not read yet\n";

json::object to_json(const pki::Request& request) {
    json::array names(request.names.begin(), request.names.end());
    json::array organizations(request.organizations.begin(), request.organizations.end());
    return {{"commonName", request.common_name},
            {"organizations", std::move(organizations)},
            {"names", std::move(names)},
            {"usage", static_cast<int>(request.usage)}};
}

class Certificate : public Resource {
  public:
    Certificate(CertificateFiles files, std::shared_ptr<Vault> vault)
        : Resource("certificate", files.certificate),
          files_(std::move(files)),
          vault_(std::move(vault)) {}

    json::object identity() const override {
        json::object out = Resource::identity();
        out["key"] = files_.key;
        return out;
    }

    json::value desired() const override {
        json::object out = to_json(files_.request);
        out["authority"] = files_.authority;
        return out;
    }

    // The certificate is public; of the key only whether it is there.
    json::value read(Target& target) const override {
        json::value state = read_info(target, name());
        if (is_absent(state)) return state;
        const auto text = target.host.read_file(name(), target.call);
        const bool has_key =
            text && (files_.key == name() || target.host.file_info(files_.key, target.call));
        json::object out = state.as_object();
        out["certificate"] = text ? certificate_part(text->content) : "";
        out["key"] = has_key;
        out["unread"] = text && text->content.ends_with(kUnread);
        return out;
    }

    bool differs(const json::value& now) const override { return !why(now).empty(); }

    engine::Change change(const json::value& now) const override {
        return {is_absent(now) ? "create" : "change", describe(),
                is_absent(now) ? files_.request.common_name : why(now)};
    }

    void apply(Target& target) const override {
        const pki::KeyPair pair =
            vault_->authority(files_.authority).issue(files_.request, system_clock().wall_ms());
        if (files_.key == name()) {
            write(target, name(), pair.certificate + std::string(pair.key.reveal()), 0600);
            return;
        }
        // The key first: a certificate without its key would look whole to the next probe.
        write(target, files_.key, std::string(pair.key.reveal()), 0600);
        if (!files_.unit.empty() && target.host.unit(files_.unit, target.call).active) {
            write(target, name(), pair.certificate + std::string(kUnread), 0644);
            target.host.restart_unit(files_.unit, target.call);
        }
        write(target, name(), pair.certificate, 0644);
    }

    void restore(Target& target, const json::value& before) const override {
        if (!is_absent(before)) return;  // it was somebody's, and answered the request
        if (!files_.key.empty()) target.host.remove_file(files_.key, target.call);
        remove_with_parents(target, name(), before);
    }

  private:
    static std::string certificate_part(const std::string& text) {
        const std::size_t end = text.find("-----END CERTIFICATE-----");
        return end == std::string::npos ? "" : text.substr(0, end + 26);
    }

    std::string why(const json::value& now) const {
        if (is_absent(now)) return "it is not there";
        const json::object& object = now.as_object();
        if (!bool_at(object, "key")) return "its key is not there";
        if (bool_at(object, "unread")) return "it has not been read yet";
        const auto ca = vault_ ? vault_->authority_certificate(files_.authority) : std::nullopt;
        if (!ca) return "its authority has not been made yet";
        return pki::why_renew(string_at(object, "certificate"), files_.request, *ca,
                              system_clock().wall_ms(), pki::kRenewBeforeDays);
    }

    static void write(Target& target, const std::string& path, std::string content, unsigned mode) {
        remote::FileState state{.content = std::move(content), .mode = mode};
        target.host.write_file(path, state, target.call);
        wipe(state.content);
    }

    CertificateFiles files_;
    std::shared_ptr<Vault> vault_;
};

}  // namespace

ResourcePtr certificate(CertificateFiles files, std::shared_ptr<Vault> vault) {
    return std::make_shared<Certificate>(std::move(files), std::move(vault));
}

}  // namespace slipway::cluster
