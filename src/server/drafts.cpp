#include "server/drafts.hpp"

#include "base/base64.hpp"
#include "base/clock.hpp"
#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "server/names.hpp"
#include "server/problem.hpp"
#include "store/seal.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <sys/stat.h>

namespace slipway::server {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostRemembered = 100;
constexpr std::size_t kLargestRemembered = 64u << 10;
constexpr std::chrono::seconds kRemembered{10};
constexpr const char* kClusters = "clusters.json";

std::int64_t modified_ms(const fs::path& file) {
    struct stat about{};
    if (::stat(file.c_str(), &about) != 0) return 0;
    return static_cast<std::int64_t>(about.st_mtim.tv_sec) * 1000 +
           about.st_mtim.tv_nsec / 1'000'000;
}

[[noreturn]] void no_draft(const std::string& name) {
    throw Problem(404, "SERVER-NOT-FOUND", fmt::format("there is no draft '{}'", name));
}

[[noreturn]] void moved(const std::string& name) {
    throw Problem(412, "SERVER-PRECONDITION", fmt::format("draft '{}' has changed", name),
                  {.cause = "someone else changed, made or removed it meanwhile",
                   .remedy = "load it again and repeat the change"});
}

bool is_prompt(const json::object& holder, std::string_view key) {
    const json::value* reference = holder.if_contains(key);
    return reference != nullptr && reference->is_object() &&
           bool_at(reference->get_object(), "prompt");
}

void add_host_secrets(const json::object& host, std::size_t index, std::vector<WantedSecret>& out) {
    const std::string name = string_at(host, "name");
    const auto add = [&](std::string_view field, std::string_view what) {
        out.push_back({.path = fmt::format("hosts.{}.{}", name, field),
                       .question = fmt::format("{} of {}", what, name),
                       .place = fmt::format("hosts[{}].{}", index, field)});
    };
    if (is_prompt(host, "password")) add("password", "login password");
    if (is_prompt(host, "key")) add("key", "private key");
    const json::value* become = host.if_contains("become");
    if (become != nullptr && become->is_object() && is_prompt(become->get_object(), "password"))
        add("become.password", "sudo password");
}

json::object object_in(const fs::path& file) {
    const auto text = read_file_if_any(file);
    if (!text) return {};
    json::value value = parse_json(*text, file.string());
    return value.is_object() ? std::move(value.get_object()) : json::object();
}

store::Sealer sealer(const fs::path& folder) {
    return store::Sealer::create_or_open(folder.parent_path() / "secrets.key");
}

json::object looked(const Children& children, const std::string& yaml,
                    const std::vector<std::string>& more) {
    std::vector<std::string> words = {"validate", "-c", "-", "--effective"};
    words.insert(words.end(), more.begin(), more.end());
    return children
        .run({.words = std::move(words),
              .input = Secret(yaml.empty() ? "\n" : yaml),
              .deadline = std::chrono::seconds(60)})
        .object();
}

}  // namespace

std::string etag_of(std::string_view text) {
    return fmt::format("\"{}\"", sha256_hex(text).substr(0, 32));
}

Secret answers_text(const std::map<std::string, Secret>& by_question) {
    std::string text = "{";
    for (const auto& [question, answer] : by_question) {
        std::string quoted = json::serialize(json::string(answer.reveal()));
        text += fmt::format("{}{}:", text.size() > 1 ? "," : "",
                            json::serialize(json::string(question)));
        text += quoted;
        wipe(quoted);
    }
    text += '}';
    Secret out(text);
    wipe(text);
    return out;
}

Drafts::Drafts(fs::path folder, const Children& children)
    : folder_(std::move(folder)), children_(children) {}

fs::path Drafts::file(const std::string& name) const {
    if (!is_draft_name(name)) no_draft(printable(name));
    return folder_ / (name + ".yaml");
}

std::optional<Draft> Drafts::find(const std::string& name) const {
    const fs::path path = file(name);
    auto text = read_file_if_any(path);
    if (!text) return std::nullopt;
    Draft out{.name = name, .yaml = *std::move(text), .updated_ms = modified_ms(path)};
    out.etag = etag_of(out.yaml);
    return out;
}

Draft Drafts::require(const std::string& name) const {
    if (auto draft = find(name)) return *std::move(draft);
    no_draft(name);
}

std::vector<Draft> Drafts::list() const {
    std::vector<std::string> names;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(folder_, none)) {
        const std::string name = entry.path().stem().string();
        if (entry.path().extension() == ".yaml" && is_draft_name(name)) names.push_back(name);
    }
    std::ranges::sort(names, natural_less);
    std::vector<Draft> out;
    for (const std::string& name : names) {
        if (auto draft = find(name)) out.push_back(*std::move(draft));
    }
    return out;
}

Draft Drafts::put(const std::string& name, const std::string& yaml, const std::string& expected) {
    if (!is_draft_name(name))
        throw Problem(422, "SERVER-BAD-REQUEST",
                      fmt::format("'{}' cannot be the name of a draft", printable(name)),
                      {.remedy = "use lower case letters, digits, dots and dashes, at most 63"});
    const Lock lock(writing_);
    const auto now = find(name);
    if ((now ? now->etag : "") != expected) moved(name);
    atomic_write(file(name), yaml, 0600);
    return require(name);
}

