#include "pki/authority.hpp"

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/ip.hpp"
#include "base/text.hpp"
#include "base/tls_peer.hpp"
#include "pki/names.hpp"
#include "pki/pem.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include <fmt/format.h>
#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/x509v3.h>

namespace slipway::pki {

namespace {

constexpr std::int64_t kSecondMs = 1000;
constexpr std::int64_t kHourMs = 3600 * kSecondMs;
constexpr std::int64_t kDayMs = 24 * kHourMs;
constexpr std::int64_t kYearMs = 365 * kDayMs;
constexpr int kLongestYears = 1000;  // the years of a certificate have four digits
// X.520 says 64, but system:node:NAME may be longer; Kubernetes' own programs accept and make such.
constexpr std::size_t kLongestName = 300;

struct Life {
    std::int64_t from_ms = 0;
    std::int64_t to_ms = 0;
};

[[noreturn]] void refuse(const std::string& what, const std::string& cause) {
    throw UserError("PKI-REQUEST", what, {.cause = cause});
}

// 159 random bits: positive, never zero, at most the 20 octets the standard allows.
void set_serial(X509* certificate) {
    constexpr int kBits = 159;
    const std::unique_ptr<BIGNUM, decltype(&BN_free)> number(BN_new(), &BN_free);
    must(BN_rand(number.get(), kBits, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY) == 1);
    must(BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate)) != nullptr);
}

void add_to_subject(X509* certificate, int kind, const std::string& value) {
    if (value.empty() || value.size() > kLongestName || printable(value) != value)
        refuse(fmt::format("a certificate cannot be made for \"{}\"", printable(value)),
               "a name or organization is empty, too long or has characters that are no text");
    must(X509_NAME_add_entry_by_NID(X509_get_subject_name(certificate), kind, V_ASN1_UTF8STRING,
                                    reinterpret_cast<const unsigned char*>(value.data()),
                                    static_cast<int>(value.size()), -1, 0) == 1);
}

Certificate blank(const std::string& common_name, const std::vector<std::string>& organizations,
                  const Life& life, EVP_PKEY* key) {
    Certificate out(X509_new());
    must(out != nullptr && X509_set_version(out.get(), X509_VERSION_3) == 1);
    set_serial(out.get());
    must(ASN1_TIME_set(X509_getm_notBefore(out.get()), life.from_ms / kSecondMs) != nullptr);
    must(ASN1_TIME_set(X509_getm_notAfter(out.get()), life.to_ms / kSecondMs) != nullptr);
    must(X509_set_pubkey(out.get(), key) == 1);
    for (const std::string& one : std::set(organizations.begin(), organizations.end()))
        add_to_subject(out.get(), NID_organizationName, one);
    add_to_subject(out.get(), NID_commonName, common_name);
    return out;
}

void add_extension(X509* certificate, X509* issuer, int kind, const std::string& value) {
    X509V3_CTX context;
    X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
    const std::unique_ptr<X509_EXTENSION, decltype(&X509_EXTENSION_free)> extension(
        X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str()), &X509_EXTENSION_free);
    must(extension != nullptr && X509_add_ext(certificate, extension.get(), -1) == 1);
}

// Names go into OpenSSL's small language of lists: canonical_names lets only plain ones through.
std::string alternative_names(const std::set<std::string>& names) {
    std::string out;
    for (const std::string& name : names)
        out +=
            (out.empty() ? "" : ",") + std::string(IpAddress::parse(name) ? "IP:" : "DNS:") + name;
    return out;
}

const char* extended_use(Usage usage) {
    switch (usage) {
        case Usage::server: return "serverAuth";
        case Usage::client: return "clientAuth";
        case Usage::both: break;
    }
    return "serverAuth,clientAuth";
}

void sign(X509* certificate, EVP_PKEY* key) {
    // These hash by themselves and refuse to be told how.
    const bool own_hash = EVP_PKEY_is_a(key, "ED25519") == 1 || EVP_PKEY_is_a(key, "ED448") == 1;
    must(X509_sign(certificate, key, own_hash ? nullptr : EVP_sha256()) > 0);
}

