#include "pki/certificate.hpp"

#include "base/digest.hpp"
#include "base/text.hpp"
#include "pki/names.hpp"
#include "pki/pem.hpp"

#include <algorithm>
#include <array>
#include <memory>

#include <openssl/err.h>
#include <openssl/x509v3.h>

#include <arpa/inet.h>

namespace slipway::pki {

namespace {

using AlternativeNames = std::unique_ptr<GENERAL_NAMES, decltype(&GENERAL_NAMES_free)>;

std::string text_of(const ASN1_STRING* text) {
    unsigned char* bytes = nullptr;
    const int size = ASN1_STRING_to_UTF8(&bytes, text);
    if (size < 0) refuse_invalid("a certificate has a name that is no text", "it is damaged");
    std::string out(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
    OPENSSL_free(bytes);
    return printable(out);
}

std::vector<std::string> all_of(const X509_NAME* name, int kind) {
    std::vector<std::string> out;
    for (int at = -1; (at = X509_NAME_get_index_by_NID(name, kind, at)) >= 0;)
        out.push_back(text_of(X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, at))));
    return out;
}

// The last one counts where there are several, as Kubernetes reads it.
std::string common_name_of(const X509_NAME* name) {
    const std::vector<std::string> all = all_of(name, NID_commonName);
    return all.empty() ? "" : all.back();
}

std::string address_of(const ASN1_OCTET_STRING* bytes) {
    constexpr int kV4 = 4, kV6 = 16;
    const int size = ASN1_STRING_length(bytes);
    std::array<char, INET6_ADDRSTRLEN> text{};
    if (size != kV4 && size != kV6)
        refuse_invalid("a certificate names an address that is none", "it is damaged");
    ::inet_ntop(size == kV4 ? AF_INET : AF_INET6, ASN1_STRING_get0_data(bytes), text.data(),
                text.size());
    return text.data();
}

std::vector<std::string> names_of(X509* certificate) {
    int found = 0;
    const AlternativeNames all(static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(
                                   certificate, NID_subject_alt_name, &found, nullptr)),
                               &GENERAL_NAMES_free);
    constexpr int kNone = -1;
    if (!all && found != kNone)
        refuse_invalid("the names of a certificate cannot be read", "they are damaged");
    std::vector<std::string> out;
    for (int i = 0; i < sk_GENERAL_NAME_num(all.get()); ++i) {
        int kind = 0;
        const void* value = GENERAL_NAME_get0_value(sk_GENERAL_NAME_value(all.get(), i), &kind);
        if (kind == GEN_IPADD) out.push_back(address_of(static_cast<const ASN1_STRING*>(value)));
        if (kind != GEN_DNS) continue;
        const std::string name = text_of(static_cast<const ASN1_STRING*>(value));
        out.push_back(canonical_name(name).value_or(name));
    }
    std::sort(out.begin(), out.end());
    return out;
}

CertificateInfo info_of(X509* certificate) {
    const std::uint32_t use = X509_get_extended_key_usage(certificate);  // all bits: says nothing
    CertificateInfo out{
        .common_name = common_name_of(X509_get_subject_name(certificate)),
        .organizations = all_of(X509_get_subject_name(certificate), NID_organizationName),
        .names = names_of(certificate),
        .issuer = common_name_of(X509_get_issuer_name(certificate)),
        .not_before_ms = not_before_ms(certificate),
        .not_after_ms = not_after_ms(certificate),
        .is_ca = X509_check_ca(certificate) == 1,
        .usage_server = (use & (XKU_SSL_SERVER | XKU_ANYEKU)) != 0,
        .usage_client = (use & (XKU_SSL_CLIENT | XKU_ANYEKU)) != 0};
    std::sort(out.organizations.begin(), out.organizations.end());
    ERR_clear_error();
    return out;
}

}  // namespace

CertificateInfo read_certificate(std::string_view pem) {
    return info_of(parse_certificates(pem).front().get());
}

std::vector<CertificateInfo> read_certificates(std::string_view pem) {
    std::vector<CertificateInfo> out;
    for (const Certificate& one : parse_certificates(pem)) out.push_back(info_of(one.get()));
    return out;
}

std::string ca_hash(std::string_view ca_pem) {
    const std::vector<Certificate> all = parse_certificates(ca_pem);
    unsigned char* bytes = nullptr;
    const int size = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(all.front().get()), &bytes);
    must(size > 0);
    const std::string hash =
        sha256_hex({reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size)});
    OPENSSL_free(bytes);
    return "sha256:" + hash;
}

bool is_key_of(std::string_view certificate_pem, const Secret& key) {
    const std::vector<Certificate> all = parse_certificates(certificate_pem);
    const Key parsed = parse_key(key);
    const bool same = X509_check_private_key(all.front().get(), parsed.get()) == 1;
    ERR_clear_error();  // of the answer no
    return same;
}

}  // namespace slipway::pki
