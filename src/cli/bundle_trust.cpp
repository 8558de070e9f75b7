#include "cli/bundle_trust.hpp"

#include "base/clock.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "cli/bundle_options.hpp"
#include "cli/control.hpp"
#include "cli/state.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

#include <fcntl.h>

namespace slipway::cli {

namespace {

namespace fs = std::filesystem;

fs::path overrides_file(const Arguments& arguments) {
    return state_root(arguments) / "bundle-overrides.jsonl";
}

// One line appended with one write: two programs at once do not mix theirs.
void append_line(const fs::path& path, const std::string& line) {
    make_private_folders(path.parent_path());
    const Fd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
    const bool written =
        file && ::write(file.get(), line.data(), line.size()) == static_cast<ssize_t>(line.size());
    if (written && ::fsync(file.get()) == 0) return;
    throw StateError(
        "STATE-WRITE",
        fmt::format("cannot write {}: {}", printable(path.string()), std::strerror(errno)),
        {.cause = "an override counts only when it is written down",
         .remedy = "name a folder that can be written with --state DIR"});
}

void record_override(const Call& call, const oci::BundleReader& bundle,
                     const oci::Admission& admission) {
    const json::object line = {
        {"time", format_utc(system_clock().wall_ms())},         {"user", user_at_computer()},
        {"contentDigest", bundle.index().content_digest.str()}, {"title", bundle.content().title},
        {"file", fs::absolute(bundle.name()).string()},         {"why", admission.override_why}};
    append_line(overrides_file(call.arguments), json::serialize(line) + "\n");
    call.output.warning(fmt::format("{} is used although {} (--allow-unsigned; written down)",
                                    printable(bundle.name()), admission.override_why));
}

}  // namespace

std::vector<Option> admission_options() {
    return {public_key_option(),
            {.name = "--allow-unsigned",
             .help = "use it although no trusted key has signed it; this is written down"}};
}

fs::path own_trust_folder() {
    const auto variable = [](const char* name) {
        const char* value = std::getenv(name);
        return std::string(value == nullptr ? "" : value);
    };
    if (const std::string xdg = variable("XDG_CONFIG_HOME"); !xdg.empty())
        return fs::path(xdg) / "slipway/trusted-keys";
    if (const std::string home = variable("HOME"); !home.empty())
        return fs::path(home) / ".config/slipway/trusted-keys";
    return system_trust_folder();
}

fs::path system_trust_folder() { return "/etc/slipway/trusted-keys"; }

std::vector<oci::TrustedKey> trusted_here() {
    std::vector<fs::path> folders = {own_trust_folder()};
    if (folders[0] != system_trust_folder()) folders.push_back(system_trust_folder());
    return oci::read_trusted(folders);
}

oci::Admission admit_bundle(const Call& call, const oci::BundleReader& bundle) {
    return admit_bundle(call, bundle,
                        {.keys = call.arguments.values("--key"),
                         .allow_unsigned = call.arguments.has("--allow-unsigned")});
}

oci::Admission admit_bundle(const Call& call, const oci::BundleReader& bundle,
                            const BundleTrust& trust) {
    std::vector<oci::PublicKey> keys;
    for (const std::string& file : trust.keys) keys.push_back(oci::read_public_key(file));
    if (keys.empty()) keys = oci::keys_of(trusted_here());
    return oci::admit(bundle,
                      {.trusted = std::move(keys),
                       .allow_unsigned = trust.allow_unsigned,
                       .record = [&](const oci::BundleReader& b, const oci::Admission& admission) {
                           record_override(call, b, admission);
                       }});
}

void describe_admission(const oci::Admission& admission, json::object& into) {
    into["signedBy"] = admission.signed_by;
    into["override"] = admission.override_why;
}

json::array recorded_overrides(const Arguments& arguments) {
    json::array out;
    const std::string text = read_file_if_any(overrides_file(arguments)).value_or("");
    for (const std::string& line : split(text, '\n')) {
        if (line.empty()) continue;
        try {
            out.push_back(parse_json(line, "an override"));
        } catch (const Error&) {
            out.push_back(json::object{{"damagedLine", line}});  // a power cut: shown, not hidden
        }
    }
    return out;
}

}  // namespace slipway::cli
