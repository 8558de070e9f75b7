#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/images_options.hpp"
#include "cli/slow_note.hpp"
#include "oci/client/parallel.hpp"
#include "oci/reference.hpp"

#include <fmt/format.h>

namespace slipway::cli {

namespace {

constexpr std::size_t kAtOnce = 8;

struct Listed {
    std::string name = {};
    oci::Digest digest = {};
    std::string media_type = {};
};

std::vector<Listed> in_files(const std::string& path) {
    const auto from = images::open_image_source({.source = path, .all_kinds = true}, {}, {});
    std::vector<Listed> out;
    for (const oci::SourceImage& image : from->images()) {
        if (!image.name.empty()) {
            out.push_back({image.name, image.descriptor.digest, image.descriptor.media_type});
        }
    }
    return out;
}

std::vector<Listed> in_registry(const Call& call, const RegistryArgument& where) {
    const std::string place = where.host + (where.path.empty() ? "" : "/" + where.path);
    oci::RegistryClient client(images::registry_options(where.host, access_of(call.arguments),
                                                        login_of(call.arguments, place), {}));
    const std::vector<std::string> repositories =
        where.path.empty() ? client.catalog() : std::vector<std::string>{where.path};
    std::vector<std::pair<std::string, std::string>> found;
    for (const std::string& repository : repositories) {
        if (!oci::is_valid_repository_path(repository)) continue;
        const std::vector<std::string> tags =
            where.path.empty() ? client.tags_if_any(repository) : client.tags(repository);
        for (const std::string& tag : tags) {
            if (oci::is_valid_tag(tag)) found.emplace_back(repository, tag);
        }
    }
    std::vector<Listed> out(found.size());
    oci::in_parallel(found.size(), kAtOnce, [&](std::size_t i) {
        const auto& [repository, tag] = found[i];
        out[i].name = fmt::format("{}/{}:{}", where.host, repository, tag);
        // One that went away in between has no digest.
        if (const auto manifest = client.head_manifest(repository, tag)) {
            out[i].digest = manifest->digest;
            out[i].media_type = manifest->media_type;
        }
    });
    return out;
}

ExitCode run_images_list(const Call& call) {
    const std::string where = call.arguments.value("WHERE");
    std::vector<Listed> found;
    {
        const SlowNote note(call.output, [] { return std::string("listing"); });
        found =
            images::is_local(where) ? in_files(where) : in_registry(call, registry_argument(where));
    }
    json::array list;
    for (const Listed& image : found) {
        list.push_back(json::object{{"name", image.name},
                                    {"digest", image.digest.empty() ? "" : image.digest.str()},
                                    {"mediaType", image.media_type}});
    }
    call.output.data({{"images", std::move(list)}}, [&] {
        std::vector<std::vector<std::string>> rows = {{"IMAGE", "DIGEST"}};
        for (const Listed& image : found) {
            rows.push_back(
                {printable(image.name), image.digest.empty() ? "-" : image.digest.short_text()});
        }
        return table(rows);
    });
    return ExitCode::ok;
}

}  // namespace

Command images_list_command() {
    return {.name = "images list",
            .summary = "List the images in a bundle, an archive, or a registry",
            .examples =
                "slipway images list kubernetes.bundle\n"
                "slipway images list registry.lan:5000 --ca-file ca.pem\n"
                "slipway images list registry.lan:5000/team/app -o json",
            .options = registry_options(),
            .positionals = {{.name = "WHERE",
                             .help = "a bundle, layout or archive, or HOST[:PORT][/REPOSITORY]",
                             .required = true,
                             .complete = Complete::file}},
            .run = run_images_list};
}

}  // namespace slipway::cli
