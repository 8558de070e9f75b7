#include "agent/resolve.hpp"

#include "agent/facts/lines.hpp"
#include "agent/facts/root.hpp"
#include "agent/tool_output.hpp"
#include "base/ip.hpp"
#include "base/url.hpp"

#include <algorithm>
#include <cctype>

namespace slipway::agent {

namespace {

bool same_name(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) {
        return std::tolower(x) == std::tolower(y);
    });
}

void add_once(std::vector<std::string>& out, std::string_view address) {
    const bool known = std::find(out.begin(), out.end(), address) != out.end();
    if (!known && IpAddress::parse(address)) out.emplace_back(address);
}

}  // namespace

std::vector<std::string> addresses_in_hosts(std::string_view hosts_file, std::string_view name) {
    std::vector<std::string> out;
    each_line(hosts_file, [&](std::string_view line) {
        const std::vector<std::string_view> columns = words(line.substr(0, line.find('#')));
        for (std::size_t i = 1; i < columns.size(); ++i) {
            if (same_name(columns[i], name)) add_once(out, columns[0]);
        }
    });
    return out;
}

std::vector<std::string> resolve(const std::string& name, std::chrono::milliseconds limit,
                                 const Request* request) {
    if (IpAddress::parse(name)) return {name};
    if (!is_host_name(name)) return {};
    std::vector<std::string> out = addresses_in_hosts(Root().read("/etc/hosts"), name);
    if (!out.empty()) return out;
    // 10.0.0.1  STREAM name
    const auto answer = tool_output({"getent", "ahosts", name}, limit, request);
    each_line(answer.value_or(""), [&](std::string_view line) {
        const std::vector<std::string_view> columns = words(line);
        if (!columns.empty()) add_once(out, columns[0]);
    });
    return out;
}

}  // namespace slipway::agent
