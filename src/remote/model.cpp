#include "remote/model.hpp"

#include "base/digest.hpp"
#include "base/error.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace slipway::remote {

namespace {

constexpr std::array<std::string_view, 16> kSectionNames = {
    "files",    "units",    "users",      "packages", "sysctls", "modules", "mounts", "swaps",
    "settings", "firewall", "repository", "scripts",  "faults",  "jobs",    "boots",  "origins"};
constexpr std::size_t kStateSections = 10;  // files … firewall

// JSON strings must be UTF-8 and a file on a host need not be: anything beyond ASCII goes as hex.
json::value encode(const std::string& bytes) {
    const auto ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
    if (std::ranges::all_of(bytes, ascii)) return json::value(bytes);
    std::string hex;
    for (const char c : bytes) fmt::format_to(std::back_inserter(hex), "{:02x}", c & 0xff);
    return json::object{{"hex", hex}};
}

std::string decode(const json::value& value) {
    if (value.is_string()) return std::string(std::string_view(value.get_string()));
    const std::string hex = string_at(value.as_object(), "hex");
    std::string out;
    for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
        out.push_back(static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16)));
    }
    return out;
}

json::value to_json(const Value& value) {
    if (const auto* text = std::get_if<std::string>(&value)) return encode(*text);
    if (const auto* unit = std::get_if<UnitState>(&value)) {
        return json::object{{"exists", unit->exists},
                            {"enabled", unit->enabled},
                            {"active", unit->active},
                            {"masked", unit->masked}};
    }
    if (const auto* user = std::get_if<UserState>(&value)) {
        return json::object{{"home", user->home}, {"shell", user->shell}, {"system", user->system}};
    }
    const auto& file = std::get<ModelFile>(value);
    json::object out = {
        {"mode", fmt::format("{:04o}", file.mode)}, {"owner", file.owner}, {"group", file.group}};
    if (file.folder) {
        out["folder"] = true;
    } else if (!file.link_target.empty()) {
        out["link"] = file.link_target;
    } else if (file.content_kept()) {
        out["content"] = encode(file.content);
    } else {
        out["size"] = file.size;
        out["sha256"] = file.sha256;
    }
    return out;
}

Value value_from_json(Section section, const json::value& value) {
    switch (section) {
        case Section::file: {
            const json::object& o = value.as_object();
            const json::value* content = o.if_contains("content");
            return ModelFile({.content = content == nullptr ? "" : decode(*content),
                              .mode = static_cast<unsigned>(
                                  std::stoul(string_at(o, "mode", "0644"), nullptr, 8)),
                              .owner = string_at(o, "owner", "root"),
                              .group = string_at(o, "group", "root"),
                              .folder = bool_at(o, "folder"),
                              .link_target = string_at(o, "link")},
                             static_cast<std::uint64_t>(int_at(o, "size")), string_at(o, "sha256"));
        }
        case Section::unit: {
            const json::object& o = value.as_object();
            return UnitState{.exists = bool_at(o, "exists"),
                             .enabled = bool_at(o, "enabled"),
                             .active = bool_at(o, "active"),
                             .masked = bool_at(o, "masked")};
        }
        case Section::user: {
            const json::object& o = value.as_object();
            return UserState{.home = string_at(o, "home"),
                             .shell = string_at(o, "shell"),
                             .system = bool_at(o, "system", true)};
        }
        default: return decode(value);
    }
}

}  // namespace

std::string_view to_string(Section section) {
    return kSectionNames.at(static_cast<std::size_t>(section));
}

json::object to_json(const Change& change) {
    json::object out = {{"in", to_string(change.key.section)}, {"name", change.key.name}};
    if (change.value) out["value"] = to_json(*change.value);
    return out;
}

