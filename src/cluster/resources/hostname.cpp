#include "base/text.hpp"
#include "cluster/resources/file_json.hpp"
#include "cluster/resources/kinds.hpp"

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

constexpr const char* kFile = "/etc/hostname";

class Hostname : public Resource {
  public:
    explicit Hostname(std::string wanted) : Resource("hostname", ""), wanted_(std::move(wanted)) {}

    json::value desired() const override { return json::value(wanted_); }

    // {"live":…,"file":state of /etc/hostname}
    json::value read(Target& target) const override {
        const auto answer = run_checked(target, {"hostname"});
        return json::object{{"live", std::string(trim(answer.out))},
                            {"file", read_path(target, kFile)}};
    }

    bool differs(const json::value& now) const override {
        return string_at(now.as_object(), "live") != wanted_ || in_file(now) != wanted_;
    }

    engine::Change change(const json::value& now) const override {
        const std::string live = string_at(now.as_object(), "live");
        return {"change", describe(),
                fmt::format("{} -> {}", live == wanted_ ? in_file(now) : live, wanted_)};
    }

    void apply(Target& target) const override { set(target, wanted_); }

    void restore(Target& target, const json::value& before) const override {
        set(target, string_at(before.as_object(), "live"));
        // hostnamectl has rewritten the file; the one that was there may have had a comment, or
        // been absent (a name given by DHCP).
        restore_path(target, kFile, before.at("file"));
    }

  private:
    static std::string in_file(const json::value& now) {
        const json::value& state = now.at("file");
        return is_absent(state) ? "" : std::string(trim(file_from_json(state).content));
    }

    static void set(Target& target, const std::string& name) {
        run_checked(target, {"hostnamectl", "set-hostname", name});
    }

    std::string wanted_;
};

}  // namespace

ResourcePtr hostname(std::string name) { return std::make_shared<Hostname>(std::move(name)); }

}  // namespace slipway::cluster
