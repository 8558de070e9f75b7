#include "oci/packages/deb_release.hpp"

#include "base/text.hpp"
#include "oci/packages/deb_control.hpp"
#include "oci/packages/repository_errors.hpp"

#include <algorithm>
#include <charconv>
#include <ctime>

#include <fmt/format.h>

namespace slipway::oci::packages {

namespace {

std::vector<std::string> words_of(std::string_view line) {
    std::vector<std::string> out;
    for (std::string& word : split(line, ' ')) {
        if (!word.empty()) out.push_back(std::move(word));
    }
    return out;
}

// Sat, 10 Feb 2024 11:07:25 UTC
std::chrono::sys_seconds parse_date(const std::string& text, const std::string& what) {
    std::tm parts{};
    const char* end = ::strptime(text.c_str(), "%a, %d %b %Y %H:%M:%S", &parts);
    if (end == nullptr) repository_invalid(what, "its Valid-Until is not a date");
    return std::chrono::sys_seconds(std::chrono::seconds(::timegm(&parts)));
}

void read_files(std::string_view field, DebRelease& out, const std::string& what) {
    for (const std::string& line : split(field, '\n')) {
        const std::vector<std::string> words = words_of(line);
        if (words.empty()) continue;
        DebRelease::File file;
        const auto digest = Digest::try_parse("sha256:" + words[0]);
        if (words.size() != 3 || !digest) repository_invalid(what, "a line of SHA256 is wrong");
        const char* end = words[1].data() + words[1].size();
        const auto read = std::from_chars(words[1].data(), end, file.size);
        if (read.ec != std::errc() || read.ptr != end) {
            repository_invalid(what, "a size in SHA256 is wrong");
        }
        file.digest = *digest;
        out.files.emplace(words[2], file);
    }
}

}  // namespace

DebRelease parse_release(std::string_view text, const std::string& what) {
    MemoryStream stream{std::string(text)};
    const std::optional<Stanza> stanza = ControlReader(stream, what).next();
    if (!stanza) repository_invalid(what, "it is empty");
    DebRelease out{.suite = std::string(stanza->get("Suite")),
                   .codename = std::string(stanza->get("Codename")),
                   .by_hash = stanza->get("Acquire-By-Hash") == "yes"};
    read_files(stanza->get("SHA256"), out, what);
    if (out.files.empty()) repository_invalid(what, "it names no files with SHA256");
    const std::vector<std::string> architectures = words_of(stanza->get("Architectures"));
    out.all_is_apart = std::ranges::find(architectures, "all") != architectures.end() &&
                       stanza->get("No-Support-for-Architecture-all") != "Packages";
    if (const std::string until(stanza->get("Valid-Until")); !until.empty()) {
        out.valid_until = parse_date(until, what);
    }
    return out;
}

bool is_of_suite(const DebRelease& release, std::string_view asked) {
    const auto is_it = [&](std::string_view name) {
        return name == release.suite || name == release.codename;
    };
    if (release.suite.empty() && release.codename.empty()) return true;
    while (asked.ends_with('/')) asked.remove_suffix(1);
    // bookworm/updates calls itself bookworm.
    return is_it(asked) || is_it(asked.substr(0, asked.rfind('/')));
}

std::string without_signature(std::string_view in_release) {
    constexpr std::string_view kBegin = "-----BEGIN PGP SIGNED MESSAGE-----";
    if (!in_release.starts_with(kBegin)) return std::string(in_release);
    std::string out;
    bool in_text = false;
    for (const std::string& line : split(in_release, '\n')) {
        if (line.starts_with("-----BEGIN PGP SIGNATURE")) break;
        const bool escaped = line.starts_with("- ");
        if (in_text) out += (escaped ? line.substr(2) : line) + "\n";
        if (trim(line).empty()) in_text = true;
    }
    return out;
}

}  // namespace slipway::oci::packages
