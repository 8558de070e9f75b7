#include "cluster/external_etcd.hpp"

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "config/secret_ref.hpp"
#include "pki/certificate.hpp"

#include <string>

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

constexpr const char* kKeyWords = "key of etcd's client certificate";

class ExternalEtcdFiles {
  public:
    ExternalEtcdFiles(const config::LoadedSpec& loaded, std::int64_t now_ms)
        : loaded_(loaded), etcd_(loaded.spec.etcd), now_ms_(now_ms) {}

    std::vector<config::Problem> run() {
        if (etcd_.mode != config::EtcdMode::external) return {};
        const auto ca = read("etcd.caFile", etcd_.ca_file);
        if (ca) check_authority(*ca);
        const auto client = read("etcd.certFile", etcd_.cert_file);
        const bool is_certificate = client && check_client(*client);
        const auto key = read_key();
        if (is_certificate && key) check_pair(*client, *key);
        return std::move(problems_);
    }

  private:
    void add(const std::string& path, std::string what, std::string todo) {
        problems_.push_back({.id = "SPEC-LOCAL-FILE",
                             .where = loaded_.place(path),
                             .path = path,
                             .what = std::move(what),
                             .todo = std::move(todo)});
    }

    std::optional<std::string> read(const std::string& path, const std::string& file) {
        if (file.empty()) return std::nullopt;  // said already
        try {
            return read_file(file, pki::kMaxPemBytes);
        } catch (const UserError& error) {
            add(path, error.message(), "correct the path");
            return std::nullopt;
        }
    }

    void check_dates(const std::string& path, const pki::CertificateInfo& one) {
        const auto day = [](std::int64_t ms) { return format_utc(ms).substr(0, 10); };
        if (one.not_after_ms <= now_ms_) {
            add(path, fmt::format("{} ended on {}", one.common_name, day(one.not_after_ms)),
                "get a new one from whoever runs that etcd");
        } else if (one.not_before_ms > now_ms_) {
            add(path,
                fmt::format("{} is valid only from {}", one.common_name, day(one.not_before_ms)),
                "check the clock of this computer");
        }
    }

    void check_authority(const std::string& pem) {
        try {
            for (const pki::CertificateInfo& one : pki::read_certificates(pem)) {
                if (!one.is_ca)
                    add("etcd.caFile", fmt::format("{} is no CA", one.common_name),
                        "name the certificate that etcd's own are signed by");
                check_dates("etcd.caFile", one);
            }
        } catch (const UserError& error) {
            add("etcd.caFile", error.message(), "name a file with a certificate in PEM");
        }
    }

    bool check_client(const std::string& pem) {
        try {
            const pki::CertificateInfo client = pki::read_certificate(pem);
            if (!client.usage_client)
                add("etcd.certFile", fmt::format("{} is not for clients", client.common_name),
                    "ask whoever runs that etcd for a client's certificate");
            check_dates("etcd.certFile", client);
            return true;
        } catch (const UserError& error) {
            add("etcd.certFile", error.message(), "name a file with a certificate in PEM");
            return false;
        }
    }

    std::optional<Secret> read_key() {
        if (etcd_.key.empty() || etcd_.key.prompt) return std::nullopt;  // said already
        try {
            return config::resolve(etcd_.key, config::SecretUse::key, kKeyWords);
        } catch (const UserError& error) {
            add("etcd.key", error.message(), error.remedy());
            return std::nullopt;
        }
    }

    void check_pair(const std::string& certificate, const Secret& key) {
        try {
            if (!pki::is_key_of(certificate, key))
                add("etcd.key", "is not the key of etcd.certFile",
                    "give the key this certificate was made with");
        } catch (const UserError& error) {
            add("etcd.key", error.message(), "give a key in PEM, not encrypted");
        }
    }

    const config::LoadedSpec& loaded_;
    const config::Etcd& etcd_;
    const std::int64_t now_ms_;
    std::vector<config::Problem> problems_;
};

}  // namespace

std::optional<Secret> read_external_etcd_key(const config::Etcd& etcd) {
    try {
        return config::resolve(etcd.key, config::SecretUse::key, kKeyWords);
    } catch (const UserError&) {
        return std::nullopt;  // the checks before a run have said why; later the kept one serves
    }
}

std::vector<config::Problem> check_external_etcd(const config::LoadedSpec& loaded,
                                                 std::int64_t now_ms) {
    return ExternalEtcdFiles(loaded, now_ms).run();
}

}  // namespace slipway::cluster
