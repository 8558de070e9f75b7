// Any bytes as certificates: read, or PKI-INVALID; what comes out can be printed, and a certificate
// of whatever content can be asked whether it will do.
#include "base/base64.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "pki/certificate.hpp"
#include "pki/renew.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace {

constexpr std::size_t kMaxDer = 64u << 10;

void require(bool promise) {
    if (!promise) std::abort();
}

bool is_plain(const std::string& text) { return slipway::printable(text) == text; }

void read(std::string_view text) {
    const auto all = slipway::pki::read_certificates(text);
    require(!all.empty() && all.size() <= slipway::pki::kMaxCertificates);
    for (const auto& one : all) {
        require(is_plain(one.common_name) && is_plain(one.issuer));
        require(std::all_of(one.names.begin(), one.names.end(), is_plain));
        require(std::is_sorted(one.names.begin(), one.names.end()));
        require(std::is_sorted(one.organizations.begin(), one.organizations.end()));
    }
    require(slipway::pki::read_certificate(text).common_name == all.front().common_name);
    slipway::pki::why_renew(text, {.common_name = all.front().common_name}, text, 0, 1);
    slipway::pki::ca_hash(text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    try {
        // What begins as no text is what base64 would hide from the fuzzer: the certificate itself.
        if (bytes.starts_with('\x30') && size < kMaxDer) {
            read("-----BEGIN CERTIFICATE-----\n" + std::string(slipway::to_base64(bytes).reveal()) +
                 "\n-----END CERTIFICATE-----\n");
        } else {
            read(bytes);
        }
    } catch (const slipway::UserError& e) {
        require(e.id() == "PKI-INVALID");
    }
    return 0;
}
