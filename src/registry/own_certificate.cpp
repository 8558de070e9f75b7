#include "registry/own_certificate.hpp"

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "pki/authority.hpp"
#include "pki/renew.hpp"

#include <array>
#include <string_view>

#include <fmt/format.h>
#include <ifaddrs.h>
#include <net/if.h>

#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace slipway::registry {

namespace {

namespace fs = std::filesystem;

constexpr int kAuthorityYears = 10, kDays = 365, kRenewBefore = 65;
constexpr mode_t kPrivate = 0600, kPublic = 0644;
constexpr std::string_view kKeyBegins = "-----BEGIN PRIVATE KEY-----";

// Two registries that start at once must not mix theirs.
Fd lock_folder(const fs::path& folder) {
    make_private_folders(folder);
    Fd out(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (out) ::flock(out.get(), LOCK_EX);
    return out;
}

// A new authority is one that no client trusts: it is made when there is none, never because a
// file is missing. (A kill leaves the key alone.)
[[noreturn]] void refuse_half(const fs::path& folder, const char* missing) {
    throw UserError("REGISTRY-AUTHORITY", fmt::format("{} is missing", (folder / missing).string()),
                    {.cause = "the other files of the server's own authority are there",
                     .remedy = "put it back; or remove ca.crt, ca.key and server.pem, and have all "
                               "clients trust the new ca.crt"});
}

pki::Authority authority(const fs::path& folder, const std::string& name) {
    auto certificate = read_file_if_any(folder / "ca.crt");
    auto key = read_file_if_any(folder / "ca.key");
    if (certificate && key) {
        Secret secret(*key);
        wipe(*key);
        return pki::Authority::from_pem(std::move(*certificate), std::move(secret));
    }
    if (certificate) refuse_half(folder, "ca.key");
    if (key && fs::exists(folder / "server.pem")) refuse_half(folder, "ca.crt");
    pki::Authority made = pki::Authority::make(name, kAuthorityYears, system_clock().wall_ms());
    fs::remove(folder / "server.pem");  // of an authority that is no more
    atomic_write(folder / "ca.key", made.key().reveal(), kPrivate);
    atomic_write(folder / "ca.crt", made.certificate(), kPublic);  // last: it makes the pair count
    return made;
}

bool still_good(std::string_view pem, const pki::Request& request, const pki::Authority& ca) {
    return pem.find(kKeyBegins) != std::string_view::npos &&
           pki::why_renew(pem, request, ca.certificate(), system_clock().wall_ms(), kRenewBefore)
               .empty();
}

}  // namespace

net::TlsServerOptions own_certificate(const fs::path& folder, const std::set<std::string>& names,
                                      const std::string& common_name) {
    const Fd lock = lock_folder(folder);
    const pki::Authority ca = authority(folder, common_name);
    const pki::Request request{.common_name = common_name,
                               .names = {names.begin(), names.end()},
                               .usage = pki::Usage::server,
                               .days = kDays};
    std::string pem = read_file_if_any(folder / "server.pem").value_or("");
    if (!still_good(pem, request, ca)) {
        const pki::KeyPair made = ca.issue(request, system_clock().wall_ms());
        wipe(pem);
        pem = made.certificate + std::string(made.key.reveal());
        atomic_write(folder / "server.pem", pem, kPrivate);
    }
    const std::size_t key = std::min(pem.find(kKeyBegins), pem.size());
    net::TlsServerOptions out{.certificate_pem = pem.substr(0, key) + ca.certificate(),
                              .key_pem = Secret(std::string_view(pem).substr(key))};
    wipe(pem);
    return out;
}

std::set<std::string> names_of_this_computer() {
    std::set<std::string> out = {"localhost", "127.0.0.1", "::1"};
    std::array<char, 256> name{};
    if (::gethostname(name.data(), name.size() - 1) == 0 && name.front() != '\0')
        out.insert(name.data());
    ifaddrs* all = nullptr;
    if (::getifaddrs(&all) != 0) return out;
    for (const ifaddrs* one = all; one != nullptr; one = one->ifa_next) {
        if (one->ifa_addr == nullptr || (one->ifa_flags & IFF_UP) == 0) continue;
        std::array<char, INET6_ADDRSTRLEN> text{};
        if (one->ifa_addr->sa_family == AF_INET) {
            const auto* v4 = reinterpret_cast<const sockaddr_in*>(one->ifa_addr);
            ::inet_ntop(AF_INET, &v4->sin_addr, text.data(), text.size());
        } else if (one->ifa_addr->sa_family == AF_INET6) {
            const auto* v6 = reinterpret_cast<const sockaddr_in6*>(one->ifa_addr);
            if (IN6_IS_ADDR_LINKLOCAL(&v6->sin6_addr)) continue;
            ::inet_ntop(AF_INET6, &v6->sin6_addr, text.data(), text.size());
        }
        if (text.front() != '\0') out.insert(text.data());
    }
    ::freeifaddrs(all);
    return out;
}

}  // namespace slipway::registry
