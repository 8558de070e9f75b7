#include "cluster/resources/file_json.hpp"
#include "cluster/resources/kept_file.hpp"
#include "cluster/resources/kinds.hpp"

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

class FileOfVault : public KeptFile {
  public:
    explicit FileOfVault(VaultFile file)
        : KeptFile("secret file", file.path), file_(std::move(file)) {}

    // What is in it is nobody's business; the vault holds one thing for each path.
    json::value desired() const override {
        return json::object{{"mode", fmt::format("{:04o}", file_.mode)}};
    }

    bool differs(const json::value& now) const override {
        if (is_absent(now)) return true;
        const json::object& object = now.as_object();
        const std::string known = file_.known ? file_.known() : "";
        return known.empty() || string_at(object, "sha256") != known ||
               string_at(object, "mode") != fmt::format("{:04o}", file_.mode);
    }

    engine::Change change(const json::value& now) const override {
        return {is_absent(now) ? "create" : "change", "file " + name(), ""};
    }

    void apply(Target& target) const override {
        put_aside(target);
        const Secret content = file_.content();
        remote::FileState state{.content = std::string(content.reveal()), .mode = file_.mode};
        target.host.write_file(name(), state, target.call);
        wipe(state.content);
    }

  private:
    VaultFile file_;
};

}  // namespace

ResourcePtr vault_file(VaultFile file) { return std::make_shared<FileOfVault>(std::move(file)); }

}  // namespace slipway::cluster
