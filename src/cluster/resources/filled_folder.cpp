#include "cluster/resources/file_json.hpp"
#include "cluster/resources/kept_file.hpp"
#include "cluster/resources/kinds.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

enum class Maker { us, program };

class FilledFolder : public Resource {
  public:
    FilledFolder(std::string path, unsigned mode, Maker maker)
        : Resource(maker == Maker::us ? "folder of data" : "folder of a program", std::move(path)),
          mode_(mode),
          maker_(maker) {}

    json::value desired() const override { return json::object{{"folder", true}}; }

    // What was in it at first is not ours; later only that it is there matters.
    json::value read(Target& target) const override {
        const auto names = target.host.list_folder(name(), target.call);
        if (!names) return read_info(target, name());
        json::array entries;
        for (const std::string& entry : *names) entries.emplace_back(entry);
        return json::object{{"folder", true}, {"entries", std::move(entries)}};
    }

    bool differs(const json::value& now) const override {
        return maker_ == Maker::us && is_absent(now);
    }
    bool changes_by_itself() const override { return true; }

    engine::Change change(const json::value&) const override {
        return {"create", "folder " + name(), ""};
    }

    void apply(Target& target) const override {
        target.host.write_file(name(), {.content = "", .mode = mode_, .folder = true}, target.call);
    }

    void restore(Target& target, const json::value& before) const override {
        if (is_absent(before)) {
            target.host.remove_tree(name(), false, target.call);
            remove_with_parents(target, name(), before);
            return;
        }
        // Made by others, and there before: who put what into it since is not known.
        if (maker_ == Maker::program) return;
        std::set<std::string> kept;
        for (const json::value& entry : before.at("entries").as_array())
            kept.emplace(std::string_view(entry.as_string()));
        const auto names = target.host.list_folder(name(), target.call);
        if (!names) return;
        for (const std::string& entry : *names) {
            if (!kept.contains(entry))
                target.host.remove_tree(name() + "/" + entry, false, target.call);
        }
    }

  private:
    unsigned mode_;
    Maker maker_;
};

}  // namespace

ResourcePtr filled_folder(std::string path, unsigned mode) {
    return std::make_shared<FilledFolder>(std::move(path), mode, Maker::us);
}

ResourcePtr left_folder(std::string path) {
    return std::make_shared<FilledFolder>(std::move(path), 0755, Maker::program);
}

}  // namespace slipway::cluster
