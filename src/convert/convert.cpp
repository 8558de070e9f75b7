#include "convert/convert.hpp"

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "convert/formats.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include <fmt/format.h>

namespace slipway::convert {

namespace {

constexpr std::size_t kMostComments = 200;
constexpr std::size_t kLongestComment = 400;

[[noreturn]] void unknown(const std::string& file, const std::optional<Format>& wanted) {
    throw UserError(
        "CONVERT-UNKNOWN",
        wanted ? fmt::format("{} is no file of {}", printable(file), to_string(*wanted))
               : fmt::format("{} is of no format that can be converted", printable(file)),
        {.cause =
             "it has neither cluster and Config, nor an apiVersion of kubekey.kubesphere.io with "
             "kind Cluster or Inventory",
         .remedy = "name a tke.json, or a cluster file of KubeKey"});
}

// False when no document is of that format.
bool read_as(Format format, Mapper& map, const std::vector<View>& roots) {
    if (format == Format::tke) {
        if (is_tke(roots.front())) read_tke(map, roots.front());
        return is_tke(roots.front());
    }
    const auto cluster = std::ranges::find_if(roots, is_kubekey);
    if (cluster != roots.end()) {
        read_kubekey(map, *cluster);
        for (const View& root : roots) {
            if (root.path() != cluster->path())
                root.refuse("KubeSphere is not installed; list it as a component");
        }
        return true;
    }
    const auto inventory = std::ranges::find_if(roots, is_kubekey_inventory);
    if (inventory == roots.end()) return false;
    read_kubekey_inventory(map, *inventory);
    for (const View& root : roots) {
        if (root["kind"].text() == "Config") read_kubekey_config(map, root);
    }
    return true;
}

std::string spec_text(const Draft& draft, const std::string& name) {
    return to_yaml(json::object{{"apiVersion", config::kApiVersion},
                                {"kind", config::kKind},
                                {"metadata", json::object{{"name", name}}},
                                {"spec", draft.to_json()}});
}

Judge judge_of(const std::string& name, const MoreProblems& more) {
    return [name, more](const Draft& draft) {
        const config::LoadedSpec loaded =
            config::load_spec({{"the new spec", spec_text(draft, name)}});
        std::vector<config::Problem> problems = loaded.problems;
        if (more) {
            for (config::Problem& problem : more(loaded)) problems.push_back(std::move(problem));
        }
        // A name of another installer for nothing at all is better listed than kept.
        std::erase_if(problems, [](const config::Problem& problem) {
            return problem.severity != config::Severity::error && problem.id != "SPEC-STEP-ALIAS";
        });
        return problems;
    };
}

void sort_and_unite(std::vector<Unsupported>& list) {
    std::ranges::sort(list, [](const Unsupported& a, const Unsupported& b) {
        if (natural_less(a.path, b.path)) return true;
        if (natural_less(b.path, a.path)) return false;
        return std::tie(a.path, a.why) < std::tie(b.path, b.why);
    });
    const auto same = [](const Unsupported& a, const Unsupported& b) {
        return a.path == b.path && a.why == b.why;
    };
    list.erase(std::unique(list.begin(), list.end(), same), list.end());
}

// Only what the spec still refers to after its values were judged.
void forget_unused(std::vector<FoundSecret>& secrets, const std::vector<Taken>& taken) {
    std::set<std::string_view> used;
    for (const Taken& one : taken) used.insert(one.from);
    for (FoundSecret& secret : secrets)
        std::erase_if(secret.from, [&](const std::string& from) { return !used.contains(from); });
    std::erase_if(secrets, [](const FoundSecret& secret) { return secret.from.empty(); });
}

std::string reference_text(const FoundSecret& secret) {
    const auto& [kind, value] = *secret.reference.begin();
    if (!value.is_string()) return std::string(kind);
    return fmt::format("{} {}", std::string_view(kind), std::string_view(value.as_string()));
}

std::string shortened(std::string line) {
    if (line.size() <= kLongestComment) return line;
    std::size_t end = kLongestComment;
    while (end > 0 && (line[end] & 0xc0) == 0x80) --end;  // not inside a character
    return line.substr(0, end) + "…";
}

void comment(std::string& out, std::string_view heading, const std::vector<std::string>& lines) {
    if (lines.empty()) return;
    out += fmt::format("#\n# {}\n", heading);
    for (std::size_t i = 0; i < std::min(lines.size(), kMostComments); ++i)
        out += "#   " + shortened(printable(lines[i])) + "\n";
    if (lines.size() > kMostComments)
        out += fmt::format("#   … and {} more: slipway convert -o json\n",
                           lines.size() - kMostComments);
}

std::string head(const Conversion& conversion, const std::string& file) {
    std::string out = fmt::format("# Made from {} ({}) by slipway convert.\n", printable(file),
                                  to_string(conversion.from));
    comment(out, "To look at before it is used:", conversion.notes);
    std::vector<std::string> secrets, missing;
    for (const FoundSecret& secret : conversion.secrets)
        secrets.push_back(
            fmt::format("{}: that of {}", reference_text(secret), join(secret.from, ", ")));
    comment(out, "Secrets to give:", secrets);
    for (const Unsupported& one : conversion.unsupported)
        missing.push_back(
            fmt::format("{}: {}", one.path.empty() ? "all of it" : one.path, one.why));
    comment(out, "Not taken over:", missing);
    return out;
}

SecretsFrom secrets_from(const Options& options) {
    if (options.prompt_for_secrets) return SecretsFrom::prompt;
    return options.secrets_folder.empty() ? SecretsFrom::environment : SecretsFrom::folder;
}

}  // namespace

std::string_view to_string(Format format) { return format == Format::tke ? "tke" : "kubekey"; }

Conversion convert(const config::Source& source, const Options& options) {
    Document document(source);
    Mapper map(secrets_from(options), options.secrets_folder);
    for (const std::string& file : options.bundles) map.draft.at("bundles").item().set(file);
    for (const char* part : {"hosts", "kubernetes", "etcd", "runtime", "networkPlugin", "registry",
                             "os", "hooks", "storage", "components", "steps"})
        map.draft.at(part);  // in the order of the documentation
    Conversion out;
    bool known = false;
    for (const Format format : {Format::tke, Format::kubekey}) {
        if (known || (options.from && *options.from != format)) continue;
        out.from = format;
        known = read_as(format, map, document.roots());
    }
    if (!known) unknown(source.file, options.from);
    std::vector<Unsupported> refused;
    const std::vector<config::Problem> left =
        refuse_bad_values(map.draft, judge_of(map.cluster, options.more_problems), refused);
    out.valid = left.empty();
    out.cluster = map.cluster;
    out.notes = std::move(map.notes);
    if (options.bundles.empty())
        out.notes.insert(
            out.notes.begin(),
            "bundles: name the bundle with Kubernetes in it; without one the hosts are only "
            "prepared");
    for (const config::Problem& problem : left)
        out.notes.push_back(fmt::format("{}: {}; {}", problem.path, problem.what, problem.todo));
    out.unsupported = document.unsupported();
    out.unsupported.insert(out.unsupported.end(), refused.begin(), refused.end());
    sort_and_unite(out.unsupported);
    out.taken = map.draft.taken();
    if (!map.cluster_from.empty()) out.taken.push_back({map.cluster_from, "metadata.name"});
    out.agreed = document.agreed();
    out.leaves = document.leaves();
    out.secrets = std::move(map.secrets);
    forget_unused(out.secrets, out.taken);
    out.yaml = head(out, source.file) + spec_text(map.draft, map.cluster);
    return out;
}

json::object to_json(const Conversion& conversion) {
    json::array unsupported, secrets, notes, taken;
    for (const Unsupported& one : conversion.unsupported)
        unsupported.push_back(json::object{{"path", one.path}, {"why", one.why}});
    for (const FoundSecret& secret : conversion.secrets) {
        json::array from;
        for (const std::string& path : secret.from) from.emplace_back(path);
        secrets.push_back(json::object{
            {"name", secret.name}, {"reference", secret.reference}, {"from", std::move(from)}});
    }
    for (const std::string& note : conversion.notes) notes.emplace_back(note);
    for (const Taken& one : conversion.taken)
        taken.push_back(json::object{{"from", one.from}, {"to", one.to}});
    return {{"yaml", conversion.yaml},       {"from", to_string(conversion.from)},
            {"valid", conversion.valid},     {"unsupported", std::move(unsupported)},
            {"secrets", std::move(secrets)}, {"notes", std::move(notes)},
            {"taken", std::move(taken)}};
}

void write_secrets(const Conversion& conversion, const std::filesystem::path& folder) {
    for (const FoundSecret& secret : conversion.secrets) {
        const auto there = read_file_if_any(folder / secret.name);
        if (there && *there != secret.value.reveal())
            throw UserError("CONVERT-SECRET-EXISTS",
                            fmt::format("{} holds something else", (folder / secret.name).string()),
                            {.cause = "a secret of the file would be written over it",
                             .remedy = "name another folder with --secrets, or remove the file"});
    }
    make_private_folders(folder);
    for (const FoundSecret& secret : conversion.secrets)
        atomic_write(folder / secret.name, secret.value.reveal(), 0600);
}

}  // namespace slipway::convert
