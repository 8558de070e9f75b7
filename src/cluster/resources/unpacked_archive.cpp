#include "base/text.hpp"
#include "cluster/resources/file_json.hpp"
#include "cluster/resources/kept_file.hpp"
#include "cluster/resources/kinds.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

constexpr const char* kFetched = "/var/lib/slipway/fetched";

// What is in an archive is not known before it is on the host. A note in Slipway's own folder says
// which archive was unpacked and what came of it: undo takes away exactly that.
class UnpackedArchive : public Resource {
  public:
    UnpackedArchive(std::string folder, FetchFrom from, std::vector<std::string> members,
                    std::string inside)
        : Resource("archive in", fmt::format("{} {}", folder, from.label)),
          folder_(std::move(folder)),
          from_(std::move(from)),
          members_(std::move(members)),
          inside_(std::move(inside)) {}

    json::object identity() const override {
        json::object out = Resource::identity();
        out["folder"] = folder_;
        out["label"] = from_.label;
        return out;
    }

    json::value desired() const override { return json::value(from_.sha256); }

    json::value read(Target& target) const override {
        const auto note = target.host.read_file(note_path(), target.call);
        if (!note) return nullptr;
        const std::vector<std::string> lines = split(note->content, '\n');
        for (const std::string& member : members_) {
            // Not as if nothing were there: undo has the rest to take away.
            if (!target.host.file_info(folder_ + "/" + member, target.call))
                return json::value("incomplete");
        }
        return json::value(lines.empty() ? "" : lines.front());
    }

    engine::Change change(const json::value& now) const override {
        return {now.is_null() ? "create" : "change", "files of " + from_.label + " in " + folder_,
                ""};
    }

    void apply(Target& target) const override {
        const std::string archive = std::string(kFetched) + "/" + from_.sha256;
        target.host.write_file(kFetched, {.content = "", .mode = 0700, .folder = true},
                               target.call);
        FetchFrom plain = from_;
        plain.mode = 0600;
        fetch_any(target, plain, archive);
        const std::string files = wanted_of(target, archive);
        // Before the files: what a kill leaves of them is found by undo.
        target.host.write_file(note_path(), {.content = "\n" + files}, target.call);
        run_checked(target, {"mkdir", "-p", folder_});
        std::vector<std::string> unpack = {"tar", "-xf", archive, "-C", folder_, "--no-same-owner"};
        if (!inside_.empty()) {
            unpack.push_back("--strip-components=1");
            for (const std::string& member : members_) unpack.push_back(inside_ + "/" + member);
        }
        run_checked(target, std::move(unpack));
        reach_disk(target, folder_);
        target.host.write_file(note_path(), {.content = from_.sha256 + "\n" + files}, target.call);
        target.host.remove_file(archive, target.call);
        remove_folder_if_empty(target, kFetched);
    }

    // An interrupted one may have left the archive without a note.
    bool changes_by_itself() const override { return true; }

    void restore(Target& target, const json::value&) const override {
        target.host.remove_tree(kFetched, false, target.call);
        const auto note = target.host.read_file(note_path(), target.call);
        if (!note) return;
        std::vector<std::string> lines = split(note->content, '\n');
        lines.erase(lines.begin());
        for (const std::string& line : lines) {
            if (!line.empty()) target.host.remove_file(folder_ + "/" + line, target.call);
        }
        target.host.remove_file(note_path(), target.call);
        remove_folder_if_empty(target, "/var/lib/slipway/unpacked");
    }

  private:
    // One a line.
    std::string wanted_of(Target& target, const std::string& archive) const {
        if (!inside_.empty()) return join(members_, "\n") + "\n";
        std::string out;
        const remote::CommandResult listed = run_checked(target, {"tar", "-tf", archive});
        for (const std::string& member : split(listed.out, '\n')) {
            const std::string path = clean(member);
            if (!path.empty() && !member.ends_with('/')) out += path + "\n";
        }
        return out;
    }

    std::string note_path() const {
        // Without the version: the next one takes the place of this one.
        std::string id = folder_.substr(1) + "-" + from_.label.substr(0, from_.label.find(' '));
        std::ranges::replace(id, '/', '-');
        return "/var/lib/slipway/unpacked/" + id;
    }

    // ./bin/ctr is bin/ctr.
    static std::string clean(std::string_view member) {
        while (member.starts_with("./")) member.remove_prefix(2);
        return std::string(member);
    }

    std::string folder_;
    FetchFrom from_;
    std::vector<std::string> members_;
    std::string inside_;
};

}  // namespace

ResourcePtr unpacked_archive(std::string folder, FetchFrom from, std::vector<std::string> members,
                             std::string inside) {
    return std::make_shared<UnpackedArchive>(std::move(folder), std::move(from), std::move(members),
                                             std::move(inside));
}

}  // namespace slipway::cluster
