#include "config/local_files.hpp"

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "config/patch_file.hpp"
#include "config/render.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>

#include <fmt/format.h>

#include <unistd.h>

namespace slipway::config {

namespace {

namespace fs = std::filesystem;

// Whether a program of that name could be started.
bool is_program(const std::string& name) {
    const auto runs = [](const std::string& path) {
        std::error_code error;
        return fs::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
    };
    if (name.find('/') != std::string::npos) return runs(name);
    const char* path = std::getenv("PATH");
    const std::vector<std::string> folders =
        split(path == nullptr ? "/usr/local/bin:/usr/bin:/bin" : path, ':');
    return std::ranges::any_of(
        folders, [&](const std::string& folder) { return runs(folder + "/" + name); });
}

class LocalFiles {
  public:
    explicit LocalFiles(const LoadedSpec& loaded)
        : loaded_(loaded),
          hooks_(loaded.spec.hooks),
          // The names are the same for all hosts.
          on_host_(template_values(loaded.spec,
                                   loaded.spec.hosts.empty() ? &kSomeHost : &loaded.spec.hosts[0])),
          here_(template_values(loaded.spec, nullptr)) {}

    std::vector<Problem> run() {
        for (std::size_t i = 0; i < hooks_.files.size(); ++i)
            check_copy(hooks_.files[i], fmt::format("hooks.files[{}]", i));
        check_same_place();
        check_scripts(hooks_.pre_install, "preInstall");
        check_scripts(hooks_.post_cluster_ready, "postClusterReady");
        check_scripts(hooks_.post_install, "postInstall");
        check_programs(hooks_.operator_pre_install, "operatorPreInstall");
        check_programs(hooks_.operator_post_cluster_ready, "operatorPostClusterReady");
        check_programs(hooks_.operator_post_install, "operatorPostInstall");
        check_patches();
        check_platform_files();
        check_components();
        return std::move(problems_);
    }

  private:
    static inline const Host kSomeHost{};

    void add(std::string_view id, const std::string& path, std::string what, std::string todo) {
        problems_.push_back({.id = std::string(id),
                             .where = loaded_.place(path),
                             .path = path,
                             .what = std::move(what),
                             .todo = std::move(todo)});
    }

    // Of a text in the spec; how its lines lie in the file only YAML knows.
    void check_text(const std::string& text, const StringMap& values, const std::string& path) {
        const bool long_text = text.find('\n') != std::string::npos;
        for (const RenderFault& fault : render(text, values).faults) {
            add("SPEC-TEMPLATE", path,
                long_text ? fmt::format("line {} of the text: {}", fault.line, fault.what)
                          : fault.what,
                fault.todo);
        }
    }

    void check_env(const StringMap& env, const StringMap& values, const std::string& path) {
        for (const auto& [name, value] : env) check_text(value, values, path + ".env." + name);
    }

    void check_file_text(const std::string& file, std::uint64_t limit, const std::string& path) {
        try {
            for (const RenderFault& fault : render(read_file(file, limit), on_host_).faults) {
                problems_.push_back(
                    {.id = "SPEC-TEMPLATE",
                     .where = {.file = file, .line = fault.line, .column = fault.column},
                     .path = path,
                     .what = fault.what,
                     .todo = fault.todo});
            }
        } catch (const UserError& error) {
            add("SPEC-LOCAL-FILE", path, error.message(), "check the file");
        }
    }

    void check_copy(const FileCopy& copy, const std::string& path) {
        if (copy.from.empty()) return;
        listings_.push_back(list_copy(copy));
        for (const Fault& fault : listings_.back().faults)
            add("SPEC-LOCAL-FILE", path + ".from", fault.what, fault.todo);
        if (!copy.is_template) return;
        for (const CopiedFile& file : listings_.back().files)
            check_file_text(file.from, kLargestCopy, path);
    }

    // Two files for one place on one host: which of them wins would be anyone's guess.
    void check_same_place() {
        if (listings_.size() != hooks_.files.size()) return;
        std::set<std::vector<Role>> kinds_of_host;
        for (const Host& host : loaded_.spec.hosts) kinds_of_host.insert(host.roles);
        std::set<std::pair<std::size_t, std::string>> told;
        for (const std::vector<Role>& roles : kinds_of_host) {
            std::map<std::string, std::size_t> taken;
            for (std::size_t i = 0; i < listings_.size(); ++i) {
                if (!is_for(hooks_.files[i].roles, roles)) continue;
                for (const CopiedFile& file : listings_[i].files) {
                    const auto [first, is_new] = taken.emplace(file.to, i);
                    if (is_new || !told.emplace(i, file.to).second) continue;
                    add("SPEC-DUPLICATE-NAME", fmt::format("hooks.files[{}].to", i),
                        fmt::format("{} is already written by hooks.files[{}]", printable(file.to),
                                    first->second),
                        "give them different places or roles");
                }
            }
        }
    }

    static bool is_for(const std::vector<Role>& wanted, const std::vector<Role>& roles) {
        return wanted.empty() || std::ranges::any_of(wanted, [&](Role role) {
                   return std::ranges::find(roles, role) != roles.end();
               });
    }