void Drafts::remove(const std::string& name, const std::string& expected) {
    const Lock lock(writing_);
    const Draft now = require(name);
    if (!expected.empty() && now.etag != expected) moved(name);
    // Its secrets first: cut off in between, they must not wait for the next draft of that name.
    std::error_code none;
    for (const char* beside : {".sealed", ".origin"}) fs::remove(folder_ / (name + beside), none);
    fs::remove(file(name));
    sync_folder(folder_);
}

json::object Drafts::look_at(const std::string& yaml) const {
    const std::string hash = sha256_hex(yaml);
    {
        const Lock lock(mutex_);
        const SteadyTime now = system_clock().steady();
        std::erase_if(looks_, [&](const auto& item) { return item.second.until < now; });
        if (const auto found = looks_.find(hash); found != looks_.end()) return found->second.seen;
    }
    json::object seen = looked(children_, yaml, {"--relative-to", folder_.string()});
    if (yaml.size() > kLargestRemembered) return seen;
    const Lock lock(mutex_);
    if (looks_.size() >= kMostRemembered) looks_.clear();
    looks_[hash] = {.seen = seen, .until = system_clock().steady() + kRemembered};
    return seen;
}

json::object Drafts::look_at_text(const std::string& yaml) const {
    return looked(children_, yaml, {"--no-files"});
}

std::vector<WantedSecret> Drafts::wanted_secrets(const Draft& draft) const {
    std::vector<WantedSecret> out;
    const json::object seen = look_at(draft.yaml);
    const json::value* spec = seen.if_contains("effective");
    if (spec == nullptr) spec = seen.if_contains("spec");
    if (spec == nullptr || !spec->is_object()) return out;
    const json::value* hosts = spec->get_object().if_contains("hosts");
    if (const json::value* inner = spec->get_object().if_contains("spec");
        hosts == nullptr && inner != nullptr && inner->is_object())
        hosts = inner->get_object().if_contains("hosts");
    if (hosts == nullptr || !hosts->is_array()) return out;
    const json::array& list = hosts->get_array();
    for (std::size_t i = 0; i < list.size(); ++i) {
        if (list[i].is_object()) add_host_secrets(list[i].get_object(), i, out);
    }
    return out;
}

json::object Drafts::sealed(const std::string& name) const {
    return object_in(folder_ / (name + ".sealed"));
}

bool Drafts::has_secret(const std::string& name, const std::string& path) const {
    return sealed(name).contains(path);
}

void Drafts::keep_secret(const std::string& name, const std::string& path, const Secret& value) {
    const Lock lock(writing_);
    json::object all = sealed(name);
    const std::string bytes = sealer(folder_).seal(name + "/" + path, value);
    all[path] = to_base64(bytes).reveal();
    atomic_write(folder_ / (name + ".sealed"), json::serialize(all), 0600);
}

void Drafts::replace_secrets(const std::string& name,
                             const std::map<std::string, Secret>& by_path) {
    const Lock lock(writing_);
    const store::Sealer key = sealer(folder_);
    json::object all;
    for (const auto& [path, value] : by_path)
        all[path] = to_base64(key.seal(name + "/" + path, value)).reveal();
    atomic_write(folder_ / (name + ".sealed"), json::serialize(all), 0600);
}

bool Drafts::forget_secret(const std::string& name, const std::string& path) {
    const Lock lock(writing_);
    json::object all = sealed(name);
    if (all.erase(path) == 0) return false;
    atomic_write(folder_ / (name + ".sealed"), json::serialize(all), 0600);
    return true;
}

Secret Drafts::answers(const Draft& draft) const {
    const json::object kept = sealed(draft.name);
    if (kept.empty()) return {};
    const store::Sealer key = sealer(folder_);
    std::map<std::string, Secret> by_question;
    for (const WantedSecret& wanted : wanted_secrets(draft)) {
        const auto bytes = from_base64(string_at(kept, wanted.path));
        if (!kept.contains(wanted.path) || !bytes) continue;
        by_question[wanted.question] = key.open(draft.name + "/" + wanted.path, bytes->reveal());
    }
    return answers_text(by_question);
}

void Drafts::set_origin(const std::string& name, const json::object& origin) {
    file(name);  // a name that stays in the folder
    const Lock lock(writing_);
    atomic_write(folder_ / (name + ".origin"), json::serialize(origin), 0600);
}

std::optional<json::object> Drafts::origin(const std::string& name) const {
    const auto draft = find(name);
    if (!draft) return std::nullopt;
    json::object out = object_in(folder_ / (name + ".origin"));
    if (string_at(out, "etag") != draft->etag) return std::nullopt;
    return out;
}

json::object Drafts::clusters() const { return object_in(folder_ / kClusters); }

void Drafts::set_cluster(const std::string& cluster, const std::string& draft) {
    const Lock lock(writing_);
    json::object all = clusters();
    if (string_at(all, cluster) == draft) return;
    all[cluster] = draft;
    atomic_write(folder_ / kClusters, json::serialize(all), 0600);
}

std::string Drafts::draft_of(const std::string& cluster) const {
    return string_at(clusters(), cluster);
}

}  // namespace slipway::server
