#include "base/error.hpp"
#include "base/text.hpp"
#include "cluster/resources/kinds.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

// In the default zone; now and in the permanent configuration apart, because either can be missing.
class FirewalldService : public Resource {
  public:
    explicit FirewalldService(std::string service)
        : Resource("firewalld service", std::move(service)) {}

    json::value desired() const override {
        return json::object{{"permanent", true}, {"runtime", true}};
    }

    json::value read(Target& target) const override {
        return json::object{{"permanent", query(target, {"firewall-cmd", "--permanent"})},
                            {"runtime", query(target, {"firewall-cmd"})}};
    }

    engine::Change change(const json::value&) const override {
        return {"create", describe(), "allow"};
    }

    void apply(Target& target) const override { set(target, desired()); }
    void restore(Target& target, const json::value& before) const override { set(target, before); }

  private:
    bool query(Target& target, std::vector<std::string> argv) const {
        argv.push_back("--query-service=" + name());
        const std::string command = join(argv, " ");
        const auto answer = target.host.run({.argv = std::move(argv)}, target.call);
        // 101: no such service; firewalld knows it only once its file has been read.
        if (answer.exit_code == 0) return true;
        if (answer.exit_code == 1 || answer.exit_code == 101) return false;
        throw RemoteError(
            "COMMAND-FAILED",
            fmt::format("'{}' ended with {} on {}", command, answer.exit_code, target.host.name()),
            {.cause = printable(trim(answer.err)),
             .remedy = "systemctl status firewalld on the host, then resume"});
    }

    void set(Target& target, const json::value& wanted) const {
        const json::value now = read(target);
        for (const std::string place : {"permanent", "runtime"}) {
            const bool allow = bool_at(wanted.as_object(), place);
            if (allow == bool_at(now.as_object(), place)) continue;
            std::vector<std::string> argv = {"firewall-cmd"};
            if (place == "permanent") argv.emplace_back("--permanent");
            argv.push_back((allow ? "--add-service=" : "--remove-service=") + name());
            run_checked(target, std::move(argv));
        }
    }
};

class UfwProfile : public Resource {
  public:
    explicit UfwProfile(std::string profile) : Resource("ufw profile", std::move(profile)) {}

    json::value desired() const override { return true; }

    // Null when ufw is not active: nothing is shut, and it does not tell its rules either.
    json::value read(Target& target) const override {
        const auto answer = run_checked(target, {"ufw", "status"});
        const auto lines = split(answer.out, '\n');
        if (trim(lines.front()) == "Status: inactive") return nullptr;
        return std::ranges::any_of(lines, [&](std::string_view line) {
            return line.starts_with(name() + " ") &&
                   trim(line.substr(name().size())).starts_with("ALLOW");
        });
    }

    bool differs(const json::value& now) const override { return now == json::value(false); }

    engine::Change change(const json::value&) const override {
        return {"create", describe(), "allow"};
    }

    void apply(Target& target) const override { run_checked(target, {"ufw", "allow", name()}); }
    void restore(Target& target, const json::value& before) const override {
        if (differs(before)) run_checked(target, {"ufw", "delete", "allow", name()});
    }
};

}  // namespace

ResourcePtr firewalld_service(std::string service) {
    return std::make_shared<FirewalldService>(std::move(service));
}

ResourcePtr ufw_profile(std::string profile) {
    return std::make_shared<UfwProfile>(std::move(profile));
}

}  // namespace slipway::cluster
