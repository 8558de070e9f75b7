#include "pki/pem.hpp"

#include "base/error.hpp"
#include "base/tls_peer.hpp"
#include "pki/certificate.hpp"

#include <ctime>

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

namespace slipway::pki {

namespace {

constexpr std::int64_t kMsOfSecond = 1000;

Bytes bytes_of(std::string_view text) {
    return Bytes(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

std::string_view view_of(BIO* bytes) {
    char* data = nullptr;
    const long size = BIO_get_mem_data(bytes, &data);
    return {data, static_cast<std::size_t>(size)};
}

// A key that asks for a passphrase would wait for a terminal.
int no_passphrase(char*, int, int, void*) { return -1; }

// PEM says "no more" by an error.
bool reached_end() {
    const unsigned long error = ERR_peek_last_error();
    const bool end =
        ERR_GET_LIB(error) == ERR_LIB_PEM && ERR_GET_REASON(error) == PEM_R_NO_START_LINE;
    if (end) ERR_clear_error();
    return end;
}

std::int64_t time_ms(const ASN1_TIME* time) {
    std::tm parts{};
    if (ASN1_TIME_to_tm(time, &parts) != 1)
        refuse_invalid("a certificate has a time that is none", openssl_reason());
    return static_cast<std::int64_t>(::timegm(&parts)) * kMsOfSecond;
}

}  // namespace

void Free::operator()(x509_st* certificate) const { X509_free(certificate); }
void Free::operator()(evp_pkey_st* key) const { EVP_PKEY_free(key); }
void Free::operator()(bio_st* bytes) const { BIO_free(bytes); }

void refuse_invalid(const std::string& what, const std::string& cause) {
    throw UserError("PKI-INVALID", what,
                    {.cause = cause, .remedy = "look at it with: openssl x509 -text -in FILE"});
}

void must(bool worked) {
    if (!worked)
        throw UserError("PKI-REQUEST", "OpenSSL cannot make the certificate or key",
                        {.cause = openssl_reason()});
}

std::vector<Certificate> parse_certificates(std::string_view pem) {
    if (pem.size() > kMaxPemBytes)
        refuse_invalid("the text of certificates is too large", "more than 4 MiB");
    ERR_clear_error();
    const Bytes bytes = bytes_of(pem);
    std::vector<Certificate> out;
    while (Certificate next{PEM_read_bio_X509(bytes.get(), nullptr, nullptr, nullptr)}) {
        out.push_back(std::move(next));
        if (out.size() > kMaxCertificates)
            refuse_invalid("the text holds too many certificates", "more than 1000");
    }
    if (!reached_end())
        refuse_invalid("a certificate cannot be read", "it is damaged: " + openssl_reason());
    if (out.empty())
        refuse_invalid("there is no certificate in the text",
                       "it has no line -----BEGIN CERTIFICATE-----");
    return out;
}

Key parse_key(const Secret& pem) {
    if (pem.reveal().size() > kMaxPemBytes)
        refuse_invalid("the text of the key is too large", "more than 4 MiB");
    ERR_clear_error();
    const Bytes bytes = bytes_of(pem.reveal());
    Key out(PEM_read_bio_PrivateKey(bytes.get(), nullptr, &no_passphrase, nullptr));
    if (out) return out;
    if (pem.reveal().find("ENCRYPTED") != std::string_view::npos) {
        ERR_clear_error();
        throw UserError("PKI-INVALID", "the key is encrypted",
                        {.cause = "nobody is there to be asked for its passphrase",
                         .remedy = "decrypt it: openssl pkey -in KEY -out KEY.plain; chmod 600"});
    }
    refuse_invalid("the key cannot be read", openssl_reason());
}

std::string certificate_pem(x509_st* certificate) {
    const Bytes bytes(BIO_new(BIO_s_mem()));
    must(PEM_write_bio_X509(bytes.get(), certificate) == 1);
    return std::string(view_of(bytes.get()));
}

Secret key_pem(evp_pkey_st* key) {
    const Bytes bytes(BIO_new(BIO_s_secmem()));  // wiped when it goes
    must(PEM_write_bio_PKCS8PrivateKey(bytes.get(), key, nullptr, nullptr, 0, nullptr, nullptr) ==
         1);
    return Secret(view_of(bytes.get()));
}

std::string public_key_pem(evp_pkey_st* key) {
    const Bytes bytes(BIO_new(BIO_s_mem()));
    must(PEM_write_bio_PUBKEY(bytes.get(), key) == 1);
    return std::string(view_of(bytes.get()));
}

std::int64_t not_before_ms(x509_st* certificate) {
    return time_ms(X509_get0_notBefore(certificate));
}
std::int64_t not_after_ms(x509_st* certificate) { return time_ms(X509_get0_notAfter(certificate)); }

}  // namespace slipway::pki
