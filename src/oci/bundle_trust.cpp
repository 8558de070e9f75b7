#include "oci/bundle_trust.hpp"

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <sys/stat.h>

namespace slipway::oci {

namespace {

namespace fs = std::filesystem;

void require_ours(const fs::path& path) {
    struct stat info{};
    if (::stat(path.c_str(), &info) != 0 || (info.st_mode & 022) == 0) return;
    throw UserError("BUNDLE-KEY", fmt::format("others may write {}", printable(path.string())),
                    {.cause = "whoever can change it decides which bundles are trusted",
                     .remedy = fmt::format("chmod go-w {}", printable(path.string()))});
}

bool is_key_name(const std::string& name) {
    return !name.empty() && name.size() <= 100 && name.front() != '.' && !starts_with_dash(name) &&
           std::ranges::all_of(name, [](char c) {
               return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      std::string_view("-._@+").find(c) != std::string_view::npos;
           });
}

}  // namespace

std::vector<TrustedKey> read_trusted(const std::vector<fs::path>& folders) {
    std::vector<TrustedKey> out;
    for (const fs::path& folder : folders) {
        std::error_code none;
        std::vector<fs::path> files;
        for (const auto& entry : fs::directory_iterator(folder, none)) {
            if (entry.path().extension() == ".pub") files.push_back(entry.path());
        }
        if (!files.empty()) require_ours(folder);
        std::ranges::sort(files);
        for (const fs::path& file : files) {
            require_ours(file);
            try {
                out.push_back({file.stem().string(), file, read_public_key(file)});
            } catch (Error& e) {
                e.add_context("reading the trusted key " + printable(file.string()));
                throw;
            }
        }
    }
    return out;
}

std::vector<PublicKey> keys_of(const std::vector<TrustedKey>& trusted) {
    std::vector<PublicKey> out;
    for (const TrustedKey& one : trusted) out.push_back(one.key);
    return out;
}

TrustedKey trust_key(const fs::path& folder, const std::string& name, const PublicKey& key) {
    if (!is_key_name(name)) {
        throw UserError("BUNDLE-KEY", fmt::format("'{}' cannot be a key's name", printable(name)),
                        {.remedy = "choose letters, digits and dashes with --name NAME"});
    }
    make_private_folders(folder);
    const TrustedKey out{name, folder / (name + ".pub"), key};
    if (fs::exists(out.file)) {
        if (read_public_key(out.file).bytes == key.bytes) return out;
        throw UserError("BUNDLE-KEY", fmt::format("another key is trusted as {} already", name),
                        {.remedy = "choose another name with --name NAME, or remove the old key"});
    }
    atomic_write(out.file, key.pem(), 0644);
    return out;
}

Admission admit(const BundleReader& bundle, const AdmitPolicy& policy) {
    if (!policy.allow_unsigned) return {.signed_by = require_signature(bundle, policy.trusted)};
    const Signers found = find_signers(bundle, policy.trusted);
    if (!found.trusted.empty()) return {.signed_by = found.trusted};
    Admission out{.override_why =
                      found.is_unsigned() ? "BUNDLE-UNSIGNED" : "BUNDLE-SIGNER-UNKNOWN"};
    if (policy.record) policy.record(bundle, out);
    return out;
}

}  // namespace slipway::oci