    void check_scripts(const std::vector<Script>& scripts, std::string_view key) {
        for (std::size_t i = 0; i < scripts.size(); ++i) {
            const Script& script = scripts[i];
            const std::string path = fmt::format("hooks.{}[{}]", key, i);
            check_env(script.env, on_host_, path);
            if (script.file.empty()) {
                if (script.is_template) check_text(script.script, on_host_, path + ".script");
                continue;
            }
            const std::size_t before = problems_.size();
            check_readable(script.file, path + ".file", kLargestScript);
            if (script.is_template && problems_.size() == before)
                check_file_text(script.file, kLargestScript, path);
        }
    }

    void check_patches() {
        const Tuning& tuning = loaded_.spec.kubernetes.tuning;
        const std::pair<const char*, const ComponentTuning&> all[] = {
            {"apiServer", tuning.api_server},
            {"controllerManager", tuning.controller_manager},
            {"scheduler", tuning.scheduler},
            {"kubelet", tuning.kubelet},
            {"kubeProxy", tuning.kube_proxy}};
        for (const auto& [component, part] : all) {
            for (std::size_t i = 0; i < part.patches.size(); ++i) {
                check_patch(part.patches[i],
                            fmt::format("kubernetes.tuning.{}.patches[{}]", component, i));
            }
        }
        const std::vector<std::string>& of_etcd = loaded_.spec.etcd.patches;
        for (std::size_t i = 0; i < of_etcd.size(); ++i)
            check_patch(of_etcd[i], fmt::format("etcd.patches[{}]", i));
    }

    void check_platform_files() {
        const Spec& spec = loaded_.spec;
        for (std::size_t i = 0; i < spec.runtime.patches.size(); ++i)
            check_readable(spec.runtime.patches[i], fmt::format("runtime.patches[{}]", i),
                           kLargestManifest);
        for (std::size_t i = 0; i < spec.registry.logins.size(); ++i) {
            const std::string& file = spec.registry.logins[i].ca_file;
            if (!file.empty())
                check_readable(file, fmt::format("registry.logins[{}].caFile", i),
                               kLargestManifest);
        }
    }

    void check_patch(const std::string& file, const std::string& path) {
        try {
            read_patch(file);
        } catch (const UserError& error) {
            add("SPEC-LOCAL-FILE", path,
                error.cause().empty() ? error.message()
                                      : fmt::format("{}: {}", error.message(), error.cause()),
                "correct the file, or its path");
        }
    }

    void check_readable(const std::string& file, const std::string& path, std::uint64_t most) {
        std::error_code error;
        const fs::file_status status = fs::status(file, error);
        const std::string name = printable(file);
        if (!fs::exists(status)) {
            add("SPEC-LOCAL-FILE", path, name + " is not there", "correct the path");
        } else if (!fs::is_regular_file(status)) {
            add("SPEC-LOCAL-FILE", path, name + " is not a regular file",
                most == kLargestScript ? "name a script" : "name a file");
        } else if (::access(file.c_str(), R_OK) != 0) {
            add("SPEC-LOCAL-FILE", path, name + " cannot be read", "check its permissions");
        } else if (fs::file_size(file, error) > most) {
            add("SPEC-LOCAL-FILE", path, fmt::format("{} is larger than {} MiB", name, most >> 20),
                most == kLargestScript ? "copy what it carries with hooks.files"
                                       : "divide it into several");
        }
    }

    void check_components() {
        for (std::size_t i = 0; i < loaded_.spec.components.size(); ++i) {
            const Component& one = loaded_.spec.components[i];
            const std::string path = fmt::format("components[{}]", i);
            if (!one.values_file.empty())
                check_readable(one.values_file, path + ".valuesFile", kLargestManifest);
            for (std::size_t j = 0; j < one.manifests.size(); ++j)
                check_readable(one.manifests[j], fmt::format("{}.manifests[{}]", path, j),
                               kLargestManifest);
        }
    }

    void check_programs(const std::vector<OperatorHook>& hooks, std::string_view key) {
        for (std::size_t i = 0; i < hooks.size(); ++i) {
            const std::string path = fmt::format("hooks.{}[{}]", key, i);
            check_env(hooks[i].env, here_, path);
            if (hooks[i].command.empty() || hooks[i].command[0].empty()) continue;
            const std::string& program = hooks[i].command[0];
            if (is_program(program)) continue;
            const bool in_path = program.find('/') == std::string::npos;
            add("SPEC-LOCAL-FILE", path + ".command[0]",
                in_path ? fmt::format("there is no program {} in PATH", printable(program))
                        : fmt::format("{} is not there, or not executable", printable(program)),
                in_path ? "install it, or write its path" : "correct the path, or chmod +x");
        }
    }

    const LoadedSpec& loaded_;
    const Hooks& hooks_;
    const StringMap on_host_;
    const StringMap here_;
    std::vector<CopyListing> listings_;
    std::vector<Problem> problems_;
};

}  // namespace

std::vector<Problem> check_local_files(const LoadedSpec& loaded) {
    return LocalFiles(loaded).run();
}

}  // namespace slipway::config
