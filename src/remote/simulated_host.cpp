#include "remote/simulated_host.hpp"

#include "base/error.hpp"
#include "base/failpoint.hpp"
#include "base/text.hpp"
#include "remote/change_failpoints.hpp"
#include "remote/commands.hpp"
#include "remote/machine.hpp"
#include "remote/simulated_facts.hpp"
#include "remote/simulated_host_calls.hpp"

#include <charconv>

#include <fmt/format.h>

namespace slipway::remote {

namespace {

// Longer than any run; a call that hangs ends when it is cancelled.
constexpr Micros kForGood = std::chrono::hours(24 * 365);

std::int64_t number(const std::string* text) {
    std::int64_t value = 0;
    if (text != nullptr) std::from_chars(text->data(), text->data() + text->size(), value);
    return value;
}

// How a job ended, as the machine keeps it.
std::string job_text(const CommandResult& result) {
    return json::serialize(
        json::object{{"exit", result.exit_code}, {"out", result.out}, {"err", result.err}});
}

CommandResult job_result(const std::string& text) {
    const json::value value = parse_json(text, "a job of a simulated host");
    if (!value.is_object()) return {};
    const json::object& object = value.get_object();
    return {static_cast<int>(int_at(object, "exit")), string_at(object, "out"),
            string_at(object, "err")};
}

void call_lines(const Command& command, std::string_view stream, std::string_view text) {
    if (!command.on_line || text.empty()) return;
    if (text.ends_with('\n')) text.remove_suffix(1);
    for (const std::string& line : split(text, '\n')) command.on_line(stream, line);
}

}  // namespace

SimulatedHost::SimulatedHost(SimulatedHostOptions options, std::shared_ptr<const Values> fresh,
                             Clock& clock)
    : name_(options.name),
      fixed_facts_(std::move(options.fixed_facts)),
      profile_(options.profile),
      sudo_password_(std::move(options.sudo_password)),
      time_scale_(options.time_scale),
      clock_(clock),
      network_(options.network ? options.network : std::make_shared<SimulatedNetwork>()),
      model_(std::move(fresh)),
      behaviour_(options.profile, options.time_scale, options.seed, options.name) {
    const Lock lock(mutex_);
    if (options.history) history_.emplace(std::move(*options.history));
    bring_up_to_date();
}

// ---- the way of every call
// -------------------------------------------------------------------------

Verdict SimulatedHost::decide(Call kind, std::string_view subject, Micros& connect_delay) {
    const Lock lock(mutex_);
    bring_up_to_date();
    const std::string_view step = FailpointScope::current();
    const auto fired = [this](const std::string& id) SLIPWAY_REQUIRES(mutex_) {
        return number(model_.text(Section::fault, id));
    };
    Verdict verdict;
    if (!connected_) {
        verdict = behaviour_.decide(Call::connect, name_, step, fired);
        connect_delay = std::exchange(verdict.delay, Micros(0));
        connected_ = !verdict.fault || verdict.fault->error == FaultKind::slow;
    }
    if (is_off()) unreachable("it is switched off");
    if (!verdict.fault) verdict = behaviour_.decide(kind, subject, step, fired);
    if (verdict.fault && verdict.fault->times != "always") {
        // Counted on the machine's side, so that "once" is once over all runs.
        const std::int64_t count = fired(verdict.fault_id) + 1;
        model_.set({Section::fault, verdict.fault_id}, std::to_string(count));
        persist();
    }
    return verdict;
}

SimulatedHost::Entered SimulatedHost::enter(Call kind, std::string_view subject,
                                            const CallOptions& call, std::optional<Millis> deadline,
                                            Millis work) {
    if (call.stop.stop_requested()) throw Cancelled();
    Micros connect_delay{0};
    const Verdict verdict = decide(kind, subject, connect_delay);
    wait(connect_delay, call.stop);
    const Micros delay = verdict.delay + scaled(work);
    if (deadline && delay > *deadline) {
        wait(*deadline, call.stop);
        time_out(subject, *deadline);
    }
    wait(delay, call.stop);
    if (!profile_.sudo_password.empty() && sudo_password_.reveal() != profile_.sudo_password) {
        throw HostError("HOST-SUDO", fmt::format("sudo refused the login user on {}", name_),
                        {.cause = "sudo asks for a password, and none or a wrong one was given",
                         .remedy = "set become.password of the host in the spec",
                         .recovery = Recovery::needs_user});
    }
    return verdict.fault ? suffer(*verdict.fault, subject, call, deadline) : Entered{};
}

SimulatedHost::Entered SimulatedHost::suffer(const Fault& fault, std::string_view subject,
                                             const CallOptions& call,
                                             std::optional<Millis> deadline) {
    const std::optional<DelayRange> range = parse_delay(fault.latency);
    const Micros latency = range ? scaled(range->most) : Micros(0);
    const auto fail = [&](Recovery recovery, std::string_view usual) {
        throw HostError("SIMULATED-FAULT",
                        fmt::format("{}: {}: {}", name_, printable(subject),
                                    fault.message.empty() ? usual : fault.message),
                        {.cause = "the simulation profile asks for this fault",
                         .remedy = "change the fault in the profile, then resume",
                         .recovery = recovery});
    };
    switch (fault.error) {
        case FaultKind::transient: fail(Recovery::transient, "failed for a moment"); break;
        case FaultKind::fatal: fail(Recovery::fatal, "failed"); break;
        case FaultKind::needs_user: fail(Recovery::needs_user, "needs someone's help"); break;
        case FaultKind::unreachable:
            unreachable(fault.message.empty() ? "it does not answer" : fault.message);
        case FaultKind::slow: wait(latency, call.stop); break;
        case FaultKind::exit_code: return {.exit_code = static_cast<int>(fault.exit_code)};
        case FaultKind::crash: return {.ending = Ending::crash};
        case FaultKind::power_cut: return {.ending = Ending::power_cut, .power_off = latency};
        case FaultKind::hang:
            if (deadline && (!range || latency > *deadline)) {
                wait(*deadline, call.stop);
                time_out(subject, *deadline);
            }
            wait(range ? latency : kForGood, call.stop);
            unreachable("the call did not come back");
    }
    return {};
}

void SimulatedHost::wait(Micros duration, const std::stop_token& stop) {
    if (duration.count() <= 0) return;
    if (!clock_.sleep_until(clock_.steady() + duration, stop)) throw Cancelled();
}

Micros SimulatedHost::scaled(Micros duration) const {
    return Micros(static_cast<std::int64_t>(static_cast<double>(duration.count()) * time_scale_));
}

void SimulatedHost::time_out(std::string_view subject, Micros deadline) const {
    const std::string limit = format_duration(std::chrono::duration_cast<Millis>(deadline));
    throw RemoteError("HOST-COMMAND-TIMEOUT",
                      fmt::format("{}: '{}' took longer than {}", name_, printable(subject), limit),
                      {.cause = "the command was ended when its time was up",
                       .remedy = "look at the host's load, or give the step more time",
                       .recovery = Recovery::transient});
}

void SimulatedHost::unreachable(std::string_view why) const {
    throw HostError("HOST-UNREACHABLE", fmt::format("{} cannot be reached: {}", name_, why),
                    {.cause = "the machine is off, or the network between is broken",
                     .remedy = "check the machine and the network, then resume",
                     .recovery = Recovery::transient});
}

void SimulatedHost::lose(Ending ending) const {
    if (ending == Ending::power_cut) unreachable("its power was cut during the call");
    throw HostError(
        "HOST-CALL-LOST", fmt::format("the connection to {} was lost during the call", name_),
        {.cause = "the machine or the link failed; a part of the call may have happened",
         .remedy = "nothing: the step is probed and tried again",
         .recovery = Recovery::transient});
}

void SimulatedHost::bring_up_to_date() {
    if (!history_) return;
    for (Change& change : history_->read_new()) {
        if (change.value) {
            model_.set(std::move(change.key), std::move(*change.value));
        } else {
            model_.remove(change.key);
        }
    }
    model_.commit();
    tell_network();
}

void SimulatedHost::persist() {
    try {
        if (history_ && !model_.pending().empty()) history_->append(model_.pending());
    } catch (...) {
        model_.roll_back();
        throw;
    }
    model_.commit();
    tell_network();
}

void SimulatedHost::tell_network() {
    const bool runs = machine::unit(model_, "kubelet").active;
    if (runs != std::exchange(kubelet_runs_, runs)) network_->set_kubelet(name_, runs);
}

bool SimulatedHost::is_off() {
    if (!off_) return false;
    if (!on_again_ || clock_.steady() < *on_again_) return true;
    off_ = false;
    network_->set_up(name_, true);
    machine::reboot(model_);
    persist();
    return false;
}

void SimulatedHost::keep(Ending ending, Micros power_off) {
    if (ending == Ending::crash && model_.pending().size() > 1) {
        std::vector<Change> half = model_.pending();
        half.resize((half.size() + 1) / 2);
        model_.roll_back();
        for (Change& one : half) {
            if (one.value) {
                model_.set(std::move(one.key), std::move(*one.value));
            } else {
                model_.remove(one.key);
            }
        }
    }
    persist();
    if (ending != Ending::power_cut) return;
    off_ = true;
    network_->set_up(name_, false);
    on_again_.reset();
    if (power_off.count() > 0) on_again_ = clock_.steady() + power_off;
}

void SimulatedHost::before_change() const { kBeforeChange.hit(); }
void SimulatedHost::after_change() const { kAfterChange.hit(); }

// ---- the Host interface
// ----------------------------------------------------------------------------

Facts SimulatedHost::facts(const FactsQuery& query, const CallOptions& call) {
    return ask(Call::facts, name_, call, [&](const Model& model) {
        return simulated_facts(
            {model, profile_, fixed_facts_,
             [&](const std::string& name) { return network_->resolve(name_, name); }},
            query);
    });
}

CommandResult SimulatedHost::run_here(const Command& command, Millis& work) {
    return run_command(model_, command, work, {.kubelet_runs = [this](const std::string& machine) {
                           return network_->kubelet_runs(machine);
                       }});
}

CommandResult SimulatedHost::run(const Command& command, const CallOptions& call) {
    if (!command.job.empty() && has_finished(command.job)) return finished_job(command, call);
    // Run once for show: how long it takes, and whether it changes anything.
    Millis work{0};
    CommandResult result;
    bool changes = false;
    {
        const Lock lock(mutex_);
        bring_up_to_date();
        result = run_here(command, work);
        changes = model_.touched();
        model_.roll_back();
    }
    const std::string subject = join(command.argv, " ");
    const Entered entered = enter(Call::command, subject, call, command.deadline, work);
    if (!command.job.empty() && entered.ending == Ending::crash) {
        // The link is lost, not the job: it ends on the machine, and the next call hears how.
        act({}, [&](Model& model) SLIPWAY_REQUIRES(mutex_) {
            result = run_here(command, work);
            model.set({Section::job, command.job}, job_text(result));
        });
        lose(Ending::crash);
    }
    if (entered.exit_code) {
        result = failed(*entered.exit_code, "failed as the simulation profile asks\n");
    } else if (changes || entered.ending != Ending::normal) {
        act(entered, [&](Model&) SLIPWAY_REQUIRES(mutex_) { result = run_here(command, work); });
    }
    call_lines(command, "stdout", result.out);
    call_lines(command, "stderr", result.err);
    return result;
}

bool SimulatedHost::has_finished(const std::string& job) {
    const Lock lock(mutex_);
    bring_up_to_date();
    return model_.text(Section::job, job) != nullptr;
}

CommandResult SimulatedHost::finished_job(const Command& command, const CallOptions& call) {
    CommandResult result;
    change(Call::command, join(command.argv, " "), call, [&](Model& model) {
        if (const std::string* text = model.text(Section::job, command.job))
            result = job_result(*text);
        model.remove({Section::job, command.job});
    });
    call_lines(command, "stdout", result.out);
    call_lines(command, "stderr", result.err);
    return result;
}

UnitState SimulatedHost::unit(const std::string& unit, const CallOptions& call) {
    return ask(Call::read, unit, call,
               [&](const Model& model) { return machine::unit(model, unit); });
}

void SimulatedHost::set_unit(const std::string& unit, const UnitState& wanted,
                             const CallOptions& call) {
    change(Call::unit, unit, call, [&](Model& model) { machine::set_unit(model, unit, wanted); });
}

void SimulatedHost::restart_unit(const std::string& unit, const CallOptions& call) {
    change(Call::unit, unit, call, [&](Model& model) { machine::restart_unit(model, unit); });
}

std::optional<std::string> SimulatedHost::package_version(const std::string& package,
                                                          const CallOptions& call) {
    return ask(Call::read, package, call, [&](const Model& model) {
        const std::string* version = model.text(Section::package, package);
        return version == nullptr ? std::nullopt : std::optional(*version);
    });
}

void SimulatedHost::install_packages(const std::vector<std::string>& packages,
                                     const CallOptions& call) {
    change(Call::package, join(packages, " "), call,
           [&](Model& model) { machine::install_packages(model, packages); });
}

void SimulatedHost::remove_packages(const std::vector<std::string>& packages,
                                    const CallOptions& call) {
    change(Call::package, join(packages, " "), call,
           [&](Model& model) { machine::remove_packages(model, packages); });
}

std::optional<std::string> SimulatedHost::sysctl(const std::string& key, const CallOptions& call) {
    return ask(Call::read, key, call, [&](const Model& model) {
        const std::string* value = model.text(Section::sysctl, key);
        return value == nullptr ? std::nullopt : std::optional(*value);
    });
}

void SimulatedHost::set_sysctl(const std::string& key, const std::string& value,
                               const CallOptions& call) {
    change(Call::kernel, key, call, [&](Model& model) { machine::set_sysctl(model, key, value); });
}

bool SimulatedHost::module_loaded(const std::string& module, const CallOptions& call) {
    return ask(Call::read, module, call,
               [&](const Model& model) { return machine::module_loaded(model, module); });
}

void SimulatedHost::load_module(const std::string& module, const CallOptions& call) {
    change(Call::kernel, module, call, [&](Model& model) { machine::load_module(model, module); });
}

void SimulatedHost::unload_module(const std::string& module, const CallOptions& call) {
    change(Call::kernel, module, call,
           [&](Model& model) { machine::unload_module(model, module); });
}

std::vector<std::string> SimulatedHost::swaps(const CallOptions& call) {
    return ask(Call::read, "swaps", call, [](const Model& model) { return machine::swaps(model); });
}

void SimulatedHost::swap_off(const std::string& device, const CallOptions& call) {
    change(Call::kernel, device, call, [&](Model& model) { machine::swap_off(model, device); });
}

void SimulatedHost::swap_on(const std::string& device, const CallOptions& call) {
    change(Call::kernel, device, call, [&](Model& model) { machine::swap_on(model, device); });
}

std::optional<UserState> SimulatedHost::user(const std::string& user, const CallOptions& call) {
    return ask(Call::read, user, call, [&](const Model& model) {
        const UserState* state = model.user(user);
        return state == nullptr ? std::nullopt : std::optional(*state);
    });
}

void SimulatedHost::add_user(const std::string& user, const UserState& wanted,
                             const CallOptions& call) {
    change(Call::user, user, call, [&](Model& model) { machine::add_user(model, user, wanted); });
}

void SimulatedHost::remove_user(const std::string& user, const CallOptions& call) {
    change(Call::user, user, call, [&](Model& model) { machine::remove_user(model, user); });
}

std::map<std::string, std::string> SimulatedHost::mounts(const CallOptions& call) {
    return ask(Call::read, "mounts", call, [](const Model& model) {
        std::map<std::string, std::string> out;
        for (const std::string& folder : model.names(Section::mount)) {
            out[folder] = *model.text(Section::mount, folder);
        }
        return out;
    });
}

// ---- beside it
// -------------------------------------------------------------------------------------

json::object SimulatedHost::snapshot() {
    const Lock lock(mutex_);
    bring_up_to_date();
    return model_.snapshot();
}

std::string SimulatedHost::fingerprint() {
    const Lock lock(mutex_);
    bring_up_to_date();
    return model_.fingerprint();
}

std::vector<ExecutedScript> SimulatedHost::executed_scripts() {
    const Lock lock(mutex_);
    bring_up_to_date();
    std::vector<ExecutedScript> out;
    for (const std::string& key : model_.names(Section::script)) {
        const std::string& entry = *model_.text(Section::script, key);
        const std::size_t last = entry.rfind(' ');
        const std::size_t middle = entry.rfind(' ', last - 1);
        const std::string exit_code = entry.substr(last + 1);
        out.push_back({entry.substr(0, middle), entry.substr(middle + 1, last - middle - 1),
                       static_cast<int>(number(&exit_code))});
    }
    return out;
}

void SimulatedHost::add_fault(const Fault& fault) {
    const Lock lock(mutex_);
    behaviour_.add_fault(fault);
}

void SimulatedHost::reboot() {
    const Lock lock(mutex_);
    bring_up_to_date();
    machine::reboot(model_);
    off_ = false;
    network_->set_up(name_, true);
    persist();
}

void SimulatedHost::tamper(const std::function<void(Model&)>& change_model) {
    const Lock lock(mutex_);
    bring_up_to_date();
    change_model(model_);
    persist();
}

}  // namespace slipway::remote
