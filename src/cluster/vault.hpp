// The secrets of one cluster that Slipway makes itself: authorities, the key of service accounts,
// tokens. Each is made when it is first asked for and sealed in the journal before it is handed
// out: nothing is ever trusted by a host that a kill could lose.
//
//     Vault vault(journal, clock, spec.kubernetes.certificates);
//     const pki::KeyPair pair = vault.authority("kubernetes").issue(request, clock.wall_ms());
//
// May be called from many threads; what it hands out lives as long as it. One process at a time:
// its user holds the run lock.
#pragma once

#include "base/clock.hpp"
#include "base/mutex.hpp"
#include "base/secret.hpp"
#include "config/spec.hpp"
#include "pki/authority.hpp"
#include "pki/signing_key.hpp"
#include "store/journal.hpp"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace slipway::cluster {

class Vault {
  public:
    Vault(store::Journal& journal, Clock& clock, const config::Certificates& settings);

    // "kubernetes", "etcd", "front-proxy", "registry". With caFolder those that are there are taken
    // from it, laid out as kubeadm does; the cluster's own must be. Throws PKI-INVALID,
    // PKI-OTHER-CA, or what a file that cannot be read gives.
    const pki::Authority& authority(const std::string& name);
    // Without making one.
    std::optional<std::string> authority_certificate(const std::string& name);

    const pki::SigningKey& signing_key();

    // Any other secret by its name. `make` must not ask the vault.
    Secret secret(const std::string& name, const std::function<Secret()>& make);

    // A secret of the user's that hosts get: what `read` gives, and once it gives none (the file or
    // the variable is gone) what it gave last. Throws UserError SECRET-GONE when there never was
    // any.
    Secret given(const std::string& name, const std::function<std::optional<Secret>()>& read);
    // The same without keeping it: "" when there is none, else its SHA-256.
    std::string given_digest(const std::string& name,
                             const std::function<std::optional<Secret>()>& read);

    // What the user should know of the authorities asked for so far: those that end before a
    // certificate made today would.
    std::vector<std::string> warnings();

  private:
    const pki::Authority* find_authority(const std::string& name) SLIPWAY_REQUIRES(mutex_);

    store::Journal& journal_;
    Clock& clock_;
    const config::Certificates settings_;
    Mutex mutex_;
    std::map<std::string, pki::Authority> authorities_ SLIPWAY_GUARDED_BY(mutex_);
    std::optional<pki::SigningKey> signing_key_ SLIPWAY_GUARDED_BY(mutex_);
    std::map<std::string, Secret> secrets_ SLIPWAY_GUARDED_BY(mutex_);
};

}  // namespace slipway::cluster
