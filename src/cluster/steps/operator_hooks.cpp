#include "cluster/steps/operator_hooks.hpp"

#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/local_command.hpp"
#include "base/text.hpp"
#include "cluster/steps/rendering.hpp"

#include <deque>

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

constexpr std::size_t kLastLines = 10;
// So that the program's own time limit, which shows its last lines, comes before the engine's.
constexpr Millis kGrace = std::chrono::seconds(10);

// One program as it will be run.
struct HookRun {
    config::OperatorHook hook;  // its environment filled in
    config::StringMap env;      // all but what only the run knows
    std::function<std::string()> kubeconfig;
};

std::string hosts_json(const config::Spec& spec) {
    json::array hosts;
    for (const config::Host* host : spec.sorted_hosts()) {
        json::array roles;
        for (const config::Role role : host->roles) roles.push_back(json::string(to_string(role)));
        hosts.push_back({{"name", host->name},
                         {"address", host->address},
                         {"internalAddress", host->node_address()},
                         {"roles", std::move(roles)}});
    }
    return json::serialize(hosts);
}

// Variables this process was given a secret in are not for other programs: "" takes them out.
void take_out_secrets(const config::Spec& spec, config::StringMap& env) {
    const auto take_out = [&](const config::SecretRef& secret) {
        if (!secret.env.empty()) env[secret.env] = "";
    };
    for (const config::Host& host : spec.hosts) {
        take_out(host.key);
        take_out(host.password);
        take_out(host.become.password);
    }
    for (const config::RegistryLogin& login : spec.registry.logins) take_out(login.password);
    take_out(spec.etcd.key);
}

config::StringMap environment(const StepInput& in, const config::OperatorHook& hook,
                              std::string_view phase) {
    config::StringMap env;
    take_out_secrets(in.spec, env);
    env["SLIPWAY_CLUSTER"] = in.spec.name;
    env["SLIPWAY_STATE"] = in.around.state_folder;
    env["SLIPWAY_PHASE"] = phase;
    env["SLIPWAY_HOSTS"] = hosts_json(in.spec);
    for (const auto& [name, value] : hook.env) env[name] = value;
    return env;
}

[[noreturn]] void fail(const HookRun& run, const LocalResult& result,
                       const std::deque<std::string>& last) {
    const std::string said = join(std::vector(last.begin(), last.end()), "\n");
    throw UserError(
        "HOOK-FAILED",
        result.timed_out
            ? fmt::format("hook {} was not finished after {} and was ended", run.hook.name,
                          format_duration(std::chrono::seconds(run.hook.timeout_seconds)))
            : fmt::format("hook {} ended with {}", run.hook.name, result.exit_code),
        {.cause = said.empty() ? "the program wrote nothing" : printable(said, true),
         .remedy = "solve what it reports, or skip the step, then resume"});
}

void run_hook(engine::Context& c, const HookRun& run) {
    LocalCommand command{.argv = run.hook.command,
                         .env = run.env,
                         .deadline = std::chrono::seconds(run.hook.timeout_seconds)};
    if (c.run() != 0) command.env.emplace("SLIPWAY_RUN", fmt::format("{}", c.run()));
    const std::string kubeconfig = run.kubeconfig ? run.kubeconfig() : "";
    if (!kubeconfig.empty()) command.env.emplace("KUBECONFIG", kubeconfig);
    std::deque<std::string> last;
    command.on_line = [&](std::string_view stream, std::string_view line) {
        c.log(stream, line);
        last.emplace_back(line);
        if (last.size() > kLastLines) last.pop_front();
    };
    const LocalResult result = run_local(command, c.stop());
    if (result.timed_out || result.exit_code != 0) fail(run, result, last);
}

engine::Step hook_step(std::string id, std::shared_ptr<const HookRun> run) {
    engine::Step step;
    step.id = std::move(id);
    step.title = fmt::format("Run hook {} on this computer", run->hook.name);
    Sha256 digest;
    for (const std::string& argument : run->hook.command) digest.field(argument);
    digest.field("env");
    for (const auto& [key, value] : run->hook.env) digest.field(key).field(value);
    step.inputs = digest.hex();
    step.deadline = std::chrono::seconds(run->hook.timeout_seconds) + kGrace;
    // What a program did cannot be seen from outside: it is done when the journal says so.
    step.probe = [run](engine::Context& c) {
        engine::Probe answer{.done = c.recorded_as_done()};
        if (!answer.done) answer.changes.push_back({"run", "hook " + run->hook.name, ""});
        return answer;
    };
    step.act = [run](engine::Context& c) { run_hook(c, *run); };
    step.verify = [](engine::Context&) {};
    return step;
}

}  // namespace

std::vector<engine::Step> operator_hook_steps(const StepInput& in,
                                              const std::vector<config::OperatorHook>& hooks,
                                              std::string_view prefix, std::string_view phase) {
    std::vector<engine::Step> out;
    for (const config::OperatorHook& hook : hooks) {
        const std::string id = std::string(prefix) + hook.name;
        auto run = std::make_shared<HookRun>();
        run->hook = hook;
        if (!in.around.undo) run->hook.env = rendered(hook.env, in, id);
        run->env = environment(in, run->hook, phase);
        run->kubeconfig = in.around.kubeconfig;
        out.push_back(hook_step(id, std::move(run)));
    }
    return out;
}

}  // namespace slipway::cluster
