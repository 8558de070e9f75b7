#include "cluster/resources/file_json.hpp"

#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <charconv>
#include <map>

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

bool is_ascii(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

std::string from_hex(std::string_view hex) {
    std::string out;
    for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
        unsigned byte = 0;
        std::from_chars(hex.data() + i, hex.data() + i + 2, byte, 16);
        out += static_cast<char>(byte);
    }
    return out;
}

std::string parent_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

}  // namespace

json::value bytes_to_json(std::string_view bytes) {
    if (is_ascii(bytes)) return json::value(bytes);
    return json::object{{"hex", to_hex(bytes)}};
}

std::string bytes_from_json(const json::value& value) {
    if (value.is_string()) return std::string(std::string_view(value.as_string()));
    return value.is_object() ? from_hex(string_at(value.as_object(), "hex")) : "";
}

json::object to_json(const remote::FileState& file) {
    json::object out = {
        {"mode", fmt::format("{:04o}", file.mode)}, {"owner", file.owner}, {"group", file.group}};
    if (file.folder) {
        out["folder"] = true;
    } else if (!file.link_target.empty()) {
        out["link"] = file.link_target;
    } else {
        out["content"] = bytes_to_json(file.content);
    }
    return out;
}

remote::FileState file_from_json(const json::value& value) {
    const json::object& object = value.as_object();
    remote::FileState file;
    const std::string mode = string_at(object, "mode", "0644");
    std::from_chars(mode.data(), mode.data() + mode.size(), file.mode, 8);
    file.owner = string_at(object, "owner", "root");
    file.group = string_at(object, "group", "root");
    file.folder = bool_at(object, "folder");
    file.link_target = string_at(object, "link");
    if (const json::value* content = object.if_contains("content")) {
        file.content = bytes_from_json(*content);
    }
    return file;
}

json::value read_path(Target& target, const std::string& path) {
    if (const auto now = target.host.read_file(path, target.call)) return to_json(*now);
    json::array missing;
    for (std::string parent = parent_of(path); !parent.empty(); parent = parent_of(parent)) {
        if (target.host.read_file(parent, target.call)) break;
        missing.emplace_back(parent);
    }
    return json::object{{"absent", true}, {"missing", std::move(missing)}};
}

bool is_absent(const json::value& state) {
    return state.is_object() && bool_at(state.as_object(), "absent");
}

void refuse_file_as_folder(Target& target, const std::string& path) {
    throw RemoteError("FOLDER-IS-FILE",
                      fmt::format("{} on {} is a file, not a folder", path, target.host.name()),
                      {.cause = "something on the host has put a file there",
                       .remedy = "move the file away, then resume",
                       .recovery = Recovery::needs_user});
}

bool remove_folder_if_empty(Target& target, const std::string& path) {
    try {
        target.host.remove_file(path, target.call);
        return true;
    } catch (const RemoteError& e) {
        target.log(fmt::format("{} stays: {}", path, e.message()));
        return false;
    }
}

void restore_path(Target& target, const std::string& path, const json::value& before) {
    if (!is_absent(before)) {
        target.host.write_file(path, file_from_json(before), target.call);
        return;
    }
    const auto now = target.host.read_file(path, target.call);
    if (now && now->folder) {
        if (!remove_folder_if_empty(target, path)) return;
    } else {
        target.host.remove_file(path, target.call);
    }
    for (const json::value& parent : before.at("missing").as_array()) {
        if (!remove_folder_if_empty(target, std::string(std::string_view(parent.as_string()))))
            return;
    }
}

std::string line_changes(std::string_view before, std::string_view after) {
    const auto lines = [](std::string_view text) {
        if (!text.empty() && text.back() == '\n') text.remove_suffix(1);
        return text.empty() ? std::vector<std::string>{} : split(text, '\n');
    };
    // Lines that moved count as unchanged: this is a measure for people, not a patch.
    std::map<std::string, int> balance;
    for (std::string& line : lines(after)) ++balance[std::move(line)];
    for (std::string& line : lines(before)) --balance[std::move(line)];
    int added = 0;
    int removed = 0;
    for (const auto& [line, count] : balance) (count > 0 ? added : removed) += count;
    if (removed == 0) return fmt::format("+{} lines", added);
    if (added == 0) return fmt::format("{} lines", removed);
    return fmt::format("+{} {} lines", added, removed);
}

}  // namespace slipway::cluster
