#include "cli/bundle_options.hpp"

#include "base/text.hpp"
#include "cli/byte_progress.hpp"

#include <map>

#include <fmt/format.h>

namespace slipway::cli {

Positional bundle_positional() {
    return {.name = "BUNDLE", .help = "the file", .required = true, .complete = Complete::file};
}

Option to_option(std::string_view help) {
    return {
        .name = "--to", .letter = 'o', .value = "FILE", .help = help, .complete = Complete::file};
}

Option public_key_option() {
    return {
        .name = "--key",
        .value = "FILE",
        .help =
            "a public key that must have signed it, instead of those trusted here; of several, one "
            "is enough",
        .repeatable = true,
        .complete = Complete::file};
}

std::filesystem::path destination(const Call& call) {
    std::string to = call.arguments.value("--to");
    if (to.empty()) {
        throw UsageError("USAGE-MISSING-ARGUMENT", "where the result goes is missing",
                         {.remedy = "name it with -o FILE"});
    }
    return to;
}

void require_other_file(const std::filesystem::path& to, const std::filesystem::path& from) {
    std::error_code ignored;
    if (!std::filesystem::equivalent(to, from, ignored)) return;
    throw UsageError("USAGE-BAD-VALUE",
                     fmt::format("{} is read and would be written", printable(to.string())),
                     {.remedy = "name another file with -o"});
}

namespace {

struct Totals {
    std::map<oci::RootKind, int> kinds;
    std::uint64_t blobs = 0, bytes = 0, missing = 0;
};

Totals totals_of(const oci::BundleIndex& index) {
    Totals out;
    for (const oci::BundleRoot& root : index.content.roots) ++out.kinds[root.kind];
    for (std::size_t i = 0; i < index.content.blobs.size(); ++i) {
        ++out.blobs;
        out.bytes += index.content.blobs[i].size;
        if (index.offsets[i] == 0) ++out.missing;
    }
    return out;
}

}  // namespace

json::object bundle_json(const oci::BundleIndex& index) {
    const Totals totals = totals_of(index);
    json::object kinds;
    for (const auto& [kind, count] : totals.kinds) kinds[oci::to_string(kind)] = count;
    return {{"title", index.content.title}, {"contentDigest", index.content_digest.str()},
            {"delta", index.is_delta()},    {"fileSize", index.file_size},
            {"blobs", totals.blobs},        {"blobsLeftOut", totals.missing},
            {"blobBytes", totals.bytes},    {"holds", std::move(kinds)}};
}

std::string bundle_line(const oci::BundleIndex& index) {
    const Totals totals = totals_of(index);
    std::string out;
    for (const auto& [kind, count] : totals.kinds) {
        if (kind == oci::RootKind::sbom || kind == oci::RootKind::referrer) continue;
        std::string name(oci::to_string(kind));
        if (count != 1) name = kind == oci::RootKind::binary ? "binaries" : name + "s";
        if (kind == oci::RootKind::package) name = count == 1 ? "package set" : "package sets";
        out += fmt::format("{} {}, ", count, name);
    }
    out += fmt::format("{} blobs, {}", totals.blobs, shown_bytes(index.file_size));
    if (index.is_delta()) out += fmt::format(", a delta without {} blobs", totals.missing);
    return out;
}

void show_written(const Call& call, const std::filesystem::path& to,
                  const oci::BundleIndex& index) {
    json::object result = bundle_json(index);
    result["file"] = to.string();
    call.output.data(result, [&] {
        return fmt::format("{}: {}\n", printable(to.string()), bundle_line(index));
    });
}

}  // namespace slipway::cli
