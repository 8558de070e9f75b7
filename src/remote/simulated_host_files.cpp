// The calls of a simulated host about files: small ones with their content, large ones by size and
// digest alone.
#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "remote/local_file.hpp"
#include "remote/machine.hpp"
#include "remote/simulated_host_calls.hpp"

#include <fmt/format.h>

namespace slipway::remote {

namespace {

std::uint64_t size_of(const ModelFile& file) {
    return file.content_kept() ? file.content.size() : file.size;
}

std::string digest_of(const ModelFile& file) {
    if (file.folder || !file.link_target.empty()) return "";
    return file.content_kept() ? sha256_hex(file.content) : file.sha256;
}

bool is_there(const Model& model, const std::string& path, const std::string& sha256,
              unsigned mode) {
    const ModelFile* file = model.file(path);
    return file != nullptr && file->mode == mode && digest_of(*file) == sha256;
}

// What the profile says the server has. A URL it does not name has whatever is asked for: the
// simulation needs no servers, only what would be on the machine afterwards.
ModelFile served(const HostProfile& profile, const Fetch& what) {
    const auto found = profile.fetchable.find(what.url);
    if (found == profile.fetchable.end()) {
        if (!what.url.starts_with("http://") && !what.url.starts_with("https://")) {
            throw RemoteError("HOST-FETCH", fmt::format("no URL: {}", printable(what.url)),
                              {.cause = "files come over http or https",
                               .remedy = "check the address of the bundle"});
        }
        return {{.content = "", .mode = what.mode}, what.size, what.sha256};
    }
    if (sha256_hex(found->second) != what.sha256) {
        throw RemoteError("HOST-DIGEST",
                          fmt::format("{} is not the file that was asked for", printable(what.url)),
                          {.cause = "its digest is another one: it was changed or damaged",
                           .remedy = "verify the bundle and serve it anew"});
    }
    return FileState{.content = found->second, .mode = what.mode};
}

// "containerd.tar.gz" of https://HOST/v2/…/containerd.tar.gz/blobs/sha256:…; "" of anything else.
std::string archive_name(const std::string& url) {
    const std::string path = url.substr(0, url.find("/blobs/"));
    std::string name = path.substr(path.rfind('/') + 1);
    const bool archive =
        name.ends_with(".tar") || name.ends_with(".tar.gz") || name.ends_with(".tgz");
    return archive ? name : "";
}

}  // namespace

std::optional<FileState> SimulatedHost::read_file(const std::string& path,
                                                  const CallOptions& call) {
    return ask(Call::read, path, call, [&](const Model& model) -> std::optional<FileState> {
        const ModelFile* file = model.file(path);
        if (file == nullptr) return std::nullopt;
        if (!file->content_kept()) {
            throw RemoteError("HOST-FILE",
                              fmt::format("{}: the content of {} cannot be read", name_, path),
                              {.cause = "it was uploaded or fetched, and a simulated machine keeps "
                                        "only size and digest of such files",
                               .remedy = "ask for its digest instead of its content"});
        }
        return *file;
    });
}

void SimulatedHost::write_file(const std::string& path, const FileState& file,
                               const CallOptions& call) {
    change(Call::write, path, call, [&](Model& model) { machine::write_file(model, path, file); });
}

void SimulatedHost::remove_file(const std::string& path, const CallOptions& call) {
    change(Call::write, path, call, [&](Model& model) { machine::remove_file(model, path); });
}

void SimulatedHost::remove_tree(const std::string& path, bool keep_top, const CallOptions& call) {
    change(Call::write, path, call,
           [&](Model& model) { machine::remove_tree(model, path, keep_top); });
}

std::optional<FileInfo> SimulatedHost::file_info(const std::string& path, const CallOptions& call) {
    return ask(Call::read, path, call, [&](const Model& model) -> std::optional<FileInfo> {
        const ModelFile* file = model.file(path);
        if (file == nullptr) return std::nullopt;
        return FileInfo{.folder = file->folder,
                        .link_target = file->link_target,
                        .mode = file->mode,
                        .owner = file->owner,
                        .group = file->group,
                        .size = size_of(*file),
                        .sha256 = digest_of(*file)};
    });
}

std::optional<std::vector<std::string>> SimulatedHost::list_folder(const std::string& path,
                                                                   const CallOptions& call) {
    using Names = std::vector<std::string>;
    return ask(Call::read, path, call, [&](const Model& model) -> std::optional<Names> {
        const ModelFile* folder = model.file(path);
        if (folder == nullptr || !folder->folder) return std::nullopt;
        Names names;
        for (const std::string& inside : model.names(Section::file, path + "/")) {
            std::string name = inside.substr(path.size() + 1);
            if (name.find('/') == std::string::npos) names.push_back(std::move(name));
        }
        return names;
    });
}

Uploaded SimulatedHost::upload(const Upload& what,
                               const std::function<void(std::uint64_t)>& progress,
                               const CallOptions& call) {
    // A digest and a size that are given are believed: a thousand machines would each read it all.
    const std::uint64_t size = what.size != 0 ? what.size : LocalFile(what.from).size();
    const std::string sha256 =
        what.sha256.empty() ? LocalFile(what.from).digest(call.stop) : what.sha256;
    Uploaded uploaded;
    change(Call::write, what.path, call, [&](Model& model) {
        uploaded.already = is_there(model, what.path, sha256, what.mode);
        if (uploaded.already) return;
        machine::write_file(model, what.path,
                            ModelFile({.content = "", .mode = what.mode}, size, sha256));
        uploaded.sent = size;
    });
    if (progress) progress(size);
    return uploaded;
}

Fetched SimulatedHost::fetch(const Fetch& what, const std::function<void(std::uint64_t)>& progress,
                             const CallOptions& call) {
    Fetched fetched;
    change(Call::write, what.path, call, [&](Model& model) {
        fetched.already = is_there(model, what.path, what.sha256, what.mode);
        if (fetched.already) return;
        const ModelFile file = served(profile_, what);
        if (const std::string name = archive_name(what.url); !name.empty())
            model.set({Section::origin, what.sha256}, name);
        machine::write_file(model, what.path, file);
        fetched.fetched = size_of(file);
    });
    if (progress) progress(fetched.fetched);
    return fetched;
}

}  // namespace slipway::remote
