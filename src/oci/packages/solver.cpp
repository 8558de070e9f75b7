#include "oci/packages/solver.hpp"

#include "base/error.hpp"
#include "base/text.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace slipway::oci::packages {

namespace {

// Far more than any real set needs; what goes beyond is made to keep us busy.
constexpr std::size_t kMaxTries = 200'000;
constexpr std::size_t kMaxDepth = 400;
constexpr std::size_t kMaxFailures = 40;

}  // namespace

bool Solver::is_met(const Requirement& requirement) const {
    return std::ranges::any_of(requirement.candidates, [&](PackageId p) { return has(p); });
}

void Solver::assume(const std::vector<PackageId>& packages) {
    for (const PackageId package : packages) {
        if (!by_name_.emplace(universe_.name(package), package).second) continue;
        selected_.insert(package);
        base_.insert(package);
    }
    // Only when all are there: a package may stand against what itself brings.
    for (const PackageId package : packages) {
        for (const PackageId other : universe_.conflicts(package)) {
            if (!has(other)) banned_by_[other].insert(package);
        }
    }
}

void Solver::assume_with_needs(const std::vector<PackageId>& packages) {
    std::set<PackageId> all(packages.begin(), packages.end());
    std::vector<PackageId> order(packages.begin(), packages.end());
    for (std::size_t i = 0; i < order.size(); ++i) {
        for (const Requirement& need : universe_.requirements(order[i])) {
            const auto there = [&](PackageId p) { return all.contains(p) || has(p); };
            if (need.candidates.empty() || std::ranges::any_of(need.candidates, there)) continue;
            all.insert(need.candidates.front());
            order.push_back(need.candidates.front());
        }
    }
    assume(order);
}

void Solver::select(PackageId package) {
    Change change{.added = package};
    const auto [place, is_new] = by_name_.emplace(universe_.name(package), package);
    if (!is_new) {
        change.replaces = true;
        change.replaced = place->second;
        selected_.erase(place->second);
        base_.erase(place->second);
        place->second = package;
    }
    selected_.insert(package);
    for (const PackageId other : universe_.conflicts(package)) banned_by_[other].insert(package);
    trail_.push_back(change);
}

void Solver::roll_back(std::size_t to) {
    while (trail_.size() > to) {
        const Change change = trail_.back();
        trail_.pop_back();
        take_back(change);
    }
}

// Bans stay: those of packages that are not there do not count.
void Solver::take_back(const Change& change) {
    selected_.erase(change.added);
    by_name_.erase(universe_.name(change.added));
    if (!change.replaces) return;
    selected_.insert(change.replaced);
    base_.insert(change.replaced);
    by_name_[universe_.name(change.replaced)] = change.replaced;
}

void Solver::fail(const std::string& leaf) {
    std::vector<std::string> path = chain_;
    path.push_back(leaf);
    failures_.push_back(join(path, " → "));
}

// Whether something that is there keeps the package out; says so.
bool Solver::stands_against(PackageId package) {
    const std::string& name = universe_.name(package);
    const auto same = by_name_.find(name);
    if (same != by_name_.end() && same->second != package) {
        const std::vector<PackageId> newer = universe_.newer(same->second);
        const bool is_base = base_.contains(same->second);
        if (!is_base || std::ranges::find(newer, package) == newer.end()) {
            ++conflicts_seen_;
            fail(fmt::format("{}: {} is {}", universe_.label(package),
                             universe_.label(same->second),
                             is_base ? "in the base already" : "chosen already"));
            return true;
        }
    }
    const auto matters = [&](PackageId other) {
        return has(other) && universe_.name(other) != name;
    };
    const auto report = [&](PackageId other) {
        ++conflicts_seen_;
        fail(fmt::format("{}: conflicts with {}{}", universe_.label(package),
                         universe_.label(other), base_.contains(other) ? " of the base" : ""));
        return true;
    };
    for (const PackageId other : banned_by_[package]) {
        if (matters(other)) return report(other);
    }
    for (const PackageId other : universe_.conflicts(package)) {
        if (matters(other)) return report(other);
    }
    return false;
}

bool Solver::add(PackageId package) {
    if (stop_.stop_requested()) throw Cancelled();
    if (const auto known = impossible_.find(package); known != impossible_.end()) {
        fail(fmt::format("{} → … → {}", universe_.label(package), known->second));
        return false;
    }
    if (++tries_ > kMaxTries || chain_.size() > kMaxDepth) {
        ++conflicts_seen_;  // not known to be impossible
        fail(fmt::format("{}: the search took too long", universe_.label(package)));
        return false;
    }
    if (stands_against(package)) return false;
    const std::size_t before = trail_.size();
    select(package);
    return complete(package, before);
}

