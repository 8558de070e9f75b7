#include "cluster/vault.hpp"

#include "base/digest.hpp"
#include "base/error.hpp"
#include "cluster/own_authority.hpp"
#include "pki/certificate.hpp"

#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

constexpr std::int64_t kDayMs = 24ll * 3600 * 1000;
constexpr std::string_view kKeyBegins = "-----BEGIN PRIVATE KEY-----";

std::string kept(const std::string& name) { return std::string(store::kKeptSecrets) + name; }
std::string sealed_authority(const std::string& name) { return kept("authority/" + name); }
const std::string kSigningKey = kept("signing-key");
std::string sealed_secret(const std::string& name) { return kept("secret/" + name); }
std::string sealed_given(const std::string& name) { return kept("given/" + name); }

// Certificate and key as one secret: a kill leaves both or none.
Secret to_one_text(const pki::Authority& authority) {
    std::string text;
    text.reserve(authority.certificate().size() + authority.key().reveal().size());
    text.append(authority.certificate()).append(authority.key().reveal());
    Secret out(text);
    wipe(text);
    return out;
}

pki::Authority from_one_text(const std::string& name, const Secret& sealed) {
    const std::string_view text = sealed.reveal();
    const std::size_t key = std::min(text.find(kKeyBegins), text.size());
    try {
        return pki::Authority::from_pem(std::string(text.substr(0, key)), Secret(text.substr(key)));
    } catch (Error& e) {
        e.add_context(fmt::format("opening the authority {} in the journal", name));
        throw;
    }
}

// Hosts and clients trust what the cluster was made with: another one is never slipped in. A new
// certificate for the same key is a renewal, and all that was signed stays good.
void check_same(const std::string& name, const std::string& given, const pki::Authority& kept) {
    if (pki::ca_hash(given) == pki::ca_hash(kept.certificate())) return;
    throw UserError(
        "PKI-OTHER-CA",
        fmt::format("the CA \"{}\" in kubernetes.certificates.caFolder is not the cluster's", name),
        {.cause = fmt::format("the cluster's key is {}, the folder's {}",
                              pki::ca_hash(kept.certificate()), pki::ca_hash(given)),
         .remedy = "put the cluster's CA into the folder, or take caFolder out of the spec"});
}

}  // namespace

Vault::Vault(store::Journal& journal, Clock& clock, const config::Certificates& settings)
    : journal_(journal), clock_(clock), settings_(settings) {}

const pki::Authority* Vault::find_authority(const std::string& name) {
    const auto known = authorities_.find(name);
    if (known != authorities_.end()) return &known->second;
    const std::optional<Secret> sealed = journal_.open_secret(sealed_authority(name));
    if (!sealed) return nullptr;
    pki::Authority kept = from_one_text(name, *sealed);
    if (const auto given = read_own_certificate(settings_.ca_folder, name)) {
        check_same(name, *given, kept);
        pki::Authority renewed = pki::Authority::from_pem(*given, kept.key().clone());
        if (renewed.certificate() != kept.certificate()) {
            journal_.seal_secret(sealed_authority(name), to_one_text(renewed));
            kept = std::move(renewed);
        }
    }
    return &authorities_.emplace(name, std::move(kept)).first->second;
}

const pki::Authority& Vault::authority(const std::string& name) {
    const Lock lock(mutex_);
    if (const pki::Authority* found = find_authority(name)) return *found;
    std::optional<pki::Authority> made = read_own_authority(settings_.ca_folder, name);
    if (!made)
        made = pki::Authority::make(name + "-ca", static_cast<int>(settings_.ca_years),
                                    clock_.wall_ms());
    journal_.seal_secret(sealed_authority(name), to_one_text(*made));
    return authorities_.emplace(name, std::move(*made)).first->second;
}

std::optional<std::string> Vault::authority_certificate(const std::string& name) {
    const Lock lock(mutex_);
    const pki::Authority* found = find_authority(name);
    if (found == nullptr) return std::nullopt;
    return found->certificate();
}

const pki::SigningKey& Vault::signing_key() {
    const Lock lock(mutex_);
    if (signing_key_) return *signing_key_;
    if (std::optional<Secret> sealed = journal_.open_secret(kSigningKey))
        return signing_key_.emplace(pki::signing_key_from_pem(std::move(*sealed)));
    pki::SigningKey made = pki::make_signing_key();
    journal_.seal_secret(kSigningKey, made.key);
    return signing_key_.emplace(std::move(made));
}

Secret Vault::secret(const std::string& name, const std::function<Secret()>& make) {
    const Lock lock(mutex_);
    const auto known = secrets_.find(name);
    if (known != secrets_.end()) return known->second.clone();
    std::optional<Secret> kept = journal_.open_secret(sealed_secret(name));
    if (!kept) {
        kept = make();
        journal_.seal_secret(sealed_secret(name), *kept);
    }
    return secrets_.emplace(name, std::move(*kept)).first->second.clone();
}

Secret Vault::given(const std::string& name, const std::function<std::optional<Secret>()>& read) {
    const Lock lock(mutex_);
    std::optional<Secret> now = read();
    const std::optional<Secret> kept = journal_.open_secret(sealed_given(name));
    if (!now && !kept) {
        throw UserError("SECRET-GONE", fmt::format("the secret {} cannot be had", name),
                        {.cause = "its file or variable is gone, and no earlier run has kept it",
                         .remedy = "put it where the spec says, then resume",
                         .recovery = Recovery::needs_user});
    }
    if (!now) return kept->clone();
    if (!kept || kept->reveal() != now->reveal()) journal_.seal_secret(sealed_given(name), *now);
    return std::move(*now);
}

std::string Vault::given_digest(const std::string& name,
                                const std::function<std::optional<Secret>()>& read) {
    const Lock lock(mutex_);
    std::optional<Secret> now = read();
    if (!now) now = journal_.open_secret(sealed_given(name));
    return now ? sha256_hex(now->reveal()) : "";
}

std::vector<std::string> Vault::warnings() {
    const Lock lock(mutex_);
    const std::int64_t leaf_ends = clock_.wall_ms() + settings_.leaf_days * kDayMs;
    std::vector<std::string> out;
    for (const auto& [name, authority] : authorities_) {
        if (authority.not_after_ms() >= leaf_ends) continue;
        out.push_back(fmt::format(
            "the CA \"{}\" ends on {}: certificates made now end with it, not after {} days", name,
            format_utc(authority.not_after_ms()).substr(0, 10), settings_.leaf_days));
    }
    return out;
}

}  // namespace slipway::cluster