Change change_from_json(const json::value& value, std::string_view what) {
    try {
        const json::object& object = value.as_object();
        const std::string_view in = object.at("in").as_string();
        const auto found = std::ranges::find(kSectionNames, in);
        if (found == kSectionNames.end()) throw std::invalid_argument("unknown section");
        const auto section = static_cast<Section>(found - kSectionNames.begin());
        Change change{{section, std::string(std::string_view(object.at("name").as_string()))}, {}};
        if (const json::value* v = object.if_contains("value")) {
            change.value = value_from_json(section, *v);
        }
        return change;
    } catch (const std::exception& e) {
        throw StateError("STATE-DAMAGED",
                         fmt::format("{} holds a change that cannot be read: {}", what, e.what()),
                         {.cause = "the file was changed by something other than Slipway",
                          .remedy = "restore it from a backup of the state folder, or remove it to "
                                    "begin with a fresh simulated machine"});
    }
}

const Value* Model::find_fresh(KeyView key) const {
    const auto found = fresh_->find(key);
    return found == fresh_->end() ? nullptr : &found->second;
}

const Value* Model::find(KeyView key) const {
    if (const auto over = overlay_.find(key); over != overlay_.end()) {
        return over->second ? &*over->second : nullptr;
    }
    return find_fresh(key);
}

const std::string* Model::text(Section section, std::string_view name) const {
    const Value* value = find({section, name});
    return value == nullptr ? nullptr : std::get_if<std::string>(value);
}

const ModelFile* Model::file(std::string_view path) const {
    const Value* value = find({Section::file, path});
    return value == nullptr ? nullptr : std::get_if<ModelFile>(value);
}

const UnitState* Model::unit(std::string_view name) const {
    const Value* value = find({Section::unit, name});
    return value == nullptr ? nullptr : std::get_if<UnitState>(value);
}

const UserState* Model::user(std::string_view name) const {
    const Value* value = find({Section::user, name});
    return value == nullptr ? nullptr : std::get_if<UserState>(value);
}

std::vector<std::string> Model::names(Section section, std::string_view prefix) const {
    const KeyView from{section, prefix};
    const auto inside = [&](const Key& key) {
        return key.section == section && key.name.starts_with(prefix);
    };
    std::vector<std::string> out;
    auto low = fresh_->lower_bound(from);
    auto high = overlay_.lower_bound(from);
    while (true) {
        const bool has_low = low != fresh_->end() && inside(low->first);
        const bool has_high = high != overlay_.end() && inside(high->first);
        if (!has_low && !has_high) return out;
        if (has_low && (!has_high || KeyView(low->first) < KeyView(high->first))) {
            out.push_back((low++)->first.name);
            continue;
        }
        if (has_low && low->first.name == high->first.name) ++low;  // the overlay's entry hides it
        if (high->second) out.push_back(high->first.name);
        ++high;
    }
}

void Model::set(Key key, Value value) {
    touched_ = true;
    const Value* now = find(key);
    if (now != nullptr && *now == value) return;
    put(std::move(key), std::move(value));
}

void Model::remove(const Key& key) {
    touched_ = true;
    if (find(key) != nullptr) put(key, std::nullopt);
}

void Model::put(Key key, std::optional<Value> value) {
    const auto over = overlay_.find(KeyView(key));
    if (over == overlay_.end()) {
        former_.push_back({key, false, std::nullopt});
        overlay_.emplace(key, value);
    } else {
        former_.push_back({key, true, std::move(over->second)});
        over->second = value;
    }
    pending_.push_back({std::move(key), std::move(value)});
}

void Model::commit() {
    pending_.clear();
    former_.clear();
    touched_ = false;
}

void Model::roll_back() {
    for (auto former = former_.rbegin(); former != former_.rend(); ++former) {
        if (former->present) {
            overlay_.find(KeyView(former->key))->second = std::move(former->value);
        } else {
            overlay_.erase(overlay_.find(KeyView(former->key)));
        }
    }
    commit();
}

json::object Model::snapshot() const {
    json::object out;
    for (std::size_t i = 0; i < kStateSections; ++i) {
        const auto section = static_cast<Section>(i);
        json::object entries;
        for (const std::string& name : names(section)) {
            entries[name] = to_json(*find({section, name}));
        }
        out[kSectionNames.at(i)] = std::move(entries);
    }
    return out;
}

std::string Model::fingerprint() const { return sha256_hex(json::serialize(snapshot())); }

}  // namespace slipway::remote