// The needs of a package that was selected; when they cannot be met, everything since `before` is
// taken back.
bool Solver::complete(PackageId package, std::size_t before) {
    const std::size_t conflicts = conflicts_seen_, failures = failures_.size();
    chain_.push_back(universe_.label(package));
    bool ok = true;
    for (const Requirement& need : universe_.requirements(package)) {
        if (!is_met(need) && !meet(need)) ok = false;  // go on: all that is missing is told at once
    }
    chain_.pop_back();
    if (ok) return true;
    roll_back(before);
    if (conflicts_seen_ == conflicts && failures_.size() > failures) {
        const std::string& first = failures_[failures];
        const std::size_t arrow = first.rfind(" → ");
        impossible_[package] =
            arrow == std::string::npos ? first : first.substr(arrow + std::string(" → ").size());
    }
    return false;
}

bool Solver::meet(const Requirement& requirement) {
    if (requirement.candidates.empty()) {
        fail(fmt::format("{}: {}", requirement.text,
                         requirement.reason.empty() ? "no package has it" : requirement.reason));
        return false;
    }
    const std::size_t before = failures_.size();
    std::size_t of_first = before;
    for (const PackageId candidate : requirement.candidates) {
        if (add(candidate)) {
            failures_.resize(before);
            return true;
        }
        // What kept the best one out is told; what kept the others out rarely helps.
        if (of_first == before) of_first = failures_.size();
        failures_.resize(std::min(failures_.size(), of_first));
    }
    return false;
}

// The needs of a package that was named; when they cannot be met, another that fits the wish.
void Solver::want(const Requirement& requirement, PackageId first) {
    const std::size_t before = failures_.size();
    if (complete(first, trail_.size())) return;
    const auto own = std::ranges::find(trail_, first, &Change::added);
    take_back(*own);
    trail_.erase(own);
    for (const PackageId candidate : requirement.candidates) {
        if (candidate == first) continue;
        const std::size_t tried = failures_.size();
        if (add(candidate)) {
            failures_.resize(before);
            return;
        }
        failures_.resize(tried);
    }
}

// A package of the base that needs the very version of another which is replaced has to be
// replaced too. True when something was done.
bool Solver::mend_base() {
    const std::set<PackageId> standing = base_;
    bool any = false;
    for (const PackageId package : standing) {
        if (!base_.contains(package)) continue;
        for (const Requirement& need : universe_.requirements(package)) {
            const bool was_met = std::ranges::any_of(trail_, [&](const Change& c) {
                return c.replaces &&
                       std::ranges::find(need.candidates, c.replaced) != need.candidates.end();
            });
            if (!was_met || is_met(need)) continue;
            any = true;
            if (!meet({.text = fmt::format("a newer {}, which needs {}", universe_.label(package),
                                           need.text),
                       .candidates = universe_.newer(package)})) {
                base_.erase(package);  // said once
            }
            break;
        }
    }
    return any;
}

// A package that was named and had to give way to another version may have been what a former one
// relied on: the answer is looked at as a whole. True when something was added.
bool Solver::mend_chosen() {
    bool any = false;
    const std::set<PackageId> standing = selected_;
    for (const PackageId package : standing) {
        if (base_.contains(package) || !has(package)) continue;
        chain_ = {universe_.label(package)};
        for (const Requirement& need : universe_.requirements(package)) {
            if (!is_met(need) && meet(need)) any = true;
        }
        chain_.clear();
    }
    return any;
}

void Solver::give_up() const {
    std::vector<std::string> lines;
    for (const std::string& failure : failures_) {
        if (std::ranges::find(lines, failure) == lines.end()) lines.push_back(printable(failure));
        if (lines.size() < kMaxFailures) continue;
        lines.push_back("…");
        break;
    }
    throw UserError("PACKAGES-UNSATISFIED",
                    fmt::format("{} of what the packages need cannot be had", lines.size()),
                    {.cause = join(lines, "\n"),
                     .remedy = "add the repository that has it, or name what the hosts have "
                               "under installed"});
}

std::vector<PackageId> Solver::solve(const std::vector<Requirement>& wanted,
                                     const std::stop_token& stop) {
    stop_ = stop;
    // All that are named stand first, so that they are taken where one of several would do.
    std::vector<PackageId> firsts;
    std::vector<const Requirement*> placed;
    for (const Requirement& wish : wanted) {
        const std::size_t before = failures_.size();
        const auto free =
            std::ranges::find_if(wish.candidates, [&](PackageId p) { return !stands_against(p); });
        if (free == wish.candidates.end()) {
            if (failures_.size() == before) meet(wish);  // says that nobody has it
            continue;
        }
        failures_.resize(before);
        if (has(*free) && !base_.contains(*free)) continue;  // named twice
        select(*free);
        firsts.push_back(*free);
        placed.push_back(&wish);
    }
    for (std::size_t i = 0; i < firsts.size(); ++i) want(*placed[i], firsts[i]);
    while (failures_.empty() && (mend_base() || mend_chosen())) {
    }
    if (!failures_.empty()) give_up();
    std::vector<PackageId> out;
    for (const PackageId package : selected_) {
        if (!base_.contains(package)) out.push_back(package);
    }
    return out;
}

}  // namespace slipway::oci::packages
