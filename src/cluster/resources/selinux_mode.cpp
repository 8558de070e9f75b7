#include "base/text.hpp"
#include "cluster/resources/file_json.hpp"
#include "cluster/resources/kinds.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

constexpr const char* kConfig = "/etc/selinux/config";

// Where the value of the line SELINUX= stands in the text: [from, to).
struct Span {
    std::size_t from = 0;
    std::size_t to = 0;
};

std::optional<Span> find_value(std::string_view text) {
    static constexpr std::string_view kKey = "SELINUX=";
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        if (text.substr(at, end - at).starts_with(kKey)) {
            const std::size_t from = at + kKey.size();
            return Span{from, from + trim(text.substr(from, end - from)).size()};
        }
        at = end + 1;
    }
    return std::nullopt;
}

// SELinux has no drop-in folder, so this edits one value in its file and nothing else.
class SelinuxMode : public Resource {
  public:
    explicit SelinuxMode(std::string mode) : Resource("selinux", ""), mode_(std::move(mode)) {}

    json::value desired() const override { return json::value(mode_); }

    // {"live":…,"config":…|null}; config is null where the file does not set a mode.
    json::value read(Target& target) const override {
        const auto answer = target.host.run({.argv = {"getenforce"}}, target.call);
        std::string live = answer.exit_code == 0 ? std::string(trim(answer.out)) : "disabled";
        std::ranges::transform(live, live.begin(), [](unsigned char c) { return std::tolower(c); });
        json::object state = {{"live", live}, {"config", nullptr}};
        if (const auto file = target.host.read_file(kConfig, target.call)) {
            if (const auto value = find_value(file->content)) {
                state["config"] = file->content.substr(value->from, value->to - value->from);
            }
        }
        return state;
    }

    bool differs(const json::value& now) const override {
        const json::object& state = now.as_object();
        return (state.at("config").is_string() && string_at(state, "config") != mode_) ||
               wanted_live(string_at(state, "live"), mode_) != string_at(state, "live");
    }

    engine::Change change(const json::value& now) const override {
        const json::object& state = now.as_object();
        return {
            "change", describe(),
            fmt::format("{} -> {}", string_at(state, "config", string_at(state, "live")), mode_)};
    }

    void apply(Target& target) const override { set(target, mode_, mode_); }

    void restore(Target& target, const json::value& before) const override {
        const json::object& state = before.as_object();
        set(target, string_at(state, "config"), string_at(state, "live"));
    }

  private:
    // A running kernel can go between permissive and enforcing only; the rest takes a reboot.
    static std::string wanted_live(const std::string& live, const std::string& mode) {
        if (live == "disabled") return live;
        return mode == "disabled" ? "permissive" : mode;
    }

    void set(Target& target, const std::string& config, const std::string& live) const {
        auto file = target.host.read_file(kConfig, target.call);
        if (const auto value = file ? find_value(file->content) : std::nullopt;
            value && !config.empty()) {
            file->content.replace(value->from, value->to - value->from, config);
            target.host.write_file(kConfig, *file, target.call);
        }
        const std::string now = string_at(read(target).as_object(), "live");
        const std::string next = wanted_live(now, live);
        if (next != now) run_checked(target, {"setenforce", next == "enforcing" ? "1" : "0"});
        if (next != live) target.log(fmt::format("selinux will be {} after a reboot", live));
    }

    std::string mode_;
};

}  // namespace

ResourcePtr selinux_mode(std::string mode) {
    return std::make_shared<SelinuxMode>(std::move(mode));
}

}  // namespace slipway::cluster
