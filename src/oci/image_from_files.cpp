#include "base/error.hpp"
#include "base/text.hpp"
#include "oci/archive_errors.hpp"
#include "oci/artifacts.hpp"
#include "oci/layout_source.hpp"
#include "oci/media_types.hpp"
#include "oci/reference.hpp"
#include "oci/tar_writer.hpp"

#include <algorithm>
#include <cstdlib>
#include <tuple>

#include <fmt/format.h>

#include <sys/stat.h>

namespace slipway::oci {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDockerGzip = "application/vnd.docker.image.rootfs.diff.tar.gzip";
constexpr std::string_view kDockerTar = "application/vnd.docker.image.rootfs.diff.tar";

struct Base {
    Manifest manifest = {};
    json::object config = {};
};

std::shared_ptr<Source> open_base(const BaseImage& base, Spool& spool) {
    if (!base.oci_layout.empty()) return open_layout_folder(base.oci_layout);
    if (!base.oci_archive.empty()) return open_layout_archive(base.oci_archive, spool);
    if (!base.docker_archive.empty()) return open_docker_archive(base.docker_archive, spool);
    return nullptr;
}

Descriptor chosen(Source& source, const std::string& wanted) {
    const std::vector<SourceImage> images = source.images();
    const std::string name = wanted.empty() ? "" : Reference::parse(wanted).str();
    std::vector<SourceImage> fitting;
    for (const SourceImage& image : images) {
        if (name.empty() || image.name == name) fitting.push_back(image);
    }
    if (fitting.size() != 1) {
        throw UserError(
            "IMAGE-NOT-FOUND",
            fmt::format("{} has {} images that could be the base", source.label(), fitting.size()),
            {.remedy = "say which one: base: {image: NAME}"});
    }
    return fitting[0].descriptor;
}

// The image for this platform behind a descriptor that may be an index.
Manifest for_platform(Source& source, const Descriptor& descriptor, const Platform& platform) {
    const Document document =
        parse_document(read_manifest(source, descriptor), descriptor.media_type);
    if (const auto* manifest = std::get_if<Manifest>(&document)) return *manifest;
    for (const Descriptor& child : std::get<Index>(document).manifests) {
        if (child.platform.os == platform.os &&
            child.platform.architecture == platform.architecture && source.has(child.digest)) {
            return parse_manifest(read_manifest(source, child));
        }
    }
    throw UserError("IMAGE-NO-PLATFORM",
                    fmt::format("{} is not there for {}", source.label(), platform.str()));
}

Base read_base(MadeSource& made, const ImageFromFiles& image, Spool& spool) {
    Base out;
    const std::shared_ptr<Source> source = open_base(image.base, spool);
    if (source == nullptr) return out;
    out.manifest = for_platform(*source, chosen(*source, image.base.image),
                                {.os = image.os, .architecture = image.arch});
    const std::string text =
        read_whole(*source->open(out.manifest.config.digest).stream, kMaxManifest, "a config");
    out.config = parse_foreign_object(text, kMaxManifest, "the config of the base");
    // The new manifest is an OCI one, so Docker's names of the same layers are translated.
    for (Descriptor& layer : out.manifest.layers) {
        if (layer.media_type == kDockerGzip) layer.media_type = media::kLayerGzip;
        if (layer.media_type == kDockerTar) layer.media_type = media::kLayer;
    }
    made.borrow(source);
    return out;
}

std::uint32_t mode_or(const ImageFile& file, std::uint32_t otherwise) {
    if (file.mode.empty()) return otherwise;
    return static_cast<std::uint32_t>(std::strtoul(file.mode.c_str(), nullptr, 8));
}

TarEntry entry_at(const ImageFile& file, std::string to) {
    to.erase(0, to.find_first_not_of('/'));
    require_safe_name(to, 4096);
    return {.name = std::move(to),
            .uid = static_cast<std::uint32_t>(file.uid),
            .gid = static_cast<std::uint32_t>(file.gid)};
}

void add_link(TarWriter& tar, TarEntry entry, std::string target) {
    entry.type = TarEntry::Type::symlink;
    entry.mode = 0777;
    entry.link_target = std::move(target);
    tar.add_other(std::move(entry));
}

// A folder stands for what is in it: no entry of its own changes the one the base may have.
void add_path(TarWriter& tar, const ImageFile& file, const fs::path& from, const std::string& to) {
    struct stat info{};
    if (::lstat(from.c_str(), &info) != 0) {
        throw UserError("FILE-UNREADABLE", fmt::format("cannot read {}", printable(from.string())));
    }
    if (S_ISLNK(info.st_mode)) {
        add_link(tar, entry_at(file, to), fs::read_symlink(from).string());
    } else if (S_ISREG(info.st_mode)) {
        const std::shared_ptr<const Fd> opened = open_regular(from);
        TarEntry entry = entry_at(file, to);
        entry.size = size_of(*opened);
        entry.mode = mode_or(file, (info.st_mode & 0100) != 0 ? 0755 : 0644);
        FileStream content(opened, from.string(), 0, entry.size);
        tar.add_file(entry, content);
    } else if (S_ISDIR(info.st_mode)) {
        std::vector<fs::path> inside;
        for (const auto& child : fs::directory_iterator(from)) inside.push_back(child.path());
        std::ranges::sort(inside);
        for (const fs::path& child : inside) {
            add_path(tar, file, child, to + "/" + child.filename().string());
        }
    } else {
        refuse_unsafe(from.string(), "it is neither file, folder nor link");
    }
}

void add(TarWriter& tar, const ImageFile& file) {
    if (!file.link.empty()) {
        add_link(tar, entry_at(file, file.to), file.link);
    } else if (file.folder) {
        TarEntry entry = entry_at(file, file.to);
        entry.type = TarEntry::Type::folder;
        entry.mode = mode_or(file, 0755);
        tar.add_other(std::move(entry));
    } else {
        add_path(tar, file, file.file, file.to);
    }
}

json::array texts(const std::vector<std::string>& list) {
    return json::array(list.begin(), list.end());
}

// Variables of the base stay, in their order, unless they are set anew.
json::array environment(const json::object& former, const ImageFromFiles& image) {
    json::array out;
    const json::value* list = former.if_contains("Env");
    if (list != nullptr && list->is_array()) {
        for (const json::value& item : list->get_array()) {
            if (!item.is_string()) continue;
            const std::string text(item.get_string());
            if (!image.env.contains(text.substr(0, text.find('=')))) out.emplace_back(text);
        }
    }
    for (const auto& [key, value] : image.env) out.emplace_back(key + "=" + value);
    return out;
}

json::object object_at(const json::object& object, std::string_view key) {
    const json::value* value = object.if_contains(key);
    return value != nullptr && value->is_object() ? value->get_object() : json::object();
}

json::object settings(const json::object& base, const ImageFromFiles& image) {
    json::object out = object_at(base, "config");
    json::array env = environment(out, image);
    if (!env.empty()) out["Env"] = std::move(env);
    if (!image.user.empty()) out["User"] = image.user;
    if (!image.workdir.empty()) out["WorkingDir"] = image.workdir;
    if (!image.entrypoint.empty()) {
        out["Entrypoint"] = texts(image.entrypoint);
        out.erase("Cmd");  // the base's arguments were for its own program
    }
    if (!image.cmd.empty()) out["Cmd"] = texts(image.cmd);
    json::object labels = object_at(out, "Labels");
    for (const auto& [key, value] : image.labels) labels[key] = value;
    if (!labels.empty()) out["Labels"] = std::move(labels);
    return out;
}

std::string config_text(const Base& base, const ImageFromFiles& image,
                        const std::vector<Digest>& added) {
    json::array diff_ids;
    const json::object rootfs = object_at(base.config, "rootfs");
    const json::value* former = rootfs.if_contains("diff_ids");
    if (former != nullptr && former->is_array()) diff_ids = former->get_array();
    for (const Digest& digest : added) diff_ids.emplace_back(digest.str());
    // History is left out: it would have to match the layers one by one, and nothing needs it.
    return json::serialize(json::object{
        {"created", "1970-01-01T00:00:00Z"},
        {"architecture", image.arch},
        {"os", image.os},
        {"config", settings(base.config, image)},
        {"rootfs", json::object{{"type", "layers"}, {"diff_ids", std::move(diff_ids)}}}});
}

}  // namespace

SourceImage make_image(MadeSource& made, const ImageFromFiles& image, const std::string& name,
                       Spool& spool) {
    const Base base = read_base(made, image, spool);
    Manifest manifest{.media_type = std::string(media::kManifest), .layers = base.manifest.layers};
    std::vector<Digest> added;
    if (!image.files.empty()) {
        std::vector<ImageFile> files = image.files;
        std::ranges::sort(files, std::ranges::less{},
                          [](const ImageFile& file) { return std::tie(file.to, file.file); });
        manifest.layers.push_back(made.stream(media::kLayer, [&](ByteSink& sink) {
            TarWriter tar(sink);
            for (const ImageFile& file : files) add(tar, file);
            tar.finish();
        }));
        added.push_back(manifest.layers.back().digest);
    }
    manifest.config = made.text(config_text(base, image, added), media::kConfig);
    Descriptor descriptor = made.manifest(manifest);
    descriptor.platform = {.os = image.os, .architecture = image.arch};
    return {Reference::parse(name).str(), descriptor};
}

}  // namespace slipway::oci
