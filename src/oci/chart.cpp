#include "base/error.hpp"
#include "base/text.hpp"
#include "config/yaml.hpp"
#include "oci/archive_errors.hpp"
#include "oci/artifacts.hpp"
#include "oci/compress.hpp"
#include "oci/decompress.hpp"
#include "oci/media_types.hpp"
#include "oci/reference.hpp"
#include "oci/sbom.hpp"
#include "oci/tar_writer.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace slipway::oci {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxChartFile = 1u << 20;
constexpr std::size_t kMaxChart = 64u << 20;
constexpr TarLimits kChartLimits = {.entries = 20'000, .bytes = kMaxChart};

[[noreturn]] void refuse(const std::string& path, std::string_view why) {
    throw UserError("CHART-INVALID",
                    fmt::format("{} is not a Helm chart: {}", printable(path), why),
                    {.remedy = "name a chart's folder, or what helm package made of it"});
}

// The scalar fields and lists of texts of Chart.yaml, which is what helm asks for.
json::object metadata(const config::Node& root) {
    json::object out;
    for (const config::Entry& entry : root.entries) {
        if (entry.value.kind == config::Node::Kind::scalar) {
            const bool is_flag = entry.key == "deprecated";
            out[entry.key] =
                is_flag ? json::value(entry.value.text == "true") : json::value(entry.value.text);
        } else if (entry.value.kind == config::Node::Kind::list) {
            json::array list;
            for (const config::Node& item : entry.value.items) {
                if (item.kind == config::Node::Kind::scalar) list.emplace_back(item.text);
            }
            if (list.size() == entry.value.items.size()) out[entry.key] = std::move(list);
        }
    }
    return out;
}

json::object read_metadata(const std::string& path, const std::string& text) {
    config::Findings findings;
    const auto root = config::parse_yaml({"Chart.yaml", text}, 0, findings);
    if (!root || root->kind != config::Node::Kind::map) refuse(path, "its Chart.yaml is not YAML");
    json::object out = metadata(*root);
    if (string_at(out, "name").empty() || string_at(out, "version").empty()) {
        refuse(path, "its Chart.yaml has no name or no version");
    }
    return out;
}

std::string chart_yaml_in(const std::string& path) {
    const std::unique_ptr<ByteStream> plain =
        decompress(stream_file(path), {.bytes = 2 * kMaxChart});
    TarReader tar(*plain, kChartLimits);
    std::string found;
    while (const std::optional<TarEntry> entry = tar.next()) {
        if (entry->type == TarEntry::Type::symlink || entry->type == TarEntry::Type::hardlink) {
            refuse_unsafe(entry->name, "charts have no links");
        }
        const std::size_t slash = entry->name.find('/');
        if (slash != std::string::npos && entry->name.substr(slash) == "/Chart.yaml") {
            found = read_whole(tar.content(), kMaxChartFile, "Chart.yaml");
        }
    }
    if (found.empty()) refuse(path, "it has no Chart.yaml");
    return found;
}

// The folder as helm package would lay it out, but the same each time.
std::string packed(const fs::path& folder, const std::string& name) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        if (entry.is_symlink()) refuse_unsafe(entry.path().string(), "charts have no links");
        if (entry.is_regular_file()) files.push_back(entry.path());
    }
    std::ranges::sort(files);
    StringSink sink;
    TarWriter tar(sink);
    for (const fs::path& file : files) {
        const std::string content = read_file(file, kMaxChart);
        if (sink.text.size() + content.size() > kMaxChart) refuse_too_large("a chart of this size");
        tar.add_file({.name = name + "/" + fs::relative(file, folder).string()}, content);
    }
    tar.finish();
    return gzip_text(sink.text);
}

std::string name_for(const std::string& name, std::string version) {
    std::ranges::replace(version, '+', '_');
    return Reference::parse(fmt::format("slipway.local/charts/{}:{}", name, version)).str();
}

}  // namespace

std::string chart_name(std::string_view config) {
    const json::object about = parse_foreign_object(config, kMaxChartFile, "the config of a chart");
    if (string_at(about, "name").empty() || string_at(about, "version").empty()) {
        refuse("the artifact", "its config has no name or no version");
    }
    return name_for(string_at(about, "name"), string_at(about, "version"));
}

SourceImage make_chart(MadeSource& made, const RecipeChart& chart) {
    const bool is_folder = fs::is_directory(chart.chart);
    const fs::path own = fs::path(chart.chart) / "Chart.yaml";
    if (is_folder && !fs::exists(own)) refuse(chart.chart, "it has no Chart.yaml");
    const json::object about = read_metadata(
        chart.chart, is_folder ? read_file(own, kMaxChartFile) : chart_yaml_in(chart.chart));
    const std::string name = string_at(about, "name"), version = string_at(about, "version");
    Descriptor layer = is_folder ? made.text(packed(chart.chart, name), media::kHelmChart)
                       : chart.url.empty()
                           ? made.file(chart.chart, media::kHelmChart)
                           : made.hashed_file(chart.chart, media::kHelmChart,
                                              Digest::parse("sha256:" + chart.sha256));
    layer.annotations = {{kTitle, fmt::format("{}-{}.tgz", name, version)},
                         {kPackageName, name},
                         {kVersion, version}};
    return {name_for(name, version),
            made.artifact({.config = made.text(json::serialize(about), media::kHelmConfig),
                           .layers = {layer}})};
}

}  // namespace slipway::oci
