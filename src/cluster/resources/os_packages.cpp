#include "base/error.hpp"
#include "base/text.hpp"
#include "cluster/resources/file_json.hpp"
#include "cluster/resources/kinds.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

constexpr const char* kFolder = "/var/lib/slipway/packages";

// Packages of Debian and its kin. One of any version will do: what a machine has is not replaced.
class OsPackages : public Resource {
  public:
    explicit OsPackages(std::vector<PackageFile> packages)
        : Resource("packages", ""), packages_(std::move(packages)) {}

    json::value desired() const override {
        json::object out;
        for (const PackageFile& one : packages_) out[one.package] = true;
        return out;
    }

    json::value read(Target& target) const override {
        std::vector<std::string> argv = {"dpkg-query", "-W", "-f",
                                         "${binary:Package} ${db:Status-Status}\\n"};
        for (const PackageFile& one : packages_) argv.push_back(one.package);
        // It ends with 1 when one of them is not known; those that are, it lists all the same.
        const remote::CommandResult listed = target.host.run({.argv = argv}, target.call);
        json::object out;
        for (const PackageFile& one : packages_) out[one.package] = false;
        for (const std::string& line : split(listed.out, '\n')) {
            const std::vector<std::string> words = split(line, ' ');
            if (words.size() != 2 || words[1] != "installed") continue;
            const std::string name = words[0].substr(0, words[0].find(':'));
            if (out.contains(name)) out[name] = true;
        }
        return out;
    }

    engine::Change change(const json::value& now) const override {
        return {"create", "packages " + join(missing(now), ", "), ""};
    }

    void apply(Target& target) const override {
        const std::vector<std::string> wanted = missing(read(target));
        std::vector<std::string> argv = {"dpkg", "--install", "--force-confdef", "--force-confold"};
        target.host.write_file(kFolder, {.content = "", .mode = 0700, .folder = true}, target.call);
        for (const PackageFile& one : packages_) {
            if (std::ranges::find(wanted, one.package) == wanted.end()) continue;
            const std::string path = std::string(kFolder) + "/" + one.file;
            fetch_any(target, one.from, path);
            argv.push_back(path);
        }
        run(target, std::move(argv));
        target.host.remove_tree(kFolder, false, target.call);
    }

    void restore(Target& target, const json::value& before) const override {
        std::vector<std::string> argv = {"dpkg", "--purge"};
        for (const auto& entry : before.as_object()) {
            if (entry.value() == json::value(false)) argv.emplace_back(entry.key());
        }
        if (argv.size() > 2) run(target, std::move(argv));
    }

  private:
    static std::vector<std::string> missing(const json::value& now) {
        std::vector<std::string> out;
        for (const auto& entry : now.as_object()) {
            if (entry.value() == json::value(false)) out.emplace_back(entry.key());
        }
        return out;
    }

    // Nobody is there to answer dpkg's questions, and no service starts before its step.
    static void run(Target& target, std::vector<std::string> argv) {
        const std::string command = argv[0] + " " + argv[1];
        const remote::CommandResult result =
            target.host.run({.argv = std::move(argv),
                             .env = {{"DEBIAN_FRONTEND", "noninteractive"},
                                     {"PATH",
                                      "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:"
                                      "/sbin:/bin"},
                                     {"LC_ALL", "C"}}},
                            target.call);
        if (result.exit_code == 0) return;
        const std::string said(trim(result.err.empty() ? result.out : result.err));
        throw RemoteError(
            "PACKAGES-FAILED",
            fmt::format("'{}' ended with {} on {}", command, result.exit_code, target.host.name()),
            {.cause = printable(said.substr(said.size() > 600 ? said.size() - 600 : 0)),
             .remedy = "see what dpkg says, mend it on the host, then resume"});
    }

    std::vector<PackageFile> packages_;
};

}  // namespace

ResourcePtr os_packages(std::vector<PackageFile> packages) {
    return std::make_shared<OsPackages>(std::move(packages));
}

}  // namespace slipway::cluster
