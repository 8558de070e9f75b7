#include "base/text.hpp"
#include "cluster/resources/file_json.hpp"
#include "cluster/resources/kept_file.hpp"
#include "cluster/resources/kinds.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

// What the command makes of the same inputs is the same; what that was is noted on the host, so
// that a file somebody has changed since is seen.
class Made : public Resource {
  public:
    explicit Made(MadeFiles made) : Resource("files of", made.name), made_(std::move(made)) {}

    json::object identity() const override {
        json::object out = Resource::identity();
        out["files"] = json::array(made_.files.begin(), made_.files.end());
        return out;
    }

    json::value desired() const override {
        return json::object{{"inputs", made_.inputs},
                            {"command", join(made_.command, " ")},
                            {"files", json::array(made_.files.begin(), made_.files.end())}};
    }

    json::value read(Target& target) const override {
        json::object files;
        for (const std::string& path : made_.files) files[path] = read_info(target, path);
        const auto note = target.host.read_file(note_path(), target.call);
        json::object out = {{"files", std::move(files)}, {"note", note ? note->content : ""}};
        // The folders that are missing too: an undo that was cut off between a note and its folder
        // is not over.
        if (!note) out["place"] = read_info(target, note_path());
        return out;
    }

    bool differs(const json::value& now) const override {
        const json::object& object = now.as_object();
        return string_at(object, "note") != note_of(object.at("files").as_object());
    }

    engine::Change change(const json::value& now) const override {
        const json::object& files = now.as_object().at("files").as_object();
        const bool none =
            std::ranges::all_of(files, [](const auto& entry) { return is_absent(entry.value()); });
        return {none ? "create" : "change", join(made_.files, ", "), join(made_.command, " ")};
    }

    void apply(Target& target) const override {
        run_checked(target, made_.command);
        reach_disk(target, made_.files.front());
        const json::value now = read(target);
        target.host.write_file(note_path(),
                               {.content = note_of(now.as_object().at("files").as_object())},
                               target.call);
    }

    void restore(Target& target, const json::value& before) const override {
        for (const auto& entry : before.as_object().at("files").as_object()) {
            if (is_absent(entry.value()))
                remove_with_parents(target, std::string(entry.key()), entry.value());
        }
        target.host.remove_file(note_path(), target.call);
        remove_folder_if_empty(target, "/var/lib/slipway/made");
    }

  private:
    std::string note_path() const { return "/var/lib/slipway/made/" + name(); }

    std::string note_of(const json::object& files) const {
        std::string out = made_.inputs + "\n";
        for (const std::string& path : made_.files) {
            const json::value* state = files.if_contains(path);
            const std::string sum = state == nullptr || is_absent(*state)
                                        ? "-"
                                        : string_at(state->as_object(), "sha256");
            out += fmt::format("{} {}\n", sum, path);
        }
        return out;
    }

    MadeFiles made_;
};

}  // namespace

ResourcePtr made_files(MadeFiles made) { return std::make_shared<Made>(std::move(made)); }

}  // namespace slipway::cluster
