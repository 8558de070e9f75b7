#include "cluster/own_authority.hpp"

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "config/secret_ref.hpp"

#include <filesystem>

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

namespace fs = std::filesystem;

// Without its ending; "" for one kubeadm does not have.
std::string file_of(const std::string& name) {
    if (name == "kubernetes") return "ca";
    if (name == "etcd") return "etcd/ca";
    if (name == "front-proxy") return "front-proxy-ca";
    return "";
}

fs::path path_of(const std::string& folder, const std::string& name, const char* ending) {
    return fs::path(folder) / (file_of(name) + ending);
}

[[noreturn]] void refuse_missing(const fs::path& file) {
    throw UserError("PKI-INVALID", printable(file.string()) + " is missing",
                    {.cause = "kubernetes.certificates.caFolder names this folder",
                     .remedy = "put certificate and key of the CA there (ca.crt, ca.key), or take "
                               "caFolder out of the spec: a new CA is made",
                     .recovery = Recovery::needs_user});
}

}  // namespace

std::optional<std::string> read_own_certificate(const std::string& folder,
                                                const std::string& name) {
    if (folder.empty() || file_of(name).empty()) return std::nullopt;
    return read_file_if_any(path_of(folder, name, ".crt"));
}

std::optional<pki::Authority> read_own_authority(const std::string& folder,
                                                 const std::string& name) {
    if (folder.empty() || file_of(name).empty()) return std::nullopt;
    const fs::path certificate_file = path_of(folder, name, ".crt");
    const fs::path key_file = path_of(folder, name, ".key");
    std::optional<std::string> certificate = read_file_if_any(certificate_file);
    std::error_code unreadable;  // is then said by whoever reads it
    const bool has_key = fs::exists(key_file, unreadable) || unreadable;
    if (!certificate && !has_key && name != "kubernetes") return std::nullopt;
    if (!certificate) refuse_missing(certificate_file);
    if (!has_key) refuse_missing(key_file);
    Secret key = config::resolve({.file = key_file.string(), .env = "", .prompt = false},
                                 config::SecretUse::key, "key of the CA");
    try {
        return pki::Authority::from_pem(std::move(*certificate), std::move(key));
    } catch (Error& e) {
        e.add_context(fmt::format("reading {} and {}", printable(certificate_file.string()),
                                  printable(key_file.string())));
        throw;
    }
}

}  // namespace slipway::cluster
