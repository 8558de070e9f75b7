#include "cluster/resources/file_json.hpp"
#include "cluster/resources/kinds.hpp"

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

class Folder : public Resource {
  public:
    Folder(std::string path, remote::FileState wanted)
        : Resource("folder", std::move(path)), wanted_(std::move(wanted)) {}

    json::value desired() const override { return to_json(wanted_); }

    json::value read(Target& target) const override {
        json::value now = read_path(target, name());
        if (is_absent(now) || file_from_json(now).folder ||
            !file_from_json(now).link_target.empty()) {
            return now;
        }
        refuse_file_as_folder(target, name());
    }

    bool differs(const json::value& now) const override {
        if (is_absent(now)) return true;
        const remote::FileState state = file_from_json(now);
        // A link means the administrator keeps this folder elsewhere; its mode is their affair.
        if (!state.link_target.empty()) return false;
        return state.mode != wanted_.mode || state.owner != wanted_.owner ||
               state.group != wanted_.group;
    }

    engine::Change change(const json::value& now) const override {
        const std::string after =
            fmt::format("{:04o} {}:{}", wanted_.mode, wanted_.owner, wanted_.group);
        if (is_absent(now)) return {"create", describe(), after};
        const remote::FileState state = file_from_json(now);
        return {"change", describe(),
                fmt::format("{:04o} {}:{} -> {}", state.mode, state.owner, state.group, after)};
    }

    void apply(Target& target) const override {
        target.host.write_file(name(), wanted_, target.call);
    }
    void restore(Target& target, const json::value& before) const override {
        restore_path(target, name(), before);
    }

  private:
    remote::FileState wanted_;
};

}  // namespace

ResourcePtr folder(std::string path, unsigned mode, std::string owner, std::string group) {
    return std::make_shared<Folder>(std::move(path), remote::FileState{.content = "",
                                                                       .mode = mode,
                                                                       .owner = std::move(owner),
                                                                       .group = std::move(group),
                                                                       .folder = true});
}

}  // namespace slipway::cluster
