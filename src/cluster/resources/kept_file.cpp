#include "cluster/resources/kept_file.hpp"

#include "base/digest.hpp"
#include "cluster/resources/file_json.hpp"

#include <fmt/format.h>

namespace slipway::cluster {

std::string place_aside(const std::string& path) {
    return "/var/lib/slipway/before/" + sha256_hex(path).substr(0, 16);
}

json::value read_info(Target& target, const std::string& path) {
    const auto info = target.host.file_info(path, target.call);
    if (info) {
        return json::object{{"sha256", info->sha256},
                            {"mode", fmt::format("{:04o}", info->mode)},
                            {"size", info->size},
                            {"folder", info->folder}};
    }
    json::array missing;
    for (std::size_t at = path.rfind('/'); at != 0 && at != std::string::npos;
         at = path.rfind('/', at - 1)) {
        const std::string parent = path.substr(0, at);
        if (target.host.file_info(parent, target.call)) break;
        missing.emplace_back(parent);
    }
    return json::object{{"absent", true}, {"missing", std::move(missing)}};
}

void remove_with_parents(Target& target, const std::string& path, const json::value& before) {
    target.host.remove_file(path, target.call);
    const json::value* missing = before.as_object().if_contains("missing");
    if (missing == nullptr) return;
    for (const json::value& parent : missing->as_array()) {
        if (!remove_folder_if_empty(target, std::string(std::string_view(parent.as_string()))))
            return;
    }
}

json::value read_note(Target& target, const std::string& path) {
    return target.host.file_info(path, target.call) ? json::value("may be")
                                                    : read_info(target, path);
}

json::value KeptFile::read(Target& target) const { return read_info(target, name()); }

void KeptFile::put_aside(Target& target) const {
    const std::string aside = place_aside(name());
    if (!target.host.file_info(name(), target.call)) return;
    if (target.host.file_info(aside, target.call)) return;
    run_checked(target, {"mkdir", "-p", "-m", "0700", "/var/lib/slipway/before"});
    run_checked(target, {"cp", "-a", "--", name(), aside + ".part"});
    run_checked(target, {"mv", "-f", "--", aside + ".part", aside});
}

void KeptFile::restore(Target& target, const json::value& before) const {
    const std::string aside = place_aside(name());
    if (is_absent(before)) {
        remove_with_parents(target, name(), before);
        target.host.remove_file(aside, target.call);
    } else if (target.host.file_info(aside, target.call)) {
        run_checked(target, {"mv", "-f", "--", aside, name()});
    }
    if (target.host.file_info("/var/lib/slipway/before", target.call))
        remove_folder_if_empty(target, "/var/lib/slipway/before");
}

}  // namespace slipway::cluster
