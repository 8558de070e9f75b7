#include "cluster/resources/file_json.hpp"
#include "cluster/resources/kinds.hpp"

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

class File : public Resource {
  public:
    File(std::string path, remote::FileState wanted, bool tells)
        : Resource("file", std::move(path)), wanted_(std::move(wanted)), tells_(tells) {}

    json::value desired() const override { return to_json(wanted_); }
    json::value read(Target& target) const override { return read_path(target, name()); }

    bool differs(const json::value& now) const override {
        if (is_absent(now)) return true;
        const remote::FileState file = file_from_json(now);
        // The mode of a link means nothing.
        return wanted_.link_target.empty() ? file != wanted_
                                           : file.link_target != wanted_.link_target;
    }

    engine::Change change(const json::value& now) const override {
        const bool absent = is_absent(now);
        const remote::FileState file = absent ? remote::FileState{} : file_from_json(now);
        std::string detail;
        if (!wanted_.link_target.empty()) {
            detail = "-> " + wanted_.link_target;
        } else if (absent || file.content != wanted_.content) {
            detail = line_changes(file.content, wanted_.content);
        } else {
            detail = fmt::format("{:04o} {}:{} -> {:04o} {}:{}", file.mode, file.owner, file.group,
                                 wanted_.mode, wanted_.owner, wanted_.group);
        }
        return {absent ? "create" : "change", describe(), std::move(detail)};
    }

    void apply(Target& target) const override {
        target.host.write_file(name(), wanted_, target.call);
        tell_systemd(target);
    }
    void restore(Target& target, const json::value& before) const override {
        restore_path(target, name(), before);
        tell_systemd(target);
    }

  private:
    // A unit masked on disk stays as it was in systemd's memory until it looks again. A crash
    // before that does no harm: the disk is what counts at the next boot.
    void tell_systemd(Target& target) const {
        if (tells_ && is_unit_file(name())) run_checked(target, {"systemctl", "daemon-reload"});
    }

    remote::FileState wanted_;
    bool tells_;
};

}  // namespace

bool is_unit_file(std::string_view path) { return path.starts_with("/etc/systemd/system/"); }

ResourcePtr file(std::string path, remote::FileState wanted) {
    return std::make_shared<File>(std::move(path), std::move(wanted), true);
}

ResourcePtr untold_file(std::string path, remote::FileState wanted) {
    return std::make_shared<File>(std::move(path), std::move(wanted), false);
}

}  // namespace slipway::cluster
