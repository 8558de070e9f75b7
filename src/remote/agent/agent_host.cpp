#include "remote/agent/agent_host.hpp"

#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "remote/agent/failures.hpp"
#include "remote/agent/file_source.hpp"
#include "remote/agent/output.hpp"
#include "remote/change_failpoints.hpp"
#include "remote/ssh/diagnose.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace slipway::remote {

using wire::Verb;

namespace {

constexpr std::uint64_t kLargestFile = 16u << 20;
constexpr Millis kFactsWithin = std::chrono::seconds(60);

wire::Exec to_wire(const Command& command) {
    return {.argv = command.argv,
            .env = command.env,
            .folder = command.folder,
            .deadline_ms = command.deadline.count(),
            .has_input = !command.input.empty()};
}

bool changes_host(Verb verb) {
    switch (verb) {
        case Verb::exec:
        case Verb::write_file:
        case Verb::remove_file:
        case Verb::set_unit:
        case Verb::restart_unit:
        case Verb::packages:
        case Verb::set_sysctl:
        case Verb::set_module:
        case Verb::set_swap:
        case Verb::add_user:
        case Verb::remove_user:
        case Verb::fetch:
        case Verb::upload:
        case Verb::remove_tree:
        case Verb::start_job: return true;
        default: return false;
    }
}

std::string line_of(const Command& command) { return printable(join(command.argv, " ")); }

}  // namespace

AgentHost::AgentHost(std::string name, Dial dial)
    : name_(std::move(name)), dial_(std::move(dial)) {}

AgentHost::~AgentHost() = default;

std::shared_ptr<Link> AgentHost::link(const std::stop_token& stop) {
    const auto current = [this]() -> std::shared_ptr<Link> {
        const Lock lock(mutex_);
        if (refused_) std::rethrow_exception(refused_);
        if (link_ && link_->channel().lost()) link_ = nullptr;
        return link_;
    };
    if (auto link = current()) return link;
    const Lock dialling(dial_mutex_);
    if (auto link = current()) return link;  // another call has connected in the meantime
    std::shared_ptr<Link> fresh;
    try {
        fresh = dial_(stop);
    } catch (const Error& error) {
        if (is_refusal(error)) {
            const Lock lock(mutex_);
            refused_ = std::current_exception();
        }
        throw;
    }
    std::string claim;
    {
        const Lock lock(mutex_);
        claim = claim_;
    }
    if (!claim.empty()) {
        const Reply reply = fresh->channel().call(Verb::claim, claim, {}, stop);
        if (reply.failed) throw_failure(name_, "claiming the host", reply.failure, stop);
    }
    const Lock lock(mutex_);
    link_ = fresh;
    return fresh;
}

template <class Answer, class Question>
Answer AgentHost::ask(Verb verb, const Question& question, const CallOptions& call,
                      const std::string& doing, const CallData& data) {
    const std::shared_ptr<Link> connection = link(call.stop);
    if (changes_host(verb)) kBeforeChange.hit();
    const Reply reply = connection->channel().call(verb, wire::encode(question), data, call.stop);
    if (changes_host(verb)) kAfterChange.hit();
    if (reply.failed) throw_failure(name_, doing, reply.failure, call.stop);
    try {
        return wire::decode<Answer>(reply.body);
    } catch (const wire::ProtocolError& error) {
        throw HostError("HOST-AGENT", fmt::format("{}: {}", name_, error.what()));
    }
}

Facts AgentHost::facts(const FactsQuery& query, const CallOptions& call) {
    const std::shared_ptr<Link> connection = link(call.stop);  // not part of what is measured
    const std::int64_t begin = system_clock().wall_ms();
    const auto text =
        ask<wire::Text>(Verb::facts, query, call, "reading facts", {.within = kFactsWithin}).text;
    const std::int64_t end = system_clock().wall_ms();
    const json::value value = parse_json(text, "facts of " + name_);
    if (!value.is_object()) throw HostError("HOST-AGENT", name_ + ": facts are no object");
    Facts facts = Facts::from_json(value.get_object());
    // The host looked at its clock `elapsed` after the question came; the rest was the way.
    const std::int64_t elapsed = int_at(value.get_object(), "elapsedMs");
    const std::int64_t way = std::max<std::int64_t>(0, end - begin - elapsed);
    facts.clock_offset_ms = int_at(value.get_object(), "wallMs") - (end - way / 2);
    facts.clock_error_ms = way / 2 + 1;
    facts.root_by = connection->root_by();
    return facts;
}

