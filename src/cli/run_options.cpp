#include "cli/run_options.hpp"

#include "base/json.hpp"
#include "base/text.hpp"
#include "cluster/checks/check.hpp"
#include "remote/profile.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

namespace slipway::cli {

namespace {

json::array to_array(const std::vector<std::string>& texts) {
    return json::array(texts.begin(), texts.end());
}

std::vector<std::string> strings_at(const json::object& object, std::string_view key) {
    std::vector<std::string> out;
    const json::value* list = object.if_contains(key);
    if (list == nullptr || !list->is_array()) return out;
    for (const json::value& item : list->get_array()) {
        if (item.is_string()) out.emplace_back(item.get_string());
    }
    return out;
}

// A later `resume` may be typed in another folder; a built-in name is no file.
std::string lasting_name(const std::string& profile) {
    const bool built_in = std::ranges::any_of(remote::builtin_profiles(),
                                              [&](const auto& p) { return p.name == profile; });
    if (built_in || !std::filesystem::exists(profile)) return profile;
    return std::filesystem::absolute(profile).string();
}

// A mistyped id would ignore nothing, and say so only when the check fails.
std::vector<std::string> known_checks(const Arguments& arguments) {
    std::vector<std::string> known;
    for (const cluster::CheckInfo& check : cluster::check_catalog()) known.emplace_back(check.id);
    std::vector<std::string> wanted = arguments.list("--ignore");
    for (std::string& id : arguments.list("--ignore-checks")) wanted.push_back(std::move(id));
    std::erase(wanted, "");
    for (const std::string& id : wanted) {
        if (std::ranges::find(known, id) != known.end()) continue;
        const std::optional<std::string> near = nearest(id, known);
        throw UsageError("USAGE-BAD-VALUE", fmt::format("there is no check '{}'", printable(id)),
                         {.cause = "--ignore takes ids of checks",
                          .remedy = near ? fmt::format("did you mean {}?", *near)
                                         : "docs/checks.md lists them all"});
    }
    return wanted;
}

}  // namespace

std::string RunOptions::to_json() const {
    return json::serialize(json::object{{"simulate", simulate},
                                        {"profile", profile},
                                        {"ignoreChecks", to_array(ignore_checks)},
                                        {"acceptNewKeys", accept_new_keys},
                                        {"sshConfig", ssh_config},
                                        {"bundleKeys", to_array(bundle_keys)},
                                        {"allowUnsigned", allow_unsigned},
                                        {"undoHosts", to_array(undo.hosts)},
                                        {"undoSteps", to_array(undo.steps)}});
}

RunOptions RunOptions::from_json(const std::string& text) {
    RunOptions options;
    if (text.empty()) return options;
    const json::value value = parse_json(text, "the options of a run");
    if (!value.is_object()) return options;
    const json::object& object = value.get_object();
    options.simulate = bool_at(object, "simulate");
    options.profile = string_at(object, "profile");
    options.ignore_checks = strings_at(object, "ignoreChecks");
    options.accept_new_keys = bool_at(object, "acceptNewKeys");
    options.ssh_config = string_at(object, "sshConfig");
    options.bundle_keys = strings_at(object, "bundleKeys");
    options.allow_unsigned = bool_at(object, "allowUnsigned");
    options.undo = {.hosts = strings_at(object, "undoHosts"),
                    .steps = strings_at(object, "undoSteps")};
    return options;
}

void RunOptions::override_with(const Arguments& arguments) {
    if (arguments.has("--simulate")) {
        simulate = true;
        profile = lasting_name(arguments.value("--simulate"));
    }
    if (arguments.has("--accept-new")) accept_new_keys = true;
    if (arguments.has("--ssh-config")) {
        ssh_config = std::filesystem::absolute(arguments.value("--ssh-config")).string();
    }
    if (arguments.has("--key")) {
        bundle_keys.clear();
        for (const std::string& file : arguments.values("--key"))
            bundle_keys.push_back(std::filesystem::absolute(file).string());
    }
    if (arguments.has("--allow-unsigned")) allow_unsigned = true;
    if (arguments.has("--ignore") || arguments.has("--ignore-checks"))
        ignore_checks = known_checks(arguments);
}

}  // namespace slipway::cli
