#include "oci/recipe.hpp"

#include "base/error.hpp"
#include "base/url.hpp"
#include "config/decode.hpp"
#include "config/fields.hpp"
#include "config/load.hpp"
#include "config/rules.hpp"
#include "oci/digest.hpp"
#include "oci/reference.hpp"

#include <algorithm>

namespace slipway::oci {

namespace rules = config::rules;

namespace {

std::size_t given(std::initializer_list<const std::string*> texts) {
    return static_cast<std::size_t>(
        std::ranges::count_if(texts, [](const std::string* t) { return !t->empty(); }));
}

std::optional<config::Fault> check_image_name(std::string_view text) {
    try {
        Reference::parse(text);
        return std::nullopt;
    } catch (const UserError&) {
        return config::Fault{"is not the name of an image",
                             "write it as registry.example.com/folder/name:tag"};
    }
}

const config::Rule& image_name() {
    static const config::Rule rule{"name of an image", "", &check_image_name};
    return rule;
}

std::optional<config::Fault> check_web_address(std::string_view text) {
    try {
        const Url url = Url::parse(text);
        if (!url.target.substr(0, url.target.find('?')).ends_with('/')) return std::nullopt;
        return config::Fault{"names no file", "write it as https://host/path/file"};
    } catch (const BadUrl&) {
        return config::Fault{"is not a URL", "write it as https://host/path/file"};
    }
}

const config::Rule& web_address() {
    static const config::Rule rule{"http or https URL", "^https?://", &check_web_address};
    return rule;
}

// registry.lan:5000, for a mirror with folders behind it.
bool is_registry(std::string_view text, bool with_folders) {
    const std::string_view host = text.substr(0, text.find('/'));
    if (!with_folders && host.size() != text.size()) return false;
    if (host.size() < text.size() && !is_valid_repository_path(text.substr(host.size() + 1)))
        return false;
    try {
        Url::parse("https://" + std::string(host));
        return true;
    } catch (const BadUrl&) {
        return false;
    }
}

void check_sha256(const std::string& sha256, const std::string& url, config::Scope& scope) {
    if (sha256.empty() && !url.empty()) {
        scope.error("RECIPE-SOURCE", "sha256", "is missing",
                    "say what the download must be: 64 hexadecimal digits");
    } else if (!sha256.empty() && !Digest::try_parse("sha256:" + sha256)) {
        scope.error("RECIPE-SOURCE", "sha256", "is not a SHA-256",
                    "write 64 lower-case hexadecimal digits");
    }
}

}  // namespace

bool ImageFromFiles::is_given() const {
    return !files.empty() || !entrypoint.empty() ||
           given({&base.oci_layout, &base.oci_archive, &base.docker_archive}) > 0;
}

std::string Recipe::title() const {
    return metadata.version.empty() ? metadata.name : metadata.name + " " + metadata.version;
}

Recipe load_recipe(const config::Source& source) {
    return config::decode_yaml_or_throw<Recipe>(source, "RECIPE-INVALID");
}

void describe(config::Describe<ImageFile>& d) {
    d.field("file", &ImageFile::file, "A file or folder on this computer.")
        .example("build/server")
        .rule(rules::local_path())
        .local_file();
    d.field("link", &ImageFile::link, "A symbolic link is put there instead; what it points to.")
        .example("busybox");
    d.field("folder", &ImageFile::folder, "A new folder is put there instead.").example("true");
    d.field("to", &ImageFile::to, "Where it goes in the image.")
        .example("/usr/bin/server")
        .required()
        .rule(rules::absolute_path());
    d.field("mode", &ImageFile::mode, "Its mode.")
        .example("0755")
        .unset_means("0755 for folders and what is executable, else 0644")
        .rule(rules::file_mode());
    d.field("uid", &ImageFile::uid, "Number of its owner.").example("0").range(0, 2'000'000);
    d.field("gid", &ImageFile::gid, "Number of its group.").example("0").range(0, 2'000'000);
    d.check([](const ImageFile& file, config::Scope& scope) {
        const std::size_t sources = given({&file.file, &file.link}) + (file.folder ? 1 : 0);
        if (sources == 1) return;
        scope.error("RECIPE-SOURCE", "", sources == 0 ? "names no source" : "names several sources",
                    "give exactly one of file, link and folder");
    });
}

void describe(config::Describe<BaseImage>& d) {
    d.field("oci-layout", &BaseImage::oci_layout, "A folder that is an OCI image layout.")
        .example("base/")
        .rule(rules::local_path())
        .local_file();
    d.field("oci-archive", &BaseImage::oci_archive, "A tar of an OCI image layout.")
        .example("base.tar")
        .rule(rules::local_path())
        .local_file();
    d.field("docker-archive", &BaseImage::docker_archive, "What docker save wrote.")
        .example("base.tar.gz")
        .rule(rules::local_path())
        .local_file();
    d.field("image", &BaseImage::image, "Which image of it.")
        .example("docker.io/library/debian:12")
        .unset_means("the only one in it");
}

void describe(config::Describe<ImageFromFiles>& d) {
    d.field("base", &ImageFromFiles::base, "The image it builds on.").unset_means("nothing");
    d.field("files", &ImageFromFiles::files, "Files and folders put into it, as one layer.")
        .example("[{file: build/server, to: /usr/bin/server}]");
    d.field("os", &ImageFromFiles::os, "Operating system it is for.").example("linux");
    d.field("arch", &ImageFromFiles::arch, "Architecture it is for.")
        .example("amd64")
        .one_of({"amd64", "arm64"});
    d.field("user", &ImageFromFiles::user, "User it runs as.").example("65532:65532");
    d.field("workdir", &ImageFromFiles::workdir, "Folder it runs in.")
        .example("/")
        .rule(rules::absolute_path());
    d.field("entrypoint", &ImageFromFiles::entrypoint, "The program and its first arguments.")
        .example("[/usr/bin/server]");
    d.field("cmd", &ImageFromFiles::cmd, "Arguments a user may replace.").example("[--help]");
    d.field("env", &ImageFromFiles::env, "Environment variables.")
        .example("{LANG: C.UTF-8}")
        .keys(rules::env_name());
    d.field("labels", &ImageFromFiles::labels, "Labels of the image.").example("{team: base}");
}

void describe(config::Describe<RecipeImage>& d) {
    d.field("registry", &RecipeImage::registry, "An image in a registry, by its name.")
        .example("registry.k8s.io/pause:3.10")
        .rule(image_name());
    d.field("oci-layout", &RecipeImage::oci_layout,
            "A folder that is an OCI image layout: all images in it.")
        .example("images/")
        .rule(rules::local_path())
        .local_file();
    d.field("oci-archive", &RecipeImage::oci_archive,
            "A tar (also .gz, .zst) of an OCI image layout: all images in it.")
        .example("images.tar")
        .rule(rules::local_path())
        .local_file();
    d.field("docker-archive", &RecipeImage::docker_archive,
            "What docker save wrote (also .gz, .zst): all images in it.")
        .example("images.tar.gz")
        .rule(rules::local_path())
        .local_file();
    d.field("image-from-files", &RecipeImage::from_files, "An image made of files.");
    d.field("name", &RecipeImage::name, "What the image is called, when the source does not say.")
        .example("registry.example.com/team/server:1.0");
    d.field("only", &RecipeImage::only, "Take only images of these names.")
        .example("[registry.k8s.io/pause:3.10]")
        .unordered();
    d.field("platforms", &RecipeImage::platforms, "Take images for these platforms only.")
        .example("[linux/amd64, linux/arm64]")
        .unset_means("all there are")
        .unordered();
    d.check([](const RecipeImage& image, config::Scope& scope) {
        const std::size_t sources =
            given({&image.registry, &image.oci_layout, &image.oci_archive, &image.docker_archive}) +
            (image.from_files.is_given() ? 1 : 0);
        if (sources == 1) return;
        scope.error("RECIPE-SOURCE", "", sources == 0 ? "names no source" : "names several sources",
                    "give exactly one of registry, oci-layout, oci-archive, docker-archive and "
                    "image-from-files");
    });
    d.check([](const RecipeImage& image, config::Scope& scope) {
        if (!image.from_files.is_given() || !image.name.empty()) return;
        scope.error("RECIPE-SOURCE", "name", "is missing", "say what the new image is called");
    });
}

void describe(config::Describe<RecipeBinary>& d) {
    d.field("file", &RecipeBinary::file, "A file on this computer.")
        .example("downloads/kubeadm")
        .rule(rules::local_path())
        .local_file();
    d.field("url", &RecipeBinary::url, "Where it is downloaded from; then sha256 must be given.")
        .example("https://dl.k8s.io/v1.34.1/bin/linux/amd64/kubeadm")
        .rule(web_address());
    d.field("sha256", &RecipeBinary::sha256, "What it must be, in hex.")
        .example("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")
        .unset_means("it is taken as it is");
    d.field("name", &RecipeBinary::name, "What it is called.")
        .example("kubeadm")
        .unset_means("the name of the file");
    d.field("version", &RecipeBinary::version, "Its version.").example("v1.34.1");
    d.field("os", &RecipeBinary::os, "Operating system it is for.").example("linux");
    d.field("arch", &RecipeBinary::arch, "Architecture it is for.").example("amd64");
    d.check([](const RecipeBinary& binary, config::Scope& scope) {
        if (given({&binary.file, &binary.url}) != 1) {
            scope.error("RECIPE-SOURCE", "", "must name one source", "give either file or url");
        }
        check_sha256(binary.sha256, binary.url, scope);
    });
}

void describe(config::Describe<RecipeChart>& d) {
    d.field("chart", &RecipeChart::chart, "A Helm chart on this computer: a folder or a .tgz.")
        .example("charts/metrics-server")
        .rule(rules::local_path())
        .local_file();
    d.field("registry", &RecipeChart::registry, "A chart in an OCI registry.")
        .example("ghcr.io/charts/metrics-server:3.12.0")
        .rule(image_name());
    d.field("url", &RecipeChart::url,
            "Where the chart is downloaded from; then sha256 must be given.")
        .example("https://example.com/metrics-server-3.12.0.tgz")
        .rule(web_address());
    d.field("sha256", &RecipeChart::sha256, "What it must be, in hex.")
        .example("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")
        .unset_means("it is taken as it is");
    d.check([](const RecipeChart& chart, config::Scope& scope) {
        if (given({&chart.chart, &chart.registry, &chart.url}) != 1) {
            scope.error("RECIPE-SOURCE", "", "must name one source",
                        "give exactly one of chart, registry and url");
        }
        check_sha256(chart.sha256, chart.url, scope);
        if (!chart.sha256.empty() && chart.url.empty()) {
            scope.error("RECIPE-SOURCE", "sha256", "goes with url only",
                        "leave it out; of a registry give NAME@sha256:…");
        }
    });
}

void describe(config::Describe<RecipeRepository>& d) {
    d.field("url", &RecipeRepository::url, "Where it is, over http or https.")
        .example("https://deb.example.com/debian")
        .rule(rules::one_line());
    d.field("file", &RecipeRepository::file, "Its folder on this computer.")
        .example("mirror/debian")
        .rule(rules::local_path())
        .local_file();
    d.field("ca", &RecipeRepository::ca, "The certificate authority its server must have, PEM.")
        .example("site-ca.pem")
        .unset_means("one this computer trusts")
        .rule(rules::local_path())
        .local_file();
    d.field("suite", &RecipeRepository::suite,
            "Of APT repositories: the release; with / at its end a folder without components.")
        .example("bookworm")
        .unset_means("/, for deb: the folder itself")
        .rule(rules::one_line());
    d.field("components", &RecipeRepository::components, "Of APT repositories: the parts to use.")
        .example("[main, contrib]");
    d.field("keyring", &RecipeRepository::keyring,
            "OpenPGP keys of its makers, binary or in ASCII armour; gpgv checks with them.")
        .example("debian-archive-keyring.gpg")
        .rule(rules::local_path())
        .local_file();
    d.field("unsigned", &RecipeRepository::is_unsigned,
            "Take it without knowing who made it. Checksums are checked all the same.");
    d.field("expired", &RecipeRepository::expired, "Take it although its Valid-Until has passed.");
    d.check([](const RecipeRepository& repository, config::Scope& scope) {
        if (given({&repository.url, &repository.file}) != 1) {
            scope.error("RECIPE-SOURCE", "", "needs either url or file",
                        "say where the repository is");
        }
        if (repository.keyring.empty() == !repository.is_unsigned) {
            scope.error("RECIPE-SOURCE", "keyring", "says nothing about who made it",
                        "give either keyring: FILE or unsigned: true");
        }
    });
}

namespace {

void check_packages(const RecipePackages& packages, config::Scope& scope) {
    const int kinds = (packages.files.empty() ? 0 : 1) + (packages.deb.empty() ? 0 : 1) +
                      (packages.rpm.empty() ? 0 : 1);
    if (kinds != 1) {
        scope.error("RECIPE-SOURCE", "", kinds == 0 ? "names no packages" : "mixes sources",
                    "give exactly one of files, deb and rpm");
    }
    const bool wants_repositories = !packages.deb.empty() || !packages.rpm.empty();
    if (wants_repositories == packages.repositories.empty()) {
        scope.error("RECIPE-SOURCE", "repositories",
                    wants_repositories ? "is missing" : "is for deb and rpm only",
                    "deb and rpm are looked up in repositories, files are not");
    }
    if (!wants_repositories && (!packages.base.empty() || !packages.installed.empty())) {
        scope.error("RECIPE-SOURCE", "base", "is for deb and rpm only",
                    "files are taken as they are");
    }
}

}  // namespace

void describe(config::Describe<RecipePackages>& d) {
    d.field("os", &RecipePackages::os, "Release of the operating system they are for.")
        .example("debian-12")
        .required()
        .rule(rules::dns_name());
    d.field("arch", &RecipePackages::arch, "Architecture they are for.")
        .example("amd64")
        .one_of({"amd64", "arm64"});
    d.field("files", &RecipePackages::files,
            "Packages on this computer, .deb or .rpm; a folder stands for all in it.")
        .example("[debs/]")
        .unordered()
        .rule(rules::local_path())
        .local_file();
    d.field("deb", &RecipePackages::deb, "Debian packages, with what they depend on.")
        .example("[socat, conntrack]")
        .unordered();
    d.field("rpm", &RecipePackages::rpm, "RPM packages, with what they depend on.")
        .example("[socat, conntrack-tools]")
        .unordered();
    d.field("repositories", &RecipePackages::repositories, "Where deb and rpm are looked up.")
        .example("[{url: 'https://deb.example.com/debian', suite: bookworm, keyring: k.gpg}]");
    d.field("base", &RecipePackages::base,
            "What the hosts have: dpkg's status file (deb) or what rpm -qa says (rpm).")
        .example("status")
        .unset_means("what a base system of that release has")
        .rule(rules::local_path())
        .local_file();
    d.field("installed", &RecipePackages::installed,
            "Further packages the hosts have, with what these depend on.")
        .example("[openssh-server]")
        .unordered();
    d.check(check_packages);
}

void describe(config::Describe<RecipeLogin>& d) {
    d.unset_when(
        [](const void* login) { return static_cast<const RecipeLogin*>(login)->user.empty(); });
    d.field("user", &RecipeLogin::user, "Name of the user.")
        .example("builder")
        .required()
        .rule(rules::one_line());
    d.field("password", &RecipeLogin::password, "The password or token.")
        .example("{env: REGISTRY_PASSWORD}")
        .required();
}

void describe(config::Describe<RecipeRegistry>& d) {
    d.field("host", &RecipeRegistry::host, "The registry, as names of images have it.")
        .example("registry.k8s.io")
        .required();
    d.field("mirror", &RecipeRegistry::mirror,
            "Where its images are taken from instead, with the folders they lie in there.")
        .example("mirror.example.com:5000/k8s")
        .unset_means("the registry itself");
    d.field("ca-file", &RecipeRegistry::ca_file,
            "Certificates trusted for it instead of this computer's.")
        .example("ca.pem")
        .rule(rules::local_path())
        .local_file();
    d.field("plain-http", &RecipeRegistry::plain_http,
            "Speak without TLS: anyone on the way can read the login.")
        .example("false");
    d.field("login", &RecipeRegistry::login, "Who to log in as.")
        .example("{user: builder, password: {env: REGISTRY_PASSWORD}}")
        .unset_means("as docker login or podman login have left it, or not at all");
    d.check([](const RecipeRegistry& registry, config::Scope& scope) {
        if (!is_registry(registry.host, false)) {
            scope.error("RECIPE-REGISTRY", "host", "is not the address of a registry",
                        "write it as registry.example.com or registry.lan:5000");
        }
        if (!registry.mirror.empty() && !is_registry(registry.mirror, true)) {
            scope.error("RECIPE-REGISTRY", "mirror", "is not the address of a registry",
                        "write it as mirror.example.com:5000/folder");
        }
    });
}

void describe(config::Describe<RecipeSpec>& d) {
    d.field("registries", &RecipeSpec::registries, "How registries are reached.")
        .example("[{host: registry.k8s.io, mirror: mirror.example.com:5000/k8s}]");
    d.field("images", &RecipeSpec::images, "Container images.").example("[{oci-layout: images/}]");
    d.field("binaries", &RecipeSpec::binaries, "Programs and other single files.")
        .example("[{file: kubeadm, version: v1.34.1}]");
    d.field("charts", &RecipeSpec::charts, "Helm charts.").example("[{chart: charts/server}]");
    d.field("packages", &RecipeSpec::packages, "Packages of operating systems.")
        .example("[{os: debian-12, files: [debs/]}]");
}

void describe(config::Describe<RecipeMetadata>& d) {
    d.field("name", &RecipeMetadata::name, "What the bundle is called.")
        .example("kubernetes")
        .required()
        .rule(rules::dns_name());
    d.field("version", &RecipeMetadata::version, "Version of the bundle.")
        .example("v1.34.1")
        .rule(rules::one_line());
}

void describe(config::Describe<Recipe>& d) {
    d.field("apiVersion", &Recipe::api_version, "The version of this format.")
        .example(std::string(config::kApiVersion))
        .required()
        .one_of({std::string(config::kApiVersion)});
    d.field("kind", &Recipe::kind, "What the document describes.")
        .example("Recipe")
        .required()
        .one_of({"Recipe"});
    d.field("metadata", &Recipe::metadata, "What the bundle is called.")
        .example("{name: demo}")
        .required();
    d.field("spec", &Recipe::spec, "What the bundle holds.").required().envelope();
}

}  // namespace slipway::oci