std::optional<FileState> AgentHost::read_file(const std::string& path, const CallOptions& call) {
    FileState file;
    const auto info = ask<wire::FileInfo>(
        Verb::read_file, wire::Path{.path = path, .limit = kLargestFile}, call, "reading " + path,
        {.on_data = [&](wire::Stream, std::string_view bytes) {
            if (file.content.size() + bytes.size() > kLargestFile)
                throw HostError("HOST-AGENT", fmt::format("{}: {} has no end", name_, path));
            file.content += bytes;
        }});
    if (!info.found) return std::nullopt;
    if (!info.sha256.empty() && sha256_hex(file.content) != info.sha256)
        throw HostError("HOST-AGENT", fmt::format("{}: {} was damaged on the way", name_, path),
                        {.recovery = Recovery::transient});
    file.mode = info.mode;
    file.owner = info.owner;
    file.group = info.group;
    file.folder = info.folder;
    file.link_target = info.link_target;
    return file;
}

void AgentHost::write_file(const std::string& path, const FileState& file,
                           const CallOptions& call) {
    const wire::WriteFile wanted{.path = path,
                                 .folder = file.folder,
                                 .link_target = file.link_target,
                                 .mode = file.mode,
                                 .owner = file.owner,
                                 .group = file.group,
                                 .size = file.content.size(),
                                 .sha256 = sha256_hex(file.content)};
    ask<wire::Written>(Verb::write_file, wanted, call, "writing " + path,
                       {.input = file.content, .has_input = true});
}

void AgentHost::remove_file(const std::string& path, const CallOptions& call) {
    ask<wire::Nothing>(Verb::remove_file, wire::Path{.path = path}, call, "removing " + path);
}

std::optional<FileInfo> AgentHost::file_info(const std::string& path, const CallOptions& call) {
    auto info = ask<wire::FileInfo>(Verb::read_file, wire::Path{.path = path, .content = false},
                                    call, "looking at " + path);
    if (!info.found) return std::nullopt;
    return FileInfo{.folder = info.folder,
                    .link_target = std::move(info.link_target),
                    .mode = info.mode,
                    .owner = std::move(info.owner),
                    .group = std::move(info.group),
                    .size = info.size,
                    .sha256 = std::move(info.sha256)};
}

std::optional<std::vector<std::string>> AgentHost::list_folder(const std::string& path,
                                                               const CallOptions& call) {
    std::string text;
    const auto folder = ask<wire::Flag>(
        Verb::list_folder, wire::Path{.path = path}, call, "listing " + path,
        {.on_data = [&](wire::Stream, std::string_view bytes) {
            if (text.size() + bytes.size() > kLargestFile)
                throw HostError("HOST-AGENT", fmt::format("{}: {} has no end", name_, path));
            text += bytes;
        }});
    if (!folder.yes) return std::nullopt;
    std::vector<std::string> names;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = text.find('\0', at);
        names.push_back(text.substr(at, end - at));
        at = end == std::string::npos ? text.size() : end + 1;
    }
    std::ranges::sort(names);
    return names;
}

Uploaded AgentHost::upload(const Upload& what, const std::function<void(std::uint64_t)>& progress,
                           const CallOptions& call) {
    const LocalFile file(what.from);
    if (what.size != 0 && what.size != file.size()) {
        throw UserError("DIGEST-MISMATCH",
                        fmt::format("{} has {} bytes instead of {}", printable(what.from.string()),
                                    file.size(), what.size),
                        {.cause = "the file was damaged or changed", .remedy = "build it again"});
    }
    wire::Upload wanted{
        .path = what.path, .mode = what.mode, .sha256 = what.sha256, .size = file.size()};
    const auto send = [&] {
        FileSource source(file, wanted.sha256.empty(), progress, call.stop);
        return ask<wire::Uploaded>(
            Verb::upload, wanted, call, "uploading " + what.path,
            {.later_input = &source,
             .on_data = [&](wire::Stream, std::string_view bytes) { source.begin(bytes); }});
    };
    wire::Uploaded done = send();
    if (done.digest_needed) {
        wanted.sha256 = file.digest(call.stop);
        done = send();
    }
    return {.already = done.already, .resumed = done.resumed, .sent = done.received};
}

