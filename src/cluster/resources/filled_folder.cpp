#include "cluster/resources/file_json.hpp"
#include "cluster/resources/kept_file.hpp"
#include "cluster/resources/kinds.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

enum class Maker { us, program };
enum class AtUndo { remove, keep };

class FilledFolder : public Resource {
  public:
    FilledFolder(std::string path, unsigned mode, Maker maker, AtUndo at_undo)
        : Resource(maker == Maker::us ? "folder of data" : "folder of a program", std::move(path)),
          mode_(mode),
          maker_(maker),
          at_undo_(at_undo) {}

    // One kind whether it is kept or not: a spec that changes its mind means the same folder.
    json::object identity() const override {
        json::object out = Resource::identity();
        if (at_undo_ == AtUndo::keep) out[kKeep] = true;
        return out;
    }

    json::value desired() const override { return json::object{{"folder", true}}; }

    // What was in it at first is not ours; later only that it is there matters.
    json::value read(Target& target) const override {
        const auto names = target.host.list_folder(name(), target.call);
        if (!names) {
            json::value now = read_info(target, name());
            if (maker_ == Maker::us && !string_at(now.as_object(), "sha256").empty())
                refuse_file_as_folder(target, name());
            return now;
        }
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
        if (at_undo_ == AtUndo::keep) {
            if (is_absent(before)) restore_path(target, name(), before);  // goes when it is empty
            return;
        }
        if (is_absent(before)) {
            target.host.remove_tree(name(), false, target.call);
            remove_with_parents(target, name(), before);
            return;
        }
        // Made by others, and there before: who put what into it since is not known.
        const json::value* entries = before.as_object().if_contains("entries");
        if (maker_ == Maker::program || entries == nullptr) return;
        std::set<std::string> kept;
        for (const json::value& entry : entries->as_array())
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
    AtUndo at_undo_;
};

}  // namespace

ResourcePtr filled_folder(std::string path, unsigned mode) {
    return std::make_shared<FilledFolder>(std::move(path), mode, Maker::us, AtUndo::remove);
}

ResourcePtr kept_folder(std::string path, unsigned mode) {
    return std::make_shared<FilledFolder>(std::move(path), mode, Maker::us, AtUndo::keep);
}

ResourcePtr left_folder(std::string path) {
    return std::make_shared<FilledFolder>(std::move(path), 0755, Maker::program, AtUndo::remove);
}

}  // namespace slipway::cluster
