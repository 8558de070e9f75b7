#include "cluster/steps/rolling_change.hpp"

#include "base/error.hpp"
#include "base/mutex.hpp"
#include "base/text.hpp"
#include "cluster/steps/change_mark.hpp"
#include "cluster/steps/waiting.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

constexpr Millis kPatience = std::chrono::minutes(3);  // with a program that starts anew
// A program that cannot use its arguments ends within this time.
constexpr Millis kStable = std::chrono::seconds(3);
// Longer than a program is silent because one it needs has been restarted.
constexpr Millis kAsk = std::chrono::seconds(30);
constexpr int kLooks = 60;  // at the others, a second apart

// Whose turn it is among the members of a set in one run.
class Turn {
  public:
    enum class Given { yes, not_yet, left_alone };
    // `unknown`: its change was begun, and nobody knows whether it runs.
    enum class End { free, unknown, lost };

    Given take(const std::string& host) {
        const Lock lock(mutex_);
        if (end_ != End::free && last_ != host) return Given::left_alone;
        if (taken_) return Given::not_yet;
        taken_ = true;
        return Given::yes;
    }
    void give_back(const std::string& host, End end) {
        const Lock lock(mutex_);
        taken_ = false;
        last_ = host;
        end_ = end;
    }
    // Who had it last, and how that ended.
    std::pair<std::string, End> last() {
        const Lock lock(mutex_);
        return {last_, end_};
    }

  private:
    Mutex mutex_;
    bool taken_ SLIPWAY_GUARDED_BY(mutex_) = false;
    std::string last_ SLIPWAY_GUARDED_BY(mutex_) = {};
    End end_ SLIPWAY_GUARDED_BY(mutex_) = End::free;
};

// One change of one member.
class Change {
  public:
    using Act = std::function<void(engine::Context&)>;

    Change(engine::Context& c, const Member& member, const std::string& host, Turn& turn)
        : c_(c),
          member_(member),
          host_(host),
          turn_(turn),
          mark_(member.name),
          before_(mark_.read(c)) {}

    void in_turn(const Act& act) {
        for (int looks = 1;; ++looks) {
            wait_for_turn();
            Hold hold{turn_, host_};
            switch (look()) {
                case Case::safe: return one(act, hold);
                case Case::all_down: act(c_); return mark_.remove(c_);
                case Case::second: break;
            }
            if (looks == kLooks) throw left_as_it_is("no answer from " + join(away_, ", "));
            hold.release();
            pause(std::chrono::seconds(1));
        }
    }

  private:
    enum class Case {
        safe,
        second,    // another one is away: this one would be the second
        all_down,  // there is nothing to lose, and none can come back before the others
    };

    struct Hold {
        Turn& turn;
        const std::string& host;
        Turn::End end = Turn::End::free;
        bool held = true;
        void release() {
            if (held) turn.give_back(host, end);
            held = false;
        }
        ~Hold() { release(); }
    };

    void pause(Millis time) {
        if (!c_.clock().sleep_for(time, c_.stop())) throw Cancelled();
    }

    void wait_for_turn() {
        while (true) {
            const Turn::Given given = turn_.take(host_);
            if (given == Turn::Given::yes) return;
            if (given == Turn::Given::left_alone) leave_alone();
            pause(Millis(200));
        }
    }

    [[noreturn]] void leave_alone() {
        const auto [host, end] = turn_.last();
        if (end == Turn::End::unknown)
            throw left_as_it_is(host + " was cut off while it was changed", Recovery::transient);
        if (before_) put_back(*before_);  // what this one was cut off with is no better there
        throw left_as_it_is(fmt::format("{} does not run with the same settings", host));
    }

    // Of two members none is a majority: there one has to do.
    std::size_t needed(std::size_t others) const {
        return std::min<std::size_t>(others, member_.majority ? (others + 1) / 2 + 1 : 1);
    }

    enum class Seen { yet_to_be_made, answers, silent, away };

    // A machine that is away need not stop the others: they may be enough without it.
    Seen ask(const std::string& other) {
        try {
            if (!member_.lives(c_, other)) return Seen::yet_to_be_made;
            return member_.answers(c_, other) ? Seen::answers : Seen::silent;
        } catch (const HostError&) {
            return Seen::away;
        }
    }

    Case look() {
        const bool here =
            !before_ && wait_until(c_, kAsk, [&] { return member_.answers(c_, host_); });
        std::size_t answering = 0;
        bool silent = false;
        away_.clear();
        for (const std::string& other : member_.others) {
            const Seen seen = ask(other);
            if (seen == Seen::answers) ++answering;
            silent = silent || seen == Seen::silent;
            if (seen == Seen::silent || seen == Seen::away) away_.push_back(other);
        }
        const bool enough = answering >= needed(answering + away_.size());
        // A set that is being made for the first time answers nowhere, however many there are.
        const bool nobody = answering == 0 && !before_ && !member_.others.empty();
        if (!here) return enough && !nobody ? Case::safe : Case::all_down;
        return enough && !silent ? Case::safe : Case::second;
    }