void AgentHost::remove_tree(const std::string& path, bool keep_top, const CallOptions& call) {
    ask<wire::Nothing>(Verb::remove_tree, wire::RemoveTree{.path = path, .keep_top = keep_top},
                       call, "removing " + path);
}

CommandResult AgentHost::run(const Command& command, const CallOptions& call) {
    if (!command.job.empty()) return run_job(command, call);
    OutputCollector output(command.on_line);
    wire::ExitStatus status;
    try {
        status =
            ask<wire::ExitStatus>(Verb::exec, to_wire(command), call, "running " + line_of(command),
                                  {.input = command.input,
                                   .has_input = !command.input.empty(),
                                   .on_data = [&](wire::Stream stream, std::string_view bytes) {
                                       output.add(stream, bytes);
                                   }});
    } catch (const RemoteError& error) {
        if (error.id() != "HOST-NO-TOOL") throw;
        return {.exit_code = 127, .out = {}, .err = error.message()};
    }
    output.finish();
    if (status.timed_out) throw_timeout(name_, line_of(command), command.deadline);
    return {static_cast<int>(status.code), output.take_out(), output.take_err()};
}

// The link may be lost and found again as often as it likes: the job goes on, and its output is
// taken up where it was left.
CommandResult AgentHost::run_job(const Command& command, const CallOptions& call) {
    constexpr Millis kPatience = std::chrono::minutes(5);
    const wire::StartJob start{.name = command.job, .exec = to_wire(command)};
    const std::string doing = "running " + line_of(command);
    OutputCollector output(command.on_line);
    const SteadyTime until = system_clock().steady() + command.deadline + kPatience;
    bool started = false, clean = false;
    while (true) {
        try {
            if (!clean) forget_older_jobs(command, call, doing);
            clean = true;
            if (!started)
                ask<wire::Flag>(Verb::start_job, start, call, doing,
                                {.input = command.input, .has_input = !command.input.empty()});
            started = true;
            const auto status = ask<wire::ExitStatus>(
                Verb::follow_job,
                wire::FollowJob{.name = command.job,
                                .out_offset = output.out_bytes(),
                                .err_offset = output.err_bytes()},
                call, doing, {.on_data = [&](wire::Stream stream, std::string_view bytes) {
                    output.add(stream, bytes);
                }});
            output.finish();
            {
                const Lock lock(mutex_);
                finished_jobs_.insert(command.job);
            }
            if (status.timed_out) throw_timeout(name_, line_of(command), command.deadline);
            if (status.lost) {
                throw HostError("HOST-RESTARTED",
                                fmt::format("{} went down while it was {}", name_, doing),
                                {.cause = "the machine was restarted or lost its power",
                                 .remedy = "look at the command's effect, then retry",
                                 .recovery = Recovery::needs_user});
            }
            return {static_cast<int>(status.code), output.take_out(), output.take_err()};
        } catch (const HostError& error) {
            if (error.recovery() != Recovery::transient || system_clock().steady() > until) throw;
        }
        if (!system_clock().sleep_for(std::chrono::seconds(1), call.stop)) throw Cancelled();
    }
}

// A program that was killed may have left the records of jobs, and jobs at work.
void AgentHost::forget_older_jobs(const Command& command, const CallOptions& call,
                                  const std::string& doing) {
    const auto work_of = [](const std::string& job) { return job.substr(0, job.rfind('.')); };
    for (const std::string& job :
         ask<wire::Texts>(Verb::jobs, wire::Nothing{}, call, doing).texts) {
        if (work_of(job) != work_of(command.job)) continue;
        if (command.follow && job == command.job) continue;
        ask<wire::Nothing>(Verb::forget_job, wire::Text{job}, call, doing);
    }
}

void AgentHost::forget_finished_jobs() noexcept {
    std::set<std::string> jobs;
    std::shared_ptr<Link> link;
    {
        const Lock lock(mutex_);
        jobs.swap(finished_jobs_);
        link = link_;
    }
    try {
        for (const std::string& job : jobs) {
            if (link && !link->channel().lost())
                link->channel().call(Verb::forget_job, wire::encode(wire::Text{job}), {}, {});
        }
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch)
        // The next attempt, or `hosts clean`, removes them.
    }
}

UnitState AgentHost::unit(const std::string& unit, const CallOptions& call) {
    const auto state = ask<wire::Unit>(Verb::unit, wire::Text{unit}, call, "looking at " + unit);
    return {state.exists, state.enabled, state.active, state.masked};
}

