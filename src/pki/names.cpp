#include "pki/names.hpp"

#include "base/error.hpp"
#include "base/ip.hpp"
#include "base/text.hpp"
#include "base/url.hpp"

#include <algorithm>

namespace slipway::pki {

namespace {

constexpr std::size_t kLongestName = 253;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

std::optional<std::string> canonical_name(std::string_view name) {
    if (const auto address = IpAddress::parse(name)) return address->text();
    const std::string_view bare = name.starts_with("*.") ? name.substr(2) : name;
    if (!is_host_name(bare) || name.size() > kLongestName) return std::nullopt;
    std::string out(name);
    std::transform(out.begin(), out.end(), out.begin(), lower);
    return out;
}

std::set<std::string> canonical_names(const std::vector<std::string>& names) {
    std::set<std::string> out;
    for (const std::string& name : names) {
        auto canonical = canonical_name(name);
        if (!canonical)
            throw UserError("PKI-REQUEST", "a certificate cannot name \"" + printable(name) + "\"",
                            {.cause = "it is neither a DNS name nor an IP address",
                             .remedy = "write a name like api.example.org or an address, without "
                                       "port and scheme"});
        out.insert(std::move(*canonical));
    }
    return out;
}

}  // namespace slipway::pki
