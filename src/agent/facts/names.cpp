// Name servers, what the host can resolve, and which proxies its programs are told to use.
#include "agent/facts/lines.hpp"
#include "agent/facts/topics.hpp"
#include "agent/resolve.hpp"

#include <algorithm>
#include <cctype>
#include <thread>

namespace slipway::agent {

namespace {

constexpr std::chrono::seconds kResolveLimit{5};
constexpr std::size_t kMaxNames = 16;  // one thread each: dead servers cost their time only once

void write_resolver(JsonWriter& json, const Root& root) {
    std::vector<std::string> servers;
    std::vector<std::string> search;
    each_line(root.read("/etc/resolv.conf"), [&](std::string_view line) {
        const std::vector<std::string_view> columns =
            words(line.substr(0, line.find_first_of("#;")));
        if (columns.size() < 2) return;
        if (columns[0] == "nameserver") servers.emplace_back(columns[1]);
        // The last of these lines is the one that counts.
        if (columns[0] == "search" || columns[0] == "domain")
            search.assign(columns.begin() + 1, columns.end());
    });
    json.member("nameServers", servers);
    json.member("searchDomains", search);
}

std::map<std::string, std::string> resolve_all(const std::vector<std::string>& names) {
    std::map<std::string, std::string> out;
    for (const std::string& name : names) {
        if (out.size() < kMaxNames) out[name] = "";
    }
    std::vector<std::jthread> askers;
    for (auto& entry : out) {
        askers.emplace_back([&entry] {
            const std::vector<std::string> found = resolve(entry.first, kResolveLimit, nullptr);
            if (!found.empty()) entry.second = found.front();
        });
    }
    askers.clear();  // joins
    return out;
}

// User name and password are nobody's business, however the text is written.
std::string without_login(const std::string& url) {
    const std::size_t at = url.rfind('@');
    if (at == std::string::npos) return url;
    const std::size_t scheme = url.find("://");
    return (scheme < at ? url.substr(0, scheme + 3) : "") + url.substr(at + 1);
}

std::map<std::string, std::string> proxies(const Root& root) {
    std::map<std::string, std::string> out;
    for (const auto& [name, value] : assignments(root.read("/etc/environment"))) {
        std::string key = name;
        std::transform(key.begin(), key.end(), key.begin(),
                       [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        const bool known = key == "http_proxy" || key == "https_proxy" || key == "no_proxy" ||
                           key == "all_proxy" || key == "ftp_proxy";
        // Upper case sorts first, so where both are set the lower-case one wins, as for curl.
        if (known && !value.empty()) out[key] = without_login(value);
    }
    return out;
}

}  // namespace

void write_names(JsonWriter& json, const Root& root, const wire::FactsQuery& query) {
    write_resolver(json, root);
    json.member("resolved",
                resolve_all(root.is_machine() ? query.resolve : std::vector<std::string>{}));
    json.member("proxies", proxies(root));
}

}  // namespace slipway::agent
