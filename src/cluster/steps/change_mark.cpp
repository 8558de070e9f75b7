#include "cluster/steps/change_mark.hpp"

#include "base/json.hpp"

namespace slipway::cluster {

FilesOnHost files_on_host(engine::Context& c, const std::vector<std::string>& paths) {
    FilesOnHost out;
    for (const std::string& path : paths) out[path] = c.host().read_file(path, c.call());
    return out;
}

void put_files_back(engine::Context& c, const FilesOnHost& files) {
    for (const auto& [path, file] : files) {
        if (file)
            c.host().write_file(path, *file, c.call());
        else
            c.host().remove_file(path, c.call());
    }
}

bool ChangeMark::is_there(engine::Context& c) const {
    return c.host().file_info(path_, c.call()).has_value();
}

std::optional<Before> ChangeMark::read(engine::Context& c) const {
    const auto found = c.host().read_file(path_, c.call());
    if (!found) return std::nullopt;
    const json::value value = parse_json(found->content, path_);
    Before out;
    for (const auto& entry : value.at("files").as_object()) {
        std::optional<remote::FileState>& file = out.files[std::string(entry.key())];
        if (entry.value().is_null()) continue;
        const json::object& state = entry.value().as_object();
        file = remote::FileState{.content = string_at(state, "content"),
                                 .mode = static_cast<unsigned>(int_at(state, "mode"))};
    }
    const json::object& made = value.at("made").as_object();
    for (const auto& entry : made)
        out.made[std::string(entry.key())] = string_at(made, std::string(entry.key()));
    return out;
}

// For root alone, as the files in it may be.
void ChangeMark::leave(engine::Context& c, const Before& before) const {
    json::object files, made;
    for (const auto& [path, file] : before.files) {
        files[path] =
            file ? json::value(json::object{{"content", file->content}, {"mode", file->mode}})
                 : json::value(nullptr);
    }
    for (const auto& [path, id] : before.made) made[path] = id;
    const json::object all = {
        {"version", 1}, {"files", std::move(files)}, {"made", std::move(made)}};
    c.host().write_file(path_, {.content = json::serialize(all), .mode = 0600}, c.call());
}

void ChangeMark::remove(engine::Context& c) const { c.host().remove_file(path_, c.call()); }

}  // namespace slipway::cluster
