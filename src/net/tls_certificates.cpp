#include "net/tls_certificates.hpp"

#include "base/error.hpp"
#include "base/ip.hpp"
#include "base/tls_peer.hpp"
#include "base/url.hpp"

#include <memory>
#include <string_view>

#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

namespace slipway::net {

namespace {

constexpr long kHour = 3600;
constexpr long kDay = 24 * kHour;
constexpr std::size_t kLongestCommonName = 64;  // X.520's limit

using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using Certificate = std::unique_ptr<X509, decltype(&X509_free)>;
using Bytes = std::unique_ptr<BIO, decltype(&BIO_free)>;

[[noreturn]] void refuse(const std::string& what) { throw UserError("NET-CERTIFICATE", what); }

void must(bool worked) {
    if (!worked) refuse("OpenSSL cannot make a certificate: " + openssl_reason());
}

Bytes bytes_of(std::string_view text) {
    return {BIO_new_mem_buf(text.data(), static_cast<int>(text.size())), &BIO_free};
}

std::string text_of(BIO* bytes) {
    char* data = nullptr;
    const long size = BIO_get_mem_data(bytes, &data);
    return {data, static_cast<std::size_t>(size)};
}

CertificateAndKey as_pem(X509* certificate, EVP_PKEY* key) {
    const Bytes public_part(BIO_new(BIO_s_mem()), &BIO_free);
    const Bytes secret_part(BIO_new(BIO_s_secmem()), &BIO_free);
    must(PEM_write_bio_X509(public_part.get(), certificate) == 1);
    must(PEM_write_bio_PrivateKey(secret_part.get(), key, nullptr, nullptr, 0, nullptr, nullptr) ==
         1);
    std::string secret = text_of(secret_part.get());
    CertificateAndKey out{.certificate_pem = text_of(public_part.get()), .key_pem = Secret(secret)};
    wipe(secret);
    return out;
}

// 159 random bits: positive, never zero, at most the 20 octets the standard allows.
void set_serial(X509* certificate) {
    constexpr int kBits = 159;
    const std::unique_ptr<BIGNUM, decltype(&BN_free)> number(BN_new(), &BN_free);
    must(BN_rand(number.get(), kBits, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY) == 1);
    must(BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate)) != nullptr);
}

Certificate blank(const std::string& name, int days, EVP_PKEY* key) {
    if (name.empty() || name.size() > kLongestCommonName || days < 1)
        refuse("a certificate needs a name of 1 to 64 characters and at least one day");
    Certificate out(X509_new(), &X509_free);
    must(out != nullptr && X509_set_version(out.get(), X509_VERSION_3) == 1);
    set_serial(out.get());
    X509_gmtime_adj(X509_getm_notBefore(out.get()), -kHour);
    X509_gmtime_adj(X509_getm_notAfter(out.get()), days * kDay);
    must(X509_set_pubkey(out.get(), key) == 1);
    must(X509_NAME_add_entry_by_txt(X509_get_subject_name(out.get()), "CN", MBSTRING_UTF8,
                                    reinterpret_cast<const unsigned char*>(name.data()),
                                    static_cast<int>(name.size()), -1, 0) == 1);
    return out;
}

void add_extension(X509* certificate, X509* issuer, int kind, const std::string& value) {
    X509V3_CTX context;
    X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
    const std::unique_ptr<X509_EXTENSION, decltype(&X509_EXTENSION_free)> extension(
        X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str()), &X509_EXTENSION_free);
    must(extension != nullptr && X509_add_ext(certificate, extension.get(), -1) == 1);
}

// Names go into OpenSSL's small language of lists, so only what is plainly a name gets there.
std::string alternative_names(const CertificateRequest& request) {
    std::string out;
    const auto add = [&](const char* kind, const std::string& value) {
        out += (out.empty() ? "" : ",") + std::string(kind) + value;
    };
    for (const std::string& name : request.names) {
        const std::string_view bare = name;
        if (!is_host_name(bare.starts_with("*.") ? bare.substr(2) : bare))
            refuse("no name of a host: " + name);
        add("DNS:", name);
    }
    for (const std::string& address : request.addresses) {
        const auto parsed = IpAddress::parse(address);
        if (!parsed) refuse("no address: " + address);
        add("IP:", parsed->text());
    }
    return out;
}

const char* extended_use(CertificateUse use) {
    switch (use) {
        case CertificateUse::server: return "serverAuth";
        case CertificateUse::client: return "clientAuth";
        case CertificateUse::both: break;
    }
    return "serverAuth,clientAuth";
}

}  // namespace

CertificateAndKey make_certificate_authority(const std::string& name, int days) {
    const Key key(EVP_EC_gen("P-256"), &EVP_PKEY_free);
    must(key != nullptr);
    const Certificate ca = blank(name, days, key.get());
    must(X509_set_issuer_name(ca.get(), X509_get_subject_name(ca.get())) == 1);
    add_extension(ca.get(), ca.get(), NID_basic_constraints, "critical,CA:TRUE,pathlen:0");
    add_extension(ca.get(), ca.get(), NID_key_usage, "critical,keyCertSign,cRLSign");
    add_extension(ca.get(), ca.get(), NID_subject_key_identifier, "hash");
    must(X509_sign(ca.get(), key.get(), EVP_sha256()) > 0);
    return as_pem(ca.get(), key.get());
}

CertificateAndKey issue_certificate(const CertificateAndKey& authority,
                                    const CertificateRequest& request) {
    const Bytes ca_bytes = bytes_of(authority.certificate_pem);
    const Certificate ca(PEM_read_bio_X509(ca_bytes.get(), nullptr, nullptr, nullptr), &X509_free);
    const Bytes key_bytes = bytes_of(authority.key_pem.reveal());
    const Key ca_key(PEM_read_bio_PrivateKey(key_bytes.get(), nullptr, nullptr, nullptr),
                     &EVP_PKEY_free);
    if (!ca || !ca_key || X509_check_private_key(ca.get(), ca_key.get()) != 1)
        refuse("the certificate authority is not usable: " + openssl_reason());
    const std::string names = alternative_names(request);
    const Key key(EVP_EC_gen("P-256"), &EVP_PKEY_free);
    must(key != nullptr);
    const Certificate leaf = blank(request.name, request.days, key.get());
    must(X509_set_issuer_name(leaf.get(), X509_get_subject_name(ca.get())) == 1);
    add_extension(leaf.get(), ca.get(), NID_basic_constraints, "critical,CA:FALSE");
    add_extension(leaf.get(), ca.get(), NID_key_usage, "critical,digitalSignature");
    add_extension(leaf.get(), ca.get(), NID_ext_key_usage, extended_use(request.use));
    add_extension(leaf.get(), ca.get(), NID_subject_key_identifier, "hash");
    add_extension(leaf.get(), ca.get(), NID_authority_key_identifier, "keyid");
    if (!names.empty()) add_extension(leaf.get(), ca.get(), NID_subject_alt_name, names);
    must(X509_sign(leaf.get(), ca_key.get(), EVP_sha256()) > 0);
    return as_pem(leaf.get(), key.get());
}

}  // namespace slipway::net
