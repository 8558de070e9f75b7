// Which packages are needed, whatever their format: named ones with what they depend on.
//
//     Solver solver(universe);
//     solver.assume_with_needs(universe.essential());     // a base system
//     const std::vector<PackageId> chosen = solver.solve(wanted, stop);
//
// The same universe and wishes give the same answer. A requirement is met by what is there already,
// else by its first candidate whose own needs can be met; when one cannot, the next is tried. What
// was settled for an earlier requirement is not taken back for a later one: apt does not either.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace slipway::oci::packages {

using PackageId = std::uint32_t;

struct Requirement {
    std::string text = {};                   // for people: libc6 (>= 2.36)
    std::vector<PackageId> candidates = {};  // the best first
    std::string reason = {};                 // why there is none, when more is known than that
};

// The packages there are, and what they say about each other.
class Universe {
  public:
    virtual ~Universe() = default;
    virtual std::vector<Requirement> requirements(PackageId package) const = 0;
    // Packages that cannot stand beside this one.
    virtual std::vector<PackageId> conflicts(PackageId package) const = 0;
    // Of two packages with one name only one can be there.
    virtual const std::string& name(PackageId package) const = 0;
    virtual std::string label(PackageId package) const = 0;  // socat 1.7.4-1
    // Newer ones of the same name: what may take the place of a package of the base.
    virtual std::vector<PackageId> newer(PackageId package) const = 0;
};

class Solver {
  public:
    explicit Solver(const Universe& universe) : universe_(universe) {}

    // What the target has: not part of the answer.
    void assume(const std::vector<PackageId>& packages);
    // … and what these need, as far as it can be found.
    void assume_with_needs(const std::vector<PackageId>& packages);

    // What has to be installed, by id. Throws UserError PACKAGES-UNSATISFIED with every chain that
    // ends in something that is not there.
    std::vector<PackageId> solve(const std::vector<Requirement>& wanted,
                                 const std::stop_token& stop = {});

  private:
    struct Change {
        PackageId added = 0;
        bool replaces = false;
        PackageId replaced = 0;
    };

    bool has(PackageId package) const { return selected_.contains(package); }
    bool is_met(const Requirement& requirement) const;
    void select(PackageId package);
    void roll_back(std::size_t to);
    void take_back(const Change& change);
    bool stands_against(PackageId package);
    bool add(PackageId package);
    bool complete(PackageId package, std::size_t before);
    bool meet(const Requirement& requirement);
    void want(const Requirement& requirement, PackageId first);
    bool mend_base();
    bool mend_chosen();
    void fail(const std::string& leaf);
    [[noreturn]] void give_up() const;

    const Universe& universe_;
    std::stop_token stop_;
    std::set<PackageId> selected_;  // base and chosen
    std::set<PackageId> base_;      // those of the base that still stand
    std::unordered_map<std::string, PackageId> by_name_;
    std::map<PackageId, std::set<PackageId>> banned_by_;  // package: who stands against it
    std::vector<Change> trail_;
    std::vector<std::string> chain_;  // how we came here, for messages
    std::vector<std::string> failures_;
    std::map<PackageId, std::string> impossible_;  // whatever else is chosen
    std::size_t conflicts_seen_ = 0;
    std::size_t tries_ = 0;
};

}  // namespace slipway::oci::packages
