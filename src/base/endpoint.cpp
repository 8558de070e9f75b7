#include "base/endpoint.hpp"

#include "base/ip.hpp"

#include <charconv>

namespace slipway {

std::optional<Endpoint> parse_endpoint(std::string_view text, std::uint32_t usual_port) {
    if (const std::size_t scheme = text.find("://"); scheme != text.npos) {
        if (text.substr(0, scheme) == "http" && usual_port == 443) usual_port = 80;
        text.remove_prefix(scheme + 3);
    }
    text = text.substr(0, text.find('/'));
    if (text.empty()) return std::nullopt;
    Endpoint out{.host = std::string(text), .port = usual_port};
    if (IpAddress::parse(text)) return out;  // an IPv6 address without a port, too
    const bool bracketed = text.front() == '[';
    const std::size_t end = bracketed ? text.find(']') : text.rfind(':');
    if (bracketed && end == text.npos) return std::nullopt;
    if (end == text.npos) return out;
    out.host = std::string(bracketed ? text.substr(1, end - 1) : text.substr(0, end));
    std::string_view digits = text.substr(end + 1);
    if (bracketed && digits.starts_with(':')) digits.remove_prefix(1);
    if (digits.empty()) return out;
    const auto [rest, failure] =
        std::from_chars(digits.data(), digits.data() + digits.size(), out.port);
    const bool whole = failure == std::errc() && rest == digits.data() + digits.size();
    if (!whole || out.port == 0 || out.port > 65'535 || out.host.empty()) return std::nullopt;
    return out;
}

}  // namespace slipway
