#include "agent/testing/certificate.hpp"

#include <memory>
#include <stdexcept>

#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

namespace slipway::agent {

namespace {

void need(bool done, const char* what) {
    if (!done) throw std::runtime_error(std::string("cannot make a certificate: ") + what);
}

void add_extension(X509* certificate, int id, const std::string& value) {
    X509V3_CTX context;
    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
    X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, id, value.c_str());
    need(extension != nullptr, value.c_str());
    X509_add_ext(certificate, extension, -1);
    X509_EXTENSION_free(extension);
}

template <class Write>
std::string pem(Write write) {
    const std::unique_ptr<BIO, decltype(&BIO_free)> out(BIO_new(BIO_s_mem()), &BIO_free);
    need(write(out.get()) == 1, "writing PEM");
    char* bytes = nullptr;
    const long size = BIO_get_mem_data(out.get(), &bytes);
    return {bytes, static_cast<std::size_t>(size)};
}

}  // namespace

Certificate make_certificate(const CertificateWish& wish) {
    const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(EVP_EC_gen("P-256"),
                                                                  &EVP_PKEY_free);
    const std::unique_ptr<X509, decltype(&X509_free)> certificate(X509_new(), &X509_free);
    need(key && certificate, "out of memory");
    X509* x = certificate.get();
    X509_set_version(x, X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(x), 1);
    X509_gmtime_adj(X509_getm_notBefore(x), wish.valid_from);
    X509_gmtime_adj(X509_getm_notAfter(x), wish.valid_to);
    X509_set_pubkey(x, key.get());
    X509_NAME* name = X509_get_subject_name(x);
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                               reinterpret_cast<const unsigned char*>("test"), -1, -1, 0);
    X509_set_issuer_name(x, name);
    add_extension(x, NID_subject_alt_name, wish.names);
    add_extension(x, NID_basic_constraints, "critical,CA:TRUE");
    need(X509_sign(x, key.get(), EVP_sha256()) > 0, "signing");
    return {.certificate_pem = pem([&](BIO* out) { return PEM_write_bio_X509(out, x); }),
            .key_pem = pem([&](BIO* out) {
                return PEM_write_bio_PrivateKey(out, key.get(), nullptr, nullptr, 0, nullptr,
                                                nullptr);
            })};
}

}  // namespace slipway::agent
