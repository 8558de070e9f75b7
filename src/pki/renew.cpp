#include "pki/renew.hpp"

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "pki/certificate.hpp"
#include "pki/names.hpp"
#include "pki/pem.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/x509.h>

namespace slipway::pki {

namespace {

constexpr std::int64_t kDayMs = 24ll * 3600 * 1000;

using Names = std::set<std::string>;

Names as_set(const std::vector<std::string>& list) { return {list.begin(), list.end()}; }

// What is in `all` and not in `known`, as a list for people.
std::string missing_from(const Names& known, const Names& all) {
    std::vector<std::string> out;
    std::set_difference(all.begin(), all.end(), known.begin(), known.end(),
                        std::back_inserter(out));
    return join(out, ", ");
}

std::string day_of(std::int64_t ms) { return format_utc(ms).substr(0, 10); }

std::string why_other_content(const CertificateInfo& seen, const Request& request) {
    if (seen.is_ca) return "it is the certificate of an authority";
    if (seen.common_name != request.common_name)
        return fmt::format("it is for {}, not for {}", seen.common_name, request.common_name);
    const Names groups = as_set(request.organizations), seen_groups = as_set(seen.organizations);
    if (groups != seen_groups)
        return fmt::format("its organizations are [{}], not [{}]", join(seen.organizations, ", "),
                           join(std::vector(groups.begin(), groups.end()), ", "));
    const Names names = canonical_names(request.names), seen_names = as_set(seen.names);
    if (const std::string lacks = missing_from(seen_names, names); !lacks.empty())
        return "it does not name " + lacks;
    if (const std::string more = missing_from(names, seen_names); !more.empty())
        return "it still names " + more;
    if (seen.usage_server != (request.usage != Usage::client))
        return seen.usage_server ? "it may be used as a server's" : "it is not for a server";
    if (seen.usage_client != (request.usage != Usage::server))
        return seen.usage_client ? "it may be used as a client's" : "it is not for a client";
    return "";
}

bool is_signed_by(X509* certificate, X509* ca) {
    const bool signed_by =
        X509_NAME_cmp(X509_get_issuer_name(certificate), X509_get_subject_name(ca)) == 0 &&
        X509_verify(certificate, X509_get0_pubkey(ca)) == 1;
    ERR_clear_error();
    return signed_by;
}

std::string why_by_age(const CertificateInfo& seen, const CertificateInfo& ca, std::int64_t now_ms,
                       int renew_before_days) {
    if (now_ms < seen.not_before_ms)
        return "it is not valid before " + format_utc(seen.not_before_ms);
    if (now_ms >= seen.not_after_ms) return "it has ended on " + day_of(seen.not_after_ms);
    const std::int64_t half = (seen.not_after_ms - seen.not_before_ms) / 2;
    const std::int64_t before = std::min(renew_before_days * kDayMs, half);
    const bool ends_with_ca = seen.not_after_ms >= ca.not_after_ms;
    if (seen.not_after_ms - now_ms <= before && !ends_with_ca)
        return "it ends on " + day_of(seen.not_after_ms);
    return "";
}

}  // namespace

std::string why_renew(std::string_view certificate_pem, const Request& request,
                      std::string_view ca_pem, std::int64_t now_ms, int renew_before_days) {
    const std::vector<Certificate> authorities = parse_certificates(ca_pem);
    const CertificateInfo ca = read_certificate(ca_pem);
    std::vector<Certificate> own;
    std::optional<CertificateInfo> seen;
    try {
        own = parse_certificates(certificate_pem);
        seen = read_certificate(certificate_pem);
    } catch (const UserError& e) {
        return "it cannot be read: " + e.message();
    }
    if (std::string why = why_other_content(*seen, request); !why.empty()) return why;
    if (!is_signed_by(own.front().get(), authorities.front().get()))
        return fmt::format("it is signed by another authority than {}", ca.common_name);
    return why_by_age(*seen, ca, now_ms, renew_before_days);
}

}  // namespace slipway::pki
