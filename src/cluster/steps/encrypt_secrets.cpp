#include "base/base64.hpp"
#include "base/digest.hpp"
#include "base/text.hpp"
#include "cluster/kubernetes_config.hpp"
#include "cluster/steps/steps.hpp"

#include <array>

#include <fmt/format.h>

#include <sys/random.h>

namespace slipway::cluster {

namespace {

// 32 bytes, as all three ciphers take them, in base64.
Secret make_key() {
    std::array<char, 32> bytes{};
    if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
        throw std::runtime_error("the kernel gives no random bytes");
    return to_base64({bytes.data(), bytes.size()});
}

Secret configuration(const config::Encryption& settings, Vault& vault) {
    const Secret key = vault.secret("encryption-key", make_key);
    std::string kinds;
    for (const std::string& kind : settings.resources) kinds += fmt::format("  - {}\n", kind);
    // What is stored in clear already stays readable.
    return Secret(fmt::format(
        "apiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfiguration\nresources:\n- "
        "resources:\n{}  providers:\n  - {}:\n      keys:\n      - name: key1\n        secret: "
        "{}\n "
        " - identity: {{}}\n",
        kinds, settings.provider, key.reveal()));
}

std::vector<ResourcePtr> resources(const StepInput& in) {
    const config::Encryption settings = in.spec.kubernetes.encryption;
    const std::shared_ptr<Vault> vault = in.material.vault;
    return {vault_file({.path = std::string(kEncryptionConfig),
                        .mode = 0600,
                        .content = [=] { return configuration(settings, *vault); },
                        .known =
                            [=] {
                                const bool made =
                                    vault && vault->authority_certificate("kubernetes");
                                return made ? sha256_hex(configuration(settings, *vault).reveal())
                                            : std::string();
                            }})};
}

}  // namespace

StepKind encrypt_secrets() {
    return {
        .id = "encrypt-secrets",
        .title = "Write the key that encrypts what etcd stores",
        .part = "kubernetes.encryption",
        .enabled = [](const config::Spec& spec) { return spec.kubernetes.encryption.enabled; },
        .needs = {kAfterPreInstall, "create-users-and-folders"},
        .delegable = false,
        .why_not_skippable = "the API server does not start without it",
        .make = step_of("encrypt-secrets", resources),
    };
}

}  // namespace slipway::cluster
