#include "base/text.hpp"
#include "cli/bundle_options.hpp"
#include "cli/byte_progress.hpp"
#include "cli/commands.hpp"
#include "oci/bundle_signature.hpp"

#include <fmt/format.h>

namespace slipway::cli {

namespace {

json::array roots_json(const oci::BundleReader& bundle) {
    json::array out;
    for (const oci::BundleRoot& root : bundle.content().roots) {
        const oci::BundleBlob* blob = bundle.content().find(root.digest);
        out.push_back(json::object{{"name", root.name},
                                   {"kind", oci::to_string(root.kind)},
                                   {"digest", root.digest.str()},
                                   {"mediaType", blob->media_type},
                                   {"artifactType", root.artifact_type}});
    }
    return out;
}

json::array blobs_json(const oci::BundleReader& bundle) {
    json::array out;
    for (std::size_t i = 0; i < bundle.content().blobs.size(); ++i) {
        const oci::BundleBlob& blob = bundle.content().blobs[i];
        const std::uint64_t offset = bundle.index().offsets[i];
        json::object item = {{"digest", blob.digest.str()},
                             {"size", blob.size},
                             {"mediaType", blob.media_type},
                             {"present", offset != 0}};
        if (offset != 0) item["offset"] = offset;
        out.push_back(std::move(item));
    }
    return out;
}

ExitCode run_bundle_inspect(const Call& call) {
    const oci::BundleReader bundle(call.arguments.value("BUNDLE"));
    json::array keys;
    std::vector<std::string> signers;
    for (const oci::BundleSignature& s : oci::parse_signatures(bundle.signature_block())) {
        keys.push_back(json::object{{"keyId", s.key_id}});
        signers.push_back(s.key_id.substr(0, 16));
    }
    json::object result = bundle_json(bundle.index());
    result["signatures"] = std::move(keys);
    result["names"] = roots_json(bundle);
    if (call.arguments.has("--blobs")) result["blobList"] = blobs_json(bundle);
    call.output.data(result, [&] {
        std::vector<std::vector<std::string>> rows = {{"KIND", "NAME", "DIGEST"}};
        for (const oci::BundleRoot& root : bundle.content().roots) {
            rows.push_back({std::string(oci::to_string(root.kind)), printable(root.name),
                            root.digest.short_text()});
        }
        return fmt::format(
                   "{}: {}\ncontent {}\nsigned by {} (not checked: slipway bundle verify)\n\n",
                   printable(bundle.content().title), bundle_line(bundle.index()),
                   bundle.index().content_digest.str(),
                   signers.empty() ? "nobody" : join(signers, ", ")) +
               table(rows);
    });
    return ExitCode::ok;
}

}  // namespace

Command bundle_inspect_command() {
    return {.name = "bundle inspect",
            .summary = "List what a bundle holds",
            .examples =
                "slipway bundle inspect kubernetes.bundle\n"
                "slipway bundle inspect kubernetes.bundle --blobs -o json",
            .options = {{.name = "--blobs", .help = "also every blob with its place (-o json)"}},
            .positionals = {bundle_positional()},
            .run = run_bundle_inspect};
}

}  // namespace slipway::cli
