#include "base/text.hpp"
#include "cluster/resources/file_json.hpp"
#include "cluster/resources/kept_file.hpp"
#include "cluster/resources/kinds.hpp"

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

// Told by a small file beside it what was sent: a bundle is known by the digest of its content,
// which nobody has to compute over gigabytes.
class UploadedFile : public KeptFile {
  public:
    UploadedFile(std::string path, UploadFrom from)
        : KeptFile("upload", std::move(path)), from_(std::move(from)) {}

    json::value desired() const override { return json::object{{"of", from_.identity}}; }

    json::value read(Target& target) const override {
        const remote::CommandResult size =
            target.host.run({.argv = {"stat", "-c", "%s", name()}}, target.call);
        if (size.exit_code != 0) return read_info(target, name());
        const auto note = target.host.read_file(note_path(), target.call);
        return json::object{{"of", note ? note->content : ""},
                            {"size", std::string(trim(size.out))}};
    }

    bool differs(const json::value& now) const override {
        if (is_absent(now)) return true;
        const json::object& object = now.as_object();
        return string_at(object, "of") != from_.identity ||
               string_at(object, "size") != std::to_string(from_.size);
    }

    engine::Change change(const json::value& now) const override {
        return {is_absent(now) ? "create" : "change", "file " + name(), from_.label};
    }

    void apply(Target& target) const override {
        target.host.remove_file(note_path(), target.call);
        target.host.upload(
            {.from = from_.file, .path = name(), .mode = from_.mode, .size = from_.size}, {},
            target.call);
        target.host.write_file(note_path(), {.content = from_.identity}, target.call);
    }

    void restore(Target& target, const json::value& before) const override {
        target.host.remove_file(note_path(), target.call);
        KeptFile::restore(target, before);
    }

  private:
    std::string note_path() const { return name() + ".sent"; }

    UploadFrom from_;
};

}  // namespace

ResourcePtr uploaded_file(std::string path, UploadFrom from) {
    return std::make_shared<UploadedFile>(std::move(path), std::move(from));
}

}  // namespace slipway::cluster
