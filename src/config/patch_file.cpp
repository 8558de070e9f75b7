#include "config/patch_file.hpp"

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/json_patch.hpp"
#include "base/text.hpp"
#include "config/yaml_json.hpp"

#include <filesystem>

#include <fmt/format.h>

namespace slipway::config {

namespace {

constexpr std::size_t kLargestPatch = 256u << 10;

[[noreturn]] void refuse(const std::string& path, std::string why) {
    throw UserError("PATCH-INVALID", fmt::format("{} is no patch", printable(path)),
                    {.cause = std::move(why), .remedy = "correct the file"});
}

std::string type_in_name(const std::string& path) {
    const std::string stem = std::filesystem::path(path).stem().string();
    for (const char* type : {"strategic", "merge", "json"}) {
        if (stem.ends_with(fmt::format("+{}", type))) return type;
    }
    return "";
}

}  // namespace

void PatchFile::apply_to(json::value& document) const {
    if (type != "json") return merge_patch(document, value);
    try {
        apply_patch(document, value);
    } catch (const UserError& error) {
        throw UserError(
            error.id(), fmt::format("{}: {}", printable(path), error.message()),
            {.cause = error.cause(), .remedy = error.remedy(), .recovery = error.recovery()});
    }
}

PatchFile read_patch(const std::string& path) {
    PatchFile out{.text = read_file(path, kLargestPatch), .path = path};
    Findings findings;
    const auto node = parse_yaml({path, out.text}, 0, findings);
    if (!node)
        refuse(path,
               findings.problems().empty() ? "it is empty" : findings.sorted().front().line());
    if (!node->duplicates.empty())
        refuse(path, fmt::format("key {} stands in it twice", shown(node->duplicates[0].key)));
    out.value = to_json(*node);
    const bool list = out.value.is_array();
    if (!list && !out.value.is_object()) refuse(path, "it holds neither a map nor a list");
    out.type = type_in_name(path);
    if (out.type.empty()) out.type = list ? "json" : "strategic";
    if (list != (out.type == "json"))
        refuse(path, list ? "a list is a JSON patch, and its name says otherwise"
                          : "its name says it is a JSON patch, and it is no list");
    return out;
}

}  // namespace slipway::config
