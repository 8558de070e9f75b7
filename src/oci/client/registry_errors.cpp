#include "oci/client/registry_errors.hpp"

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "oci/client/retry.hpp"

#include <charconv>

#include <fmt/format.h>

namespace slipway::oci {

namespace {

constexpr std::size_t kMaxErrorBody = 64u << 10;
constexpr std::size_t kMaxShown = 300;
constexpr std::int64_t kLongestAsked = 1'000'000;  // seconds; more is nonsense

// {"errors":[{"code":"DENIED","message":"…"}]}; "" when it says nothing of the kind.
std::string said(net::ClientResponse& answer) {
    try {
        boost::system::error_code error;
        const json::value parsed = json::parse(answer.read_all(kMaxErrorBody), error);
        if (error || !parsed.is_object()) return {};
        const json::value* errors = parsed.as_object().if_contains("errors");
        if (errors == nullptr || !errors->is_array()) return {};
        std::string out;
        for (const json::value& item : errors->as_array()) {
            if (!item.is_object() || out.size() > kMaxShown) continue;
            out += fmt::format("{}{}: {}", out.empty() ? "" : "; ",
                               string_at(item.as_object(), "code"),
                               string_at(item.as_object(), "message"));
        }
        return printable(out.substr(0, kMaxShown));
    } catch (const Error&) {
        return {};  // the status says enough
    }
}

// In seconds; a date is not worth the trouble, we wait as we would without.
Millis retry_after(const net::ClientResponse& answer) {
    const auto field = answer.headers.find("Retry-After");
    std::int64_t seconds = 0;
    if (!field) return Millis(0);
    const auto [stop, error] =
        std::from_chars(field->data(), field->data() + field->size(), seconds);
    if (error != std::errc() || seconds < 0 || seconds > kLongestAsked) return Millis(0);
    return std::chrono::seconds(seconds);
}

}  // namespace

void bad_answer(const Asked& asked, const std::string& why) {
    throw ApiError("REGISTRY-ANSWER", fmt::format("{}: {}: {}", asked.host, asked.what, why),
                   {.cause = "it is not a registry, or something stands in between",
                    .remedy = "check the address; ask it with curl -v"});
}

void refuse_answer(net::ClientResponse& answer, const Asked& asked) {
    const Millis wait = retry_after(answer);
    const std::string reason = said(answer);
    const std::string text =
        fmt::format("{}: {}: {} {}", asked.host, asked.what, answer.status,
                    reason.empty() ? printable(answer.reason.substr(0, kMaxShown)) : reason);
    switch (answer.status) {
        case 401:
            throw ApiError("REGISTRY-LOGIN", text,
                           {.cause = "no login was given, or a wrong one",
                            .remedy = "check user and password",
                            .recovery = Recovery::needs_user});
        case 403:
            throw ApiError("REGISTRY-DENIED", text,
                           {.cause = "the user may not do this, or the project does not exist",
                            .remedy = "give the user the right, or make the project",
                            .recovery = Recovery::needs_user});
        case 404:
            throw ApiError("REGISTRY-UNKNOWN", text,
                           {.cause = "the name is mistyped, or was never pushed there"});
        case 429:
        case 503:
            throw BusyError("REGISTRY-BUSY", text,
                            {.cause = "it limits how much may be asked, or is overloaded",
                             .remedy = "try again later, with fewer connections",
                             .recovery = Recovery::transient},
                            wait);
        default: break;
    }
    if (answer.status >= 500) {
        throw ApiError("REGISTRY-FAILED", text,
                       {.cause = "the registry has a problem of its own",
                        .remedy = "look at its log; try again",
                        .recovery = Recovery::transient});
    }
    if (answer.status < 400) bad_answer(asked, text);
    throw ApiError("REGISTRY-REFUSED", text, {.cause = "it does not take this"});
}

}  // namespace slipway::oci
