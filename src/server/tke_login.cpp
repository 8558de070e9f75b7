#include "server/tke_login.hpp"

#include "base/digest.hpp"
#include "base/files.hpp"
#include "base/ip.hpp"
#include "base/text.hpp"
#include "server/tke_cluster.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <utility>

#include <fmt/format.h>

namespace slipway::server {

namespace {

constexpr Millis kPatience = std::chrono::minutes(2);

[[noreturn]] void refuse(const std::string& detail, std::string remedy = "") {
    throw Problem(400, "SERVER-BAD-REQUEST", detail, {.remedy = std::move(remedy)});
}

// A spec for the child, for as long as it runs. No secret is in it.
class SpecFile {
  public:
    SpecFile(const std::filesystem::path& folder, const std::string& text)
        : path_(folder / ("login-" + random_hex(8))) {
        atomic_write(path_, text, 0600);
    }
    ~SpecFile() {
        std::error_code none;
        std::filesystem::remove(path_, none);
    }
    SpecFile(const SpecFile&) = delete;
    SpecFile& operator=(const SpecFile&) = delete;

    std::string path() const { return path_.string(); }

  private:
    const std::filesystem::path path_;
};

// A cluster of this one machine, so that the login means what it will mean there.
json::object para_of(const json::object& login) {
    for (const char* key : {"host", "port", "user"}) {
        if (!login.contains(key)) refuse(fmt::format("'{}' is missing", key));
    }
    // A name could be any machine's, `local` this very one.
    if (!IpAddress::parse(string_at(login, "host"))) refuse("'host' is no IP address");
    // TKE's page says privatePassword.
    const char* phrase = login.contains("passPhrase") ? "passPhrase" : "privatePassword";
    json::object machine;
    for (const auto& [from, to] :
         std::initializer_list<std::pair<const char*, const char*>>{{"host", "ip"},
                                                                    {"port", "port"},
                                                                    {"user", "username"},
                                                                    {"password", "password"},
                                                                    {"privateKey", "privateKey"},
                                                                    {phrase, "passPhrase"}}) {
        if (const json::value* value = login.if_contains(from)) machine[to] = *value;
    }
    return {
        {"cluster",
         json::object{{"metadata", json::object{{"name", string_at(login, "cluster", "global")}}},
                      {"spec", json::object{{"machines", json::array{std::move(machine)}}}}}}};
}

void require_usable(const convert::Conversion& made, const json::object& seen) {
    for (const convert::Unsupported& one : made.unsupported)
        refuse(fmt::format("{}: {}", one.path.substr(one.path.rfind('.') + 1), one.why));
    try {
        require_valid(made, seen);
    } catch (Problem& problem) {
        problem.status = 400;
        throw;
    }
}

bool is_of_login(const std::string& check) {
    constexpr std::array kOfLogin = {"HOST-UNREACHABLE", "HOST-KEY", "HOST-LOGIN", "HOST-ROOT",
                                     "HOST-REQUIRETTY"};
    return std::ranges::find(kOfLogin, check) != kOfLogin.end();
}

void require_passed(const json::object& preflight) {
    for (const json::value& item : preflight.at("checks").as_array()) {
        const json::object& check = item.as_object();
        if (is_of_login(string_at(check, "id")) && string_at(check, "result") == "failed")
            refuse(string_at(check, "seen"), string_at(check, "remedy"));
    }
}

}  // namespace

void require_login(Services& services, const json::object& login) {
    std::string text = json::serialize(para_of(login));
    const convert::Conversion made = tke_conversion(services, text);
    wipe(text);
    const json::object seen = services.drafts.look_at(made.yaml);
    require_usable(made, seen);
    if (made.secrets.empty()) refuse("password or privateKey is missing");
    const Draft draft{.name = made.cluster, .yaml = made.yaml};
    const SpecFile file(services.settings.folder(), made.yaml);
    require_passed(
        services.children
            .run({.words = {"preflight", "-c", file.path(), "--secrets-stdin"},
                  .input = answers_text(secrets_asked_for(services.drafts.wanted_secrets(draft),
                                                          made, &WantedSecret::question)),
                  .deadline = kPatience})
            .object());
}

}  // namespace slipway::server
