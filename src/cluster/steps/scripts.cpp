#include "cluster/steps/scripts.hpp"

#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "cluster/roles.hpp"
#include "cluster/steps/rendering.hpp"
#include "config/local_files.hpp"

#include <algorithm>
#include <deque>

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

// A folder of its own would have to be made and removed with care; /var/lib is there, and root's.
constexpr std::string_view kPathPrefix = "/var/lib/slipway-";
constexpr std::size_t kLastLines = 10;

// One script as it is run; shared where all hosts run the same, because the text may be long and
// the hosts many.
struct ScriptRun {
    config::Script script;  // its environment filled in
    std::string text;
    std::string id;      // of the step
    std::string digest;  // of text and environment
};

std::string text_of(const config::Script& script, const StepInput& in, const std::string& id) {
    if (in.around.undo) return "";
    const std::string text =
        script.file.empty() ? script.script : read_file(script.file, config::kLargestScript);
    return script.is_template ? rendered(text, in, script.file.empty() ? id : script.file) : text;
}

std::shared_ptr<const ScriptRun> make_run(const config::Script& script, const std::string& id,
                                          const StepInput& in) {
    auto run = std::make_shared<ScriptRun>();
    run->script = script;
    run->id = id;
    run->text = text_of(script, in, id);
    if (!in.around.undo) run->script.env = rendered(script.env, in, id);
    Sha256 digest;
    digest.field(run->text);
    for (const auto& [key, value] : run->script.env) digest.field(key).field(value);
    run->digest = digest.hex();
    return run;
}

// Whether what runs may differ from host to host.
bool differs_by_host(const config::Script& script) {
    return script.is_template || std::ranges::any_of(script.env, [](const auto& entry) {
               return entry.second.find("{{") != std::string::npos;
           });
}

void run_script(engine::Context& c, const ScriptRun& run) {
    const std::string path = fmt::format("{}{}", kPathPrefix, run.id);
    c.host().write_file(path, {.content = run.text, .mode = 0700}, c.call());
    std::deque<std::string> last;
    const remote::CommandResult result =
        c.host().run({.argv = {"/bin/bash", path},
                      .env = run.script.env,
                      .job = fmt::format("{}.{}", run.id, c.began_ms()),
                      .follow = c.interrupted(),
                      .deadline = std::chrono::seconds(run.script.timeout_seconds),
                      .on_line =
                          [&](std::string_view stream, std::string_view line) {
                              c.log(stream, line);
                              last.emplace_back(line);
                              if (last.size() > kLastLines) last.pop_front();
                          }},
                     c.call());
    c.host().remove_file(path, c.call());
    if (result.exit_code == 0) return;
    const std::string said = join(std::vector(last.begin(), last.end()), "\n");
    throw RemoteError("SCRIPT-FAILED",
                      fmt::format("script {} ended with {} on {}", run.script.name,
                                  result.exit_code, c.host().name()),
                      {.cause = said.empty() ? "the script wrote nothing" : printable(said, true),
                       .remedy = "correct the script or the host, then resume"});
}

engine::Step script_step(const std::shared_ptr<const ScriptRun>& run) {
    engine::Step step;
    step.id = run->id;
    step.title = fmt::format("Run script {}", run->script.name);
    step.inputs = run->digest;
    step.deadline = std::chrono::seconds(run->script.timeout_seconds);
    // What a script changes cannot be seen from outside: it is done when the journal says so.
    step.probe = [run](engine::Context& c) {
        engine::Probe answer{.done = c.recorded_as_done()};
        if (!answer.done) answer.changes.push_back({"run", "script " + run->script.name, ""});
        return answer;
    };
    step.act = [run](engine::Context& c) { run_script(c, *run); };
    step.verify = [](engine::Context&) {};
    return step;
}

}  // namespace

std::vector<engine::Step> script_steps(const StepInput& in,
                                       const std::vector<config::Script>& scripts,
                                       std::string_view prefix) {
    std::vector<engine::Step> out;
    for (const config::Script& script : scripts) {
        if (!has_any_role(*in.host, script.roles)) continue;
        const std::string id = std::string(prefix) + script.name;
        const std::string key = differs_by_host(script) ? id + " " + in.host->name : id;
        out.push_back(
            script_step(in.memo.get<ScriptRun>(key, [&] { return make_run(script, id, in); })));
    }
    return out;
}

}  // namespace slipway::cluster
