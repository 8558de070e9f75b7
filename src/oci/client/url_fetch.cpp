#include "oci/client/url_fetch.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "oci/client/blob_download.hpp"

#include <fmt/format.h>

#include <unistd.h>

namespace slipway::oci {

namespace {

constexpr std::uint64_t kMostBytes = 64ull << 30;
constexpr int kRedirects = 10;

// A text that is no URL to us may still hold a password, or a key in its query.
std::string without_secrets(std::string_view text) {
    text = text.substr(0, text.find_first_of("?#"));
    const std::size_t slashes = text.find("://");
    const std::size_t begin = slashes == std::string_view::npos ? 0 : slashes + 3;
    const std::size_t at = text.substr(0, text.find('/', begin)).rfind('@');
    if (at == std::string_view::npos || at < begin) return std::string(text);
    return fmt::format("{}…{}", text.substr(0, begin), text.substr(at));
}

Url parsed(const std::string& text) {
    try {
        return Url::parse(text);
    } catch (const BadUrl& bad) {
        throw UserError("URL-INVALID",
                        fmt::format("'{}' is {}", printable(without_secrets(text)), bad.what()),
                        {.remedy = "write it as https://host/path"});
    }
}

void write_checked(ByteStream& from, const UrlFetch& what, const std::filesystem::path& to) {
    const Fd file = new_file(to, 0600);
    Hasher hasher(what.digest.algorithm);
    std::string buffer(kChunk, '\0');
    while (const std::size_t n = from.read(buffer.data(), buffer.size())) {
        hasher.update({buffer.data(), n});
        write_fully(file.get(), {buffer.data(), n}, to.string());
    }
    const Digest found = hasher.finish();
    if (found == what.digest) return;
    throw UserError("DIGEST-MISMATCH",
                    fmt::format("what {} gave is not what it should be", parsed(what.url).shown()),
                    {.cause = fmt::format("it has {}, not {}", found.str(), what.digest.str()),
                     .remedy = "check the URL and the sha256 in the recipe"});
}

}  // namespace

void fetch_url(const UrlFetch& what, const std::filesystem::path& to) {
    const Url url = parsed(what.url);
    net::HttpClient http({.tls = {.ca_pem = what.ca_pem}, .least_rate = kDripRate});
    Download download(
        [&](const std::string& range) {
            net::ClientRequest request{.url = url, .redirects = kRedirects};
            if (!range.empty()) request.headers.set("Range", range);
            return http.send(request);
        },
        {url.authority(), url.shown()}, std::nullopt, Retry(what.retry, system_clock(), what.stop),
        what.stop, kMostBytes);
    try {
        write_checked(download, what, to);
    } catch (...) {
        ::unlink(to.c_str());
        throw;
    }
}

std::string shown_url(const std::string& url) { return parsed(url).shown(); }

std::string file_name_of(const std::string& url) {
    const Url where = parsed(url);
    const std::string path = where.target.substr(0, where.target.find('?'));
    return path.substr(path.rfind('/') + 1);
}

}  // namespace slipway::oci
