#include "base/url.hpp"

#include "base/ip.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace slipway {

namespace {

constexpr std::size_t kLongest = 8192;
constexpr std::uint16_t kHttpPort = 80;
constexpr std::uint16_t kHttpsPort = 443;

std::uint16_t default_port(bool tls) { return tls ? kHttpsPort : kHttpPort; }

[[noreturn]] void refuse(const std::string& why) {
    throw BadUrl("not a URL to fetch from: " + why);
}

std::uint16_t parse_port(std::string_view text) {
    std::uint16_t port = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), port);
    if (error != std::errc() || stop != text.data() + text.size() || port == 0) refuse("its port");
    return port;
}

void parse_authority(std::string_view text, Url& url) {
    if (text.find('@') != std::string_view::npos) refuse("it holds a login");
    std::string_view port;
    if (text.starts_with('[')) {
        const std::size_t end = text.find(']');
        if (end == std::string_view::npos) refuse("its address");
        url.host = text.substr(1, end - 1);
        port = text.substr(end + 1);
        const auto address = IpAddress::parse(url.host);
        if (!address || !address->is_v6()) refuse("its address");
    } else {
        const std::size_t colon = text.find(':');
        url.host = text.substr(0, colon);
        port = text.substr(std::min(colon, text.size()));
        if (!is_host_name(url.host)) refuse("its host");
    }
    if (!port.empty() && !port.starts_with(':')) refuse("its port");
    url.port = port.empty() ? default_port(url.tls) : parse_port(port.substr(1));
}

}  // namespace

std::string Url::origin() const { return (tls ? "https://" : "http://") + authority(); }

std::string Url::authority() const {
    const std::string name = host.find(':') == std::string::npos ? host : "[" + host + "]";
    return port == default_port(tls) ? name : name + ":" + std::to_string(port);
}

std::string Url::shown() const { return origin() + target.substr(0, target.find('?')); }

Url Url::parse(std::string_view text) {
    const bool printable =
        std::all_of(text.begin(), text.end(), [](unsigned char c) { return c > 0x20 && c < 0x7f; });
    if (!printable || text.size() > kLongest) refuse("characters that do not belong there");
    Url url;
    if (text.starts_with("https://")) {
        url.tls = true;
    } else if (!text.starts_with("http://")) {
        refuse("it is neither http nor https");
    }
    text.remove_prefix(url.tls ? 8 : 7);
    text = text.substr(0, text.find('#'));
    const std::size_t end = std::min(text.find_first_of("/?"), text.size());
    parse_authority(text.substr(0, end), url);
    url.target = text.substr(end);
    if (!url.target.starts_with('/')) url.target.insert(0, "/");
    return url;
}

Url Url::redirected_to(std::string_view location) const {
    const std::string path = target.substr(0, target.find('?'));
    std::string whole(location);
    if (location.starts_with("//")) {
        whole = (tls ? "https:" : "http:") + whole;
    } else if (location.starts_with('/')) {
        whole = origin() + whole;
    } else if (location.starts_with('?')) {
        whole = origin() + path + whole;
    } else if (location.substr(0, location.find_first_of("/?#")).find(':') ==
               std::string_view::npos) {
        whole = origin() + path.substr(0, path.rfind('/') + 1) + whole;
    }
    Url to;
    try {
        to = parse(whole);
    } catch (const BadUrl& bad) {
        throw BadUrl(shown() + " sends us elsewhere, but that is " + bad.what());
    }
    if (tls && !to.tls) throw BadUrl(shown() + " sends us to a place without TLS");
    return to;
}

bool is_host_name(std::string_view name) {
    constexpr std::size_t kLongestName = 253;
    const auto allowed = [](unsigned char c) {
        return std::isalnum(c) != 0 || c == '.' || c == '-' || c == '_';
    };
    return !name.empty() && name.size() <= kLongestName && name.front() != '-' &&
           name.front() != '.' && std::all_of(name.begin(), name.end(), allowed);
}

}  // namespace slipway
