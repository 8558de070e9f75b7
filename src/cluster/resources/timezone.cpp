#include "base/text.hpp"
#include "cluster/resources/file_json.hpp"
#include "cluster/resources/kinds.hpp"

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

constexpr const char* kLink = "/etc/localtime";
const std::string kZones = "../usr/share/zoneinfo/";  // as timedatectl writes it
constexpr const char* kDebianFile = "/etc/timezone";  // Debian keeps the name here as well

class Timezone : public Resource {
  public:
    explicit Timezone(std::string zone) : Resource("timezone", ""), zone_(std::move(zone)) {}

    json::value desired() const override { return json::value(zone_); }

    json::value read(Target& target) const override {
        return json::object{{"link", read_path(target, kLink)},
                            {"name", read_path(target, kDebianFile)}};
    }

    bool differs(const json::value& now) const override {
        const json::value& name_file = now.at("name");
        return zone_of(now) != zone_ ||
               (!is_absent(name_file) && trim(file_from_json(name_file).content) != zone_);
    }

    engine::Change change(const json::value& now) const override {
        return {"change", describe(), fmt::format("{} -> {}", zone_of(now), zone_)};
    }

    // timedatectl knows the names of zones. Seen with systemd 252: it leaves Debian's file as it
    // is, and does nothing when its service, running for half a minute, has set the same zone
    // before.
    void apply(Target& target) const override {
        run_checked(target, {"timedatectl", "set-timezone", zone_});
        if (zone_of(read(target)) != zone_) {
            target.host.write_file(
                kLink, {.content = "", .mode = 0777, .link_target = kZones + zone_}, target.call);
        }
        std::optional<remote::FileState> name = target.host.read_file(kDebianFile, target.call);
        if (!name || name->folder || !name->link_target.empty()) return;
        name->content = zone_ + "\n";
        target.host.write_file(kDebianFile, *name, target.call);
    }

    void restore(Target& target, const json::value& before) const override {
        restore_path(target, kLink, before.at("link"));
        restore_path(target, kDebianFile, before.at("name"));
    }

  private:
    // No link means UTC (localtime(5)).
    static std::string zone_of(const json::value& now) {
        static constexpr std::string_view kFolder = "zoneinfo/";
        const json::value& link = now.at("link");
        const std::string target = is_absent(link) ? "" : file_from_json(link).link_target;
        const std::size_t at = target.find(kFolder);
        return at == std::string::npos ? "UTC" : target.substr(at + kFolder.size());
    }

    std::string zone_;
};

}  // namespace

ResourcePtr timezone(std::string zone) { return std::make_shared<Timezone>(std::move(zone)); }

}  // namespace slipway::cluster
