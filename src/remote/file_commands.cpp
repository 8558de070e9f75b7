// Commands over files: stat, mkdir, cp, mv, tar. Each knows the few forms that steps use.
#include "base/error.hpp"
#include "base/text.hpp"
#include "remote/commands.hpp"
#include "remote/machine.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace slipway::remote::commands {

namespace {

CommandResult not_there(std::string_view program, std::string_view path) {
    return failed(1, fmt::format("{}: {}: No such file or directory\n", program, printable(path)));
}

CommandResult unknown(std::string_view program) {
    return failed(1, fmt::format("{}: this form is not simulated\n", program));
}

std::uint64_t size_of(const ModelFile& file) {
    return file.content_kept() ? file.content.size() : file.size;
}

// What is in the archives of a bundle, as far as anything on a machine asks for it.
struct Archive {
    std::string_view name, members;
};
constexpr std::array<Archive, 5> kArchives = {
    {{"cni-plugins", "bandwidth bridge host-local loopback portmap"},
     {"containerd", "bin/containerd bin/containerd-shim-runc-v2 bin/ctr"},
     {"crictl", "crictl"},
     {"etcd",
      "etcd-v3.6.0-linux-amd64/README.md etcd-v3.6.0-linux-amd64/etcd "
      "etcd-v3.6.0-linux-amd64/etcdctl etcd-v3.6.0-linux-amd64/etcdutl"},
     {"helm", "linux-amd64/LICENSE linux-amd64/helm"}}};

// Of an archive a machine has fetched the content is not kept; where it came from says what it is.
// One that is in no table holds a single program of its own name.
std::vector<std::string> members_of(const Model& model, const ModelFile& file) {
    const std::string* origin = model.text(Section::origin, file.sha256);
    if (origin == nullptr) return {};
    for (const Archive& archive : kArchives) {
        if (origin->starts_with(archive.name)) return split(archive.members, ' ');
    }
    return {origin->substr(0, origin->find('.'))};
}

CommandResult extract(Invocation& in, const std::vector<std::string>& members,
                      const std::string& folder) {
    for (const std::string& member : members) {
        machine::write_file(in.model, folder + "/" + member,
                            FileState{.content = "simulated " + member + "\n", .mode = 0755});
    }
    return {};
}

}  // namespace

CommandResult stat(Invocation& in) {
    if (in.args.size() != 3 || in.args[0] != "-c" || in.args[1] != "%s") return unknown("stat");
    const ModelFile* file = in.model.file(in.args[2]);
    if (file == nullptr) return not_there("stat", in.args[2]);
    return printed(fmt::format("{}\n", size_of(*file)));
}

CommandResult mkdir(Invocation& in) {
    const bool with_mode = in.args.size() == 4 && in.args[1] == "-m";
    if (in.args.empty() || in.args[0] != "-p" || (in.args.size() != 2 && !with_mode))
        return unknown("mkdir");
    const std::string& path = in.args.back();
    if (const ModelFile* there = in.model.file(path)) {
        return there->folder || !there->link_target.empty()
                   ? CommandResult{}
                   : failed(1, fmt::format("mkdir: {}: File exists\n", printable(path)));
    }
    const unsigned mode =
        with_mode ? static_cast<unsigned>(std::stoul(in.args[2], nullptr, 8)) : 0755;
    machine::write_file(in.model, path, FileState{.content = "", .mode = mode, .folder = true});
    return {};
}

CommandResult sync(Invocation& in) {
    if (in.args.empty()) return {};
    if (in.args.size() != 2 || in.args[0] != "-f") return unknown("sync");
    return in.model.file(in.args[1]) == nullptr ? not_there("sync", in.args[1]) : CommandResult{};
}

CommandResult cp(Invocation& in) {
    if (in.args.size() != 4 || in.args[0] != "-a" || in.args[1] != "--") return unknown("cp");
    const ModelFile* from = in.model.file(in.args[2]);
    if (from == nullptr) return not_there("cp", in.args[2]);
    if (from->folder) return unknown("cp");
    machine::write_file(in.model, in.args[3], ModelFile(*from));
    return {};
}

CommandResult mv(Invocation& in) {
    if (in.args.size() != 4 || in.args[0] != "-f" || in.args[1] != "--") return unknown("mv");
    const ModelFile* from = in.model.file(in.args[2]);
    if (from == nullptr) return not_there("mv", in.args[2]);
    if (from->folder) return unknown("mv");
    machine::write_file(in.model, in.args[3], ModelFile(*from));
    in.model.remove({Section::file, in.args[2]});
    return {};
}

CommandResult tar(Invocation& in) {
    if (in.args.size() < 2) return unknown("tar");
    const ModelFile* archive = in.model.file(in.args[1]);
    if (archive == nullptr) return not_there("tar", in.args[1]);
    const std::vector<std::string> members = members_of(in.model, *archive);
    if (members.empty()) return failed(2, "tar: This does not look like a tar archive\n");
    if (in.args[0] == "-tf" && in.args.size() == 2) return printed(join(members, "\n") + "\n");
    const bool extracts = in.args[0] == "-xf" && in.args.size() >= 5 && in.args[2] == "-C" &&
                          in.args[4] == "--no-same-owner";
    const bool strips = in.args.size() > 6 && in.args[5] == "--strip-components=1";
    if (!extracts || (in.args.size() > 5 && !strips)) return unknown("tar");
    if (in.model.file(in.args[3]) == nullptr) return not_there("tar", in.args[3]);
    if (!strips) return extract(in, members, in.args[3]);
    std::vector<std::string> stripped;
    for (const std::string& wanted : in.args.subspan(6)) {
        if (std::ranges::find(members, wanted) == members.end())
            return failed(2, fmt::format("tar: {}: Not found in archive\n", printable(wanted)));
        stripped.push_back(wanted.substr(wanted.find('/') + 1));
    }
    return extract(in, stripped, in.args[3]);
}

}  // namespace slipway::remote::commands
