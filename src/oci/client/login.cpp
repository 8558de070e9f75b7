#include "oci/client/login.hpp"

#include "base/base64.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/json.hpp"
#include "base/text.hpp"

#include <filesystem>
#include <vector>

#include <fmt/format.h>

#include <stdlib.h>

namespace slipway::oci {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxFile = 1u << 20;

fs::path from_environment(const char* name, std::string_view below) {
    const char* value = ::getenv(name);
    if (value == nullptr || *value == '\0') return {};
    return below.empty() ? fs::path(value) : fs::path(value) / below;
}

std::vector<fs::path> auth_files() {
    std::vector<fs::path> out;
    for (fs::path path : {from_environment("REGISTRY_AUTH_FILE", ""),
                          from_environment("XDG_RUNTIME_DIR", "containers/auth.json"),
                          from_environment("HOME", ".config/containers/auth.json"),
                          from_environment("DOCKER_CONFIG", "config.json"),
                          from_environment("HOME", ".docker/config.json")}) {
        if (!path.empty()) out.push_back(std::move(path));
    }
    return out;
}

// What an entry is for: a registry, or with podman a folder of one (registry.lan/team-a). docker
// login writes "https://index.docker.io/v1/" where it means docker.io.
std::string place_of_key(std::string_view key) {
    for (const std::string_view scheme : {"https://", "http://"}) {
        if (key.starts_with(scheme)) key.remove_prefix(scheme.size());
    }
    while (key.ends_with('/')) key.remove_suffix(1);
    for (const std::string_view version : {"/v1", "/v2"}) {
        if (key.ends_with(version)) key.remove_suffix(version.size());
    }
    return key == "index.docker.io" || key == "registry-1.docker.io" ? "docker.io"
                                                                     : std::string(key);
}

bool is_in(std::string_view where, std::string_view place) {
    return where == place || (where.starts_with(place) && where[place.size()] == '/');
}

[[noreturn]] void refuse(std::string_view file, std::string_view why) {
    throw UserError("REGISTRY-AUTH-FILE",
                    fmt::format("{} cannot be used: {}", printable(file), why),
                    {.remedy = "log in again with docker or podman, or give the login yourself"});
}

Login decoded(const std::string& text, std::string_view file) {
    const std::optional<Secret> both = from_base64(text);
    const std::size_t colon = both ? both->reveal().find(':') : std::string_view::npos;
    if (colon == std::string_view::npos || colon == 0) refuse(file, "its login is not base64");
    return {std::string(both->reveal().substr(0, colon)), Secret(both->reveal().substr(colon + 1))};
}

}  // namespace

Secret Login::basic() const {
    std::string both = user + ":";
    both += password.reveal();
    std::string value = "Basic ";
    value += to_base64(both).reveal();
    Secret out(value);
    wipe(both);
    wipe(value);
    return out;
}

Login login_in(std::string_view text, std::string_view where, std::string_view file_name) {
    boost::system::error_code error;
    const json::value parsed = json::parse(text, error);
    if (error || !parsed.is_object()) refuse(file_name, "it is not a JSON object");
    const json::value* auths = parsed.as_object().if_contains("auths");
    if (auths == nullptr || !auths->is_object()) return {};
    std::string best, auth;
    for (const auto& [key, entry] : auths->as_object()) {
        const std::string place = place_of_key(key);
        if (!entry.is_object() || !is_in(where, place) || place.size() <= best.size()) continue;
        const std::string found = string_at(entry.as_object(), "auth");
        if (found.empty()) continue;
        best = place;
        auth = found;
    }
    return auth.empty() ? Login{} : decoded(auth, file_name);
}

Login find_login(std::string_view where) {
    for (const fs::path& path : auth_files()) {
        std::optional<std::string> text = read_file_if_any(path, kMaxFile);
        if (!text) continue;
        Login found = login_in(*text, where, path.string());
        wipe(*text);
        if (!found.empty()) return found;
    }
    return {};
}

}  // namespace slipway::oci