Key new_key() {
    Key out(EVP_EC_gen("P-256"));
    must(out != nullptr);
    return out;
}

void check_is_authority(X509* certificate) {
    const std::uint32_t use = X509_get_key_usage(certificate);  // all bits when it does not say
    if (X509_check_ca(certificate) == 1 && (use & KU_KEY_CERT_SIGN) != 0) return;
    throw UserError("PKI-INVALID", "the certificate is not one of an authority",
                    {.cause = "it may not sign others (basicConstraints CA:TRUE, keyUsage "
                              "keyCertSign)",
                     .remedy = "give the certificate and key of the CA, not of a server"});
}

}  // namespace

Authority Authority::make(const std::string& common_name, int years, std::int64_t now_ms) {
    if (years < 1 || years > kLongestYears)
        refuse("an authority cannot be made", "its years are not between 1 and 1000");
    const Key key = new_key();
    const Life life{.from_ms = now_ms - kHourMs, .to_ms = now_ms + years * kYearMs};
    const Certificate ca = blank(common_name, {}, life, key.get());
    must(X509_set_issuer_name(ca.get(), X509_get_subject_name(ca.get())) == 1);
    add_extension(ca.get(), ca.get(), NID_basic_constraints, "critical,CA:TRUE,pathlen:0");
    add_extension(ca.get(), ca.get(), NID_key_usage,
                  "critical,digitalSignature,keyCertSign,cRLSign");
    add_extension(ca.get(), ca.get(), NID_subject_key_identifier, "hash");
    sign(ca.get(), key.get());
    return {certificate_pem(ca.get()), key_pem(key.get()), pki::not_after_ms(ca.get())};
}

Authority Authority::from_pem(std::string certificate, Secret key) {
    const std::vector<Certificate> chain = parse_certificates(certificate);
    X509* ca = chain.front().get();
    check_is_authority(ca);
    const Key parsed = parse_key(key);
    if (X509_check_private_key(ca, parsed.get()) != 1) {
        const std::string reason = openssl_reason();
        throw UserError("PKI-INVALID", "the key does not belong to the certificate",
                        {.cause = reason,
                         .remedy = "give the key this certificate was made with; the CA's own "
                                   "certificate is the first of its file"});
    }
    std::string text;
    for (const Certificate& one : chain) text += certificate_pem(one.get());
    return {std::move(text), key_pem(parsed.get()), pki::not_after_ms(ca)};
}

KeyPair Authority::issue(const Request& request, std::int64_t now_ms) const {
    const std::string names = alternative_names(canonical_names(request.names));
    if (request.days < 1) refuse("a certificate cannot be made", "it must live at least one day");
    if (now_ms >= not_after_ms_)
        throw UserError("PKI-EXPIRED", "the authority's certificate has ended",
                        {.cause = "it was valid until " + format_utc(not_after_ms_)});
    const std::vector<Certificate> chain = parse_certificates(certificate_);
    X509* ca = chain.front().get();
    const Key ca_key = parse_key(key_);
    const Key key = new_key();
    const Life life{.from_ms = now_ms - kHourMs,
                    .to_ms = std::min(now_ms + request.days * kDayMs, not_after_ms_)};
    const Certificate leaf = blank(request.common_name, request.organizations, life, key.get());
    must(X509_set_issuer_name(leaf.get(), X509_get_subject_name(ca)) == 1);
    add_extension(leaf.get(), ca, NID_basic_constraints, "critical,CA:FALSE");
    add_extension(leaf.get(), ca, NID_key_usage, "critical,digitalSignature");
    add_extension(leaf.get(), ca, NID_ext_key_usage, extended_use(request.usage));
    add_extension(leaf.get(), ca, NID_subject_key_identifier, "hash");
    // An own CA may have no key identifier to point at; then there is none to add.
    if (X509_get0_subject_key_id(ca) != nullptr)
        add_extension(leaf.get(), ca, NID_authority_key_identifier, "keyid");
    if (!names.empty()) add_extension(leaf.get(), ca, NID_subject_alt_name, names);
    sign(leaf.get(), ca_key.get());
    return {.certificate = certificate_pem(leaf.get()), .key = key_pem(key.get())};
}

}  // namespace slipway::pki