void AgentHost::set_unit(const std::string& unit, const UnitState& wanted,
                         const CallOptions& call) {
    ask<wire::Nothing>(Verb::set_unit,
                       wire::SetUnit{.name = unit,
                                     .wanted = {.exists = wanted.exists,
                                                .enabled = wanted.enabled,
                                                .active = wanted.active,
                                                .masked = wanted.masked}},
                       call, "changing " + unit);
}

void AgentHost::restart_unit(const std::string& unit, const CallOptions& call) {
    ask<wire::Nothing>(Verb::restart_unit, wire::Text{unit}, call, "restarting " + unit);
}

std::optional<std::string> AgentHost::package_version(const std::string& package,
                                                      const CallOptions& call) {
    std::string version =
        ask<wire::Text>(Verb::package, wire::Text{package}, call, "looking for " + package).text;
    if (version.empty()) return std::nullopt;
    return version;
}

void AgentHost::install_packages(const std::vector<std::string>& packages,
                                 const CallOptions& call) {
    ask<wire::Nothing>(Verb::packages, wire::ChangePackages{.install = packages}, call,
                       "installing packages");
}

void AgentHost::remove_packages(const std::vector<std::string>& packages, const CallOptions& call) {
    ask<wire::Nothing>(Verb::packages, wire::ChangePackages{.remove = packages}, call,
                       "removing packages");
}

std::optional<std::string> AgentHost::sysctl(const std::string& key, const CallOptions& call) {
    const auto found = ask<wire::Found>(Verb::sysctl, wire::Text{key}, call, "reading " + key);
    if (!found.found) return std::nullopt;
    return found.text;
}

void AgentHost::set_sysctl(const std::string& key, const std::string& value,
                           const CallOptions& call) {
    ask<wire::Nothing>(Verb::set_sysctl, wire::Pair{key, value}, call, "setting " + key);
}

bool AgentHost::module_loaded(const std::string& module, const CallOptions& call) {
    return ask<wire::Flag>(Verb::module, wire::Text{module}, call, "looking for " + module).yes;
}

void AgentHost::load_module(const std::string& module, const CallOptions& call) {
    ask<wire::Nothing>(Verb::set_module, wire::Switch{module, true}, call, "loading " + module);
}

void AgentHost::unload_module(const std::string& module, const CallOptions& call) {
    ask<wire::Nothing>(Verb::set_module, wire::Switch{module, false}, call, "unloading " + module);
}

std::vector<std::string> AgentHost::swaps(const CallOptions& call) {
    return ask<wire::Texts>(Verb::swaps, wire::Nothing{}, call, "reading swap devices").texts;
}

void AgentHost::swap_off(const std::string& device, const CallOptions& call) {
    ask<wire::Nothing>(Verb::set_swap, wire::Switch{device, false}, call, "swapoff " + device);
}

void AgentHost::swap_on(const std::string& device, const CallOptions& call) {
    ask<wire::Nothing>(Verb::set_swap, wire::Switch{device, true}, call, "swapon " + device);
}

std::optional<UserState> AgentHost::user(const std::string& user, const CallOptions& call) {
    const auto found = ask<wire::User>(Verb::user, wire::Text{user}, call, "looking for " + user);
    if (!found.exists) return std::nullopt;
    return UserState{found.home, found.shell, found.system};
}

void AgentHost::add_user(const std::string& user, const UserState& wanted,
                         const CallOptions& call) {
    ask<wire::Nothing>(Verb::add_user,
                       wire::User{.exists = true,
                                  .name = user,
                                  .home = wanted.home,
                                  .shell = wanted.shell,
                                  .system = wanted.system},
                       call, "adding user " + user);
}

void AgentHost::remove_user(const std::string& user, const CallOptions& call) {
    ask<wire::Nothing>(Verb::remove_user, wire::Text{user}, call, "removing user " + user);
}

std::map<std::string, std::string> AgentHost::mounts(const CallOptions& call) {
    return ask<wire::Map>(Verb::mounts, wire::Nothing{}, call, "reading mounts").items;
}

Fetched AgentHost::fetch(const Fetch& what, const std::function<void(std::uint64_t)>& progress,
                         const CallOptions& call) {
    std::string line;
    return ask<wire::Fetched>(Verb::fetch, what, call, "fetching " + what.path,
                              {.on_data = [&](wire::Stream, std::string_view bytes) {
                                  for (const char c : bytes) {
                                      if (c != '\n') {
                                          line += c;
                                          continue;
                                      }
                                      std::uint64_t so_far = 0;
                                      std::from_chars(line.data(), line.data() + line.size(),
                                                      so_far);
                                      if (progress) progress(so_far);
                                      line.clear();
                                  }
                              }});
}

