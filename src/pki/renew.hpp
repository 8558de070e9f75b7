// Whether a certificate that is there will do, or why it is made again.
#pragma once

#include "pki/authority.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace slipway::pki {

// A month is time enough for whoever applies now and then; the timer on the host renews earlier.
inline constexpr int kRenewBeforeDays = 30;

// "" when the certificate answers the request, is signed by that CA and lives longer than
// `renew_before_days`; else why not, in words for `plan`: "it does not name 10.0.0.10".
//
// What a new one could not do better is no reason: a certificate whose whole life is short is
// renewed in the second half of it, and one that ends with its CA when both have ended. The days of
// the request count for new certificates only.
std::string why_renew(std::string_view certificate_pem, const Request& request,
                      std::string_view ca_pem, std::int64_t now_ms, int renew_before_days);

}  // namespace slipway::pki
