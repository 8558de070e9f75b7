#include "server/route.hpp"

#include "base/text.hpp"

namespace slipway::server {

namespace {

std::optional<PathValues> matches(std::string_view pattern, const std::vector<std::string>& parts) {
    const std::vector<std::string> wanted = split(pattern, '/');
    if (wanted.size() != parts.size()) return std::nullopt;
    PathValues values;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (wanted[i].starts_with('{')) {
            if (parts[i].empty()) return std::nullopt;
            values[wanted[i].substr(1, wanted[i].size() - 2)] = parts[i];
        } else if (wanted[i] != parts[i]) {
            return std::nullopt;
        }
    }
    return values;
}

}  // namespace

Match find_route(std::span<const Route> table, std::string_view method, std::string_view path) {
    const std::string_view wanted = method == "HEAD" ? "GET" : method;
    const std::vector<std::string> parts = split(path, '/');
    Match out;
    for (const Route& route : table) {
        std::optional<PathValues> values = matches(route.path, parts);
        if (!values) continue;
        if (route.method == wanted) return {.route = &route, .values = *std::move(values)};
        out.allowed.emplace_back(route.method);
        if (route.method == "GET") out.allowed.emplace_back("HEAD");
    }
    return out;
}

const std::vector<Route>& routes() {
    static const std::vector<Route> all = [] {
        std::vector<Route> out;
        for (const auto& family :
             {access_routes(), program_routes(), cluster_routes(), run_routes(), spec_routes(),
              job_routes(), bundle_routes(), convert_routes(), tke_routes()})
            out.insert(out.end(), family.begin(), family.end());
        return out;
    }();
    return all;
}

}  // namespace slipway::server