    void one(const Act& act, Hold& hold) {
        if (!before_) {
            before_ = as_it_is();
            mark_.leave(c_, *before_);
        }
        hold.end = Turn::End::unknown;
        const std::string problem = try_out(act);
        if (!problem.empty()) {
            const bool back = put_back(*before_);
            hold.end = Turn::End::lost;
            throw not_back(problem, back);
        }
        mark_.remove(c_);
        hold.end = Turn::End::free;
    }

    // Why it does not run; "" when it does.
    std::string try_out(const Act& act) {
        try {
            act(c_);
        } catch (const Error& error) {
            if (error.recovery() == Recovery::transient) throw;
            return fmt::format("{}: {}", error.message(), error.cause());
        }
        return comes_back()
                   ? ""
                   : fmt::format("it did not come back within {} s", kPatience.count() / 1000);
    }

    Before as_it_is() {
        Before out;
        out.files = files_on_host(c_, member_.files);
        if (!member_.running) return out;
        for (const auto& [path, one] : member_.running(c_)) out.made[path] = one.made;
        return out;
    }

    std::set<std::string> changed_files() {
        std::set<std::string> out;
        for (const auto& [path, was] : before_->files) {
            const auto now = c_.host().read_file(path, c_.call());
            if ((now ? now->content : "") != (was ? was->content : "")) out.insert(path);
        }
        return out;
    }

    // What runs from the files by now, without what still runs from an old one.
    RunningByFile running_anew(const std::set<std::string>& changed) {
        RunningByFile out;
        if (!member_.running) return out;
        for (const auto& [path, now] : member_.running(c_)) {
            const auto was = before_->made.find(path);
            const bool old = was != before_->made.end() && was->second == now.made;
            if (!changed.contains(path) || !old) out[path] = now;
        }
        return out;
    }

    // All of it runs from the files there are now, answers, and goes on doing so for a while.
    bool comes_back() {
        const std::set<std::string> changed = changed_files();
        std::optional<RunningByFile> seen;
        auto since = c_.clock().steady();
        return wait_until(c_, kPatience, [&] {
            RunningByFile now = running_anew(changed);
            const bool all = std::ranges::all_of(changed, [&](const std::string& path) {
                return !member_.running || now.contains(path);
            });
            if (!all || !member_.answers(c_, host_)) {
                seen.reset();
                return false;
            }
            if (changed.empty()) return true;
            if (seen != now) since = c_.clock().steady();
            seen = std::move(now);
            return c_.clock().steady() - since >= kStable;
        });
    }

    // Whether it answers again.
    bool put_back(const Before& before) {
        put_files_back(c_, before.files);
        member_.use_again(c_);
        const bool back = wait_until(c_, kPatience, [&] { return member_.answers(c_, host_); });
        mark_.remove(c_);
        return back;
    }

    ApiError not_back(const std::string& problem, bool back) const {
        return {
            member_.error,
            fmt::format("{} does not run with the new settings, and has the old again{}", host_,
                        back ? "" : ", but does not answer yet"),
            {.cause = problem,
             .remedy = fmt::format("see {} there, correct arguments or patches in the spec, and "
                                   "apply it again",
                                   member_.see)}};
    }

    ApiError left_as_it_is(const std::string& cause, Recovery recovery = Recovery::fatal) const {
        return {member_.error,
                fmt::format("{} was left as it is", host_),
                {.cause = cause,
                 .remedy = "bring back what does not run, or correct arguments or patches in the "
                           "spec, and apply it again",
                 .recovery = recovery}};
    }

    engine::Context& c_;
    const Member& member_;
    const std::string& host_;
    Turn& turn_;
    const ChangeMark mark_;
    std::optional<Before> before_;        // as the mark says that it was
    std::vector<std::string> away_ = {};  // of the others, when last looked at
};

}  // namespace

engine::Step rolling_change(const StepInput& in, engine::Step step, Member member) {
    struct Shared {
        mutable Turn turn;
    };
    const auto shared =
        in.memo.get<Shared>("turn of " + member.turn, [] { return std::make_shared<Shared>(); });
    step.deadline = std::chrono::minutes(30);  // of all of them, one after the other
    const auto m = std::make_shared<const Member>(std::move(member));
    step.probe = [m, probe = step.probe](engine::Context& c) {
        engine::Probe answer = probe(c);
        if (ChangeMark(m->name).is_there(c)) {
            answer.done = false;
            answer.changes.push_back({"run", fmt::format("end the change of {}", m->name), ""});
        }
        return answer;
    };
    step.act = [m, shared, host = in.host->name, act = step.act](engine::Context& c) {
        if (m->lives(c, host)) return Change(c, *m, host, shared->turn).in_turn(act);
        act(c);
        ChangeMark(m->name).remove(c);  // nothing runs there that it could speak of
    };
    step.undo = [m, undo = step.undo](engine::Context& c) {
        ChangeMark(m->name).remove(c);
        undo(c);
    };
    return step;
}

}  // namespace slipway::cluster