std::vector<ProbeAnswer> AgentHost::probe(const std::vector<Port>& targets,
                                          const std::string& nonce, Millis timeout,
                                          const CallOptions& call) {
    auto answers = ask<wire::ProbeAnswers>(
        Verb::probe, wire::Probe{.targets = targets, .nonce = nonce, .timeout_ms = timeout.count()},
        call, "probing other hosts");
    answers.answers.resize(targets.size());
    return std::move(answers.answers);
}

void AgentHost::claim(const std::string& owner, const std::string& label, const CallOptions& call) {
    ask<wire::Nothing>(Verb::claim, wire::Claim{.owner = owner, .label = label}, call,
                       "claiming the host");
    claim_when_connected(owner, label);
}

void AgentHost::claim_when_connected(const std::string& owner, const std::string& label) {
    const Lock lock(mutex_);
    claim_ = wire::encode(wire::Claim{.owner = owner, .label = label});
}

std::vector<std::string> AgentHost::clean(const CallOptions& call) {
    return ask<wire::Texts>(Verb::clean, wire::Nothing{}, call, "removing the agent").texts;
}

void AgentHost::tunnel(const wire::Tunnel& to, CallInput& input,
                       const std::function<void(std::string_view)>& output,
                       const CallOptions& call) {
    ask<wire::Nothing>(Verb::tunnel, to, call, fmt::format("connecting to {}:{}", to.host, to.port),
                       {.later_input = &input,
                        .on_data = [&](wire::Stream, std::string_view bytes) { output(bytes); }});
}

// Ports are open for as long as their request is: it runs on a thread of its own.
class AgentListener final : public Listener {
  public:
    AgentListener(std::shared_ptr<Link> link, const wire::Listen& wanted)
        : link_(std::move(link)),
          thread_([this, body = wire::encode(wanted)](const std::stop_token& stop) {
              run(body, stop);
          }) {
        const Lock lock(mutex_);
        while (!ready_ && !error_) changed_.wait(mutex_);
    }
    ~AgentListener() override = default;  // the thread is asked to stop, and waited for

    const std::map<std::uint32_t, std::string>& refused() const override { return refused_; }
    std::exception_ptr error() {
        const Lock lock(mutex_);
        return error_;
    }

  private:
    void run(const std::string& body, const std::stop_token& stop) {
        std::exception_ptr error;
        try {
            const Reply reply = link_->channel().call(
                Verb::listen, body,
                {.on_data = [this](wire::Stream, std::string_view bytes) { announce(bytes); }},
                stop);
            if (reply.failed)
                throw RemoteError("HOST-AGENT",
                                  "cannot listen: " + printable(reply.failure.message));
        } catch (const Cancelled&) {
            return;
        } catch (...) {
            error = std::current_exception();
        }
        const Lock lock(mutex_);
        error_ = error;
        ready_ = true;
        changed_.notify_all();
    }
    void announce(std::string_view bytes) {
        const auto refused = wire::decode<wire::Refused>(bytes);
        const Lock lock(mutex_);
        for (std::size_t i = 0; i < std::min(refused.ports.size(), refused.reasons.size()); ++i)
            refused_[refused.ports[i]] = refused.reasons[i];
        ready_ = true;
        changed_.notify_all();
    }

    std::shared_ptr<Link> link_;
    Mutex mutex_;
    Condition changed_;
    bool ready_ SLIPWAY_GUARDED_BY(mutex_) = false;
    std::exception_ptr error_ SLIPWAY_GUARDED_BY(mutex_);
    std::map<std::uint32_t, std::string> refused_;  // written once, before ready_
    std::jthread thread_;                           // last: it uses all of the above
};

std::unique_ptr<Listener> AgentHost::listen(const std::vector<Port>& ports,
                                            const std::string& nonce, const CallOptions& call) {
    constexpr std::int64_t kLongest = 120'000;  // should this program die: nothing stays open
    auto listener = std::make_unique<AgentListener>(
        link(call.stop), wire::Listen{.ports = ports, .nonce = nonce, .deadline_ms = kLongest});
    if (const std::exception_ptr error = listener->error()) std::rethrow_exception(error);
    return listener;
}

}  // namespace slipway::remote
