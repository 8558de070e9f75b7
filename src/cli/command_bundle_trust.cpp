#include "base/files.hpp"
#include "base/text.hpp"
#include "cli/bundle_trust.hpp"
#include "cli/commands.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace slipway::cli {

namespace {

namespace fs = std::filesystem;

std::string key_argument(const Call& call, std::string_view what) {
    const std::string key = call.arguments.value("KEY");
    if (!key.empty()) return key;
    throw UsageError("USAGE-MISSING-ARGUMENT", "no key was named",
                     {.remedy = fmt::format("name {}", what)});
}

json::object key_json(const oci::TrustedKey& key) {
    return {{"name", key.name}, {"keyId", key.key.id()}, {"file", key.file.string()}};
}

ExitCode add(const Call& call) {
    const fs::path file = key_argument(call, "a .pub file");
    const oci::PublicKey key = oci::read_public_key(file);
    const fs::path folder =
        call.arguments.has("--system") ? system_trust_folder() : own_trust_folder();
    const oci::TrustedKey added =
        oci::trust_key(folder, call.arguments.value("--name", file.stem().string()), key);
    call.output.data(key_json(added),
                     [&] { return fmt::format("trusted: {} ({})\n", added.name, added.key.id()); });
    return ExitCode::ok;
}

std::string overrides_table(const json::array& overrides) {
    std::vector<std::vector<std::string>> rows = {{"TIME", "USER", "WHY", "CONTENT", "FILE"}};
    for (const json::value& value : overrides) {
        const auto text = [&](const char* key) {
            return printable(string_at(value.as_object(), key));
        };
        rows.push_back({text("time"), text("user"), text("why"),
                        text("contentDigest").substr(0, 19), text("file") + text("damagedLine")});
    }
    return table(rows);
}

ExitCode list(const Call& call) {
    const std::vector<oci::TrustedKey> keys = trusted_here();
    const json::array overrides = recorded_overrides(call.arguments);
    json::array items;
    for (const oci::TrustedKey& key : keys) items.push_back(key_json(key));
    call.output.data({{"keys", items}, {"overrides", overrides}}, [&] {
        std::vector<std::vector<std::string>> rows = {{"NAME", "KEY ID", "FILE"}};
        for (const oci::TrustedKey& key : keys)
            rows.push_back({printable(key.name), key.key.id(), printable(key.file.string())});
        std::string out = table(rows);
        if (!overrides.empty())
            out += "\nbundles that were let in by --allow-unsigned\n" + overrides_table(overrides);
        return out;
    });
    return ExitCode::ok;
}

ExitCode remove(const Call& call) {
    const std::string wanted = key_argument(call, "a name or key id of: slipway bundle trust list");
    std::vector<oci::TrustedKey> found;
    std::vector<std::string> names;
    constexpr std::size_t kEnoughOfAnId = 8;
    for (const oci::TrustedKey& key : trusted_here()) {
        names.push_back(key.name);
        const bool by_id = wanted.size() >= kEnoughOfAnId && key.key.id().starts_with(wanted);
        if (key.name == wanted || by_id) found.push_back(key);
    }
    if (found.empty()) {
        const auto near = nearest(wanted, names);
        throw UserError("BUNDLE-KEY", fmt::format("no key '{}' is trusted", printable(wanted)),
                        {.remedy = near ? fmt::format("did you mean '{}'?", *near)
                                        : "slipway bundle trust list"});
    }
    json::array removed;
    for (const oci::TrustedKey& key : found) {
        std::error_code failure;
        fs::remove(key.file, failure);
        if (failure) {
            throw StateError("STATE-WRITE", fmt::format("cannot remove {}: {}", key.file.string(),
                                                        failure.message()));
        }
        sync_folder(key.file.parent_path());
        removed.push_back(key_json(key));
    }
    call.output.data({{"removed", removed}}, [&] {
        std::string out;
        for (const oci::TrustedKey& key : found)
            out += fmt::format("no longer trusted: {} ({})\n", key.name, key.key.id());
        return out;
    });
    return ExitCode::ok;
}

ExitCode run_bundle_trust(const Call& call) {
    const std::string action = call.arguments.value("ACTION");
    if (action == "add") return add(call);
    if (action == "list") return list(call);
    if (action == "remove") return remove(call);
    throw UsageError("USAGE-BAD-VALUE", fmt::format("'{}' is not an action", printable(action)),
                     {.remedy = "add, list or remove"});
}

}  // namespace

Command bundle_trust_command() {
    return {
        .name = "bundle trust",
        .summary = "Say whose bundles are used: add, list and remove public keys",
        .examples =
            "slipway bundle trust add release.pub\n"
            "slipway bundle trust list\n"
            "slipway bundle trust remove release",
        .details =
            "A bundle is used only when one of these keys has signed it, or one named with "
            "--key.\n"
            "Keys lie in ~/.config/slipway/trusted-keys and /etc/slipway/trusted-keys. To change "
            "a\n"
            "key, sign with both, add the new one everywhere, then remove the old one. The list "
            "also\n"
            "shows which bundles were let in by --allow-unsigned, by whom and when.",
        .options = {{.name = "--name",
                     .value = "NAME",
                     .help = "what the key is called here; the name of the file by default"},
                    {.name = "--system",
                     .help = "add it for all users, in /etc/slipway/trusted-keys"}},
        .positionals = {{.name = "ACTION",
                         .help = "add, list or remove",
                         .required = true,
                         .complete = Complete::choices,
                         .choices = {"add", "list", "remove"}},
                        {.name = "KEY",
                         .help = "a .pub file to add; a name or key id to remove",
                         .complete = Complete::file}},
        .run = run_bundle_trust};
}

}  // namespace slipway::cli
