// A flow: THE LIST of what is done where, in reading order (flows/*.cpp), and what follows from it:
// the steps of a plan, the table of `slipway steps`, and the check of step names in a spec.
//
//     Flow flow = create_cluster();
//     std::vector<engine::Step> steps = instantiate(flow, spec, facts);
//
// What really waits for what stands in each kind's `needs`; the order of the list means nothing to
// the engine. A step switched off in the spec, or with nothing to do on a host, is not in the plan.
#pragma once

#include "cluster/material.hpp"
#include "config/load.hpp"
#include "config/spec.hpp"
#include "engine/step.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::cluster {

// Things many hosts share, made once for a plan: the hosts entries of a thousand hosts are one
// text.
class Memo {
  public:
    template <class T, class Make>
    std::shared_ptr<const T> get(const std::string& key, Make&& make) {
        std::shared_ptr<const void>& slot = slots_[key];
        if (!slot) slot = make();
        return std::static_pointer_cast<const T>(slot);
    }

  private:
    std::map<std::string, std::shared_ptr<const void>> slots_;
};

// What surrounds a plan without being part of it: none of this changes a step's fingerprint.
struct Surroundings {
    std::string state_folder = {};  // of the cluster, on this computer
    // Path of the cluster's kubeconfig on this computer; "" as long as there is none. Asked when a
    // step runs.
    std::function<std::string()> kubeconfig = {};
    // The steps are made to be undone: their records say all that takes, and files of the
    // operator's that are gone by now must not stand in the way.
    bool undo = false;
    Material material = {};
};

// What a kind of step knows when it makes its steps for one host.
struct StepInput {
    const config::Spec& spec;
    const config::Host* host;    // null for `once`
    const remote::Facts& facts;  // empty when the host could not be reached
    Memo& memo;
    const Surroundings& around;
    const Material& material;
};

// How a `once` step stands to the steps of all hosts.
enum class Stand {
    by_needs,
    before_all,  // all that comes later in the list waits for it
    after_all,   // it waits for all that came earlier in the list, but not for hosts set aside
};

// A kind of step, as data. Help, the docs table and the check of names are derived from it.
struct StepKind {
    std::string id;  // "set-sysctls"; ends with '*' when the spec names the steps (scripts)
    std::string title;
    std::string part;  // the part of the spec that switches it: "os.sysctl"
    bool (*enabled)(const config::Spec&) = [](const config::Spec&) { return true; };
    // Ids on the same host, or of no host, that must have finished; a '*' at the end means every
    // earlier step of that beginning. One that is not in the plan is not waited for.
    // On other hosts: "registry:ID", "first-control-plane:ID", "every:ID".
    std::vector<std::string> needs = {};
    // The same, waited for only as long as their hosts are not set aside.
    std::vector<std::string> after = {};
    Stand stand = Stand::by_needs;
    double weight = 0.5;
    bool delegable = true;
    std::string why_not_skippable = {};  // "": may be skipped
    std::string why_no_undo = {};        // "": can be undone
    // Fills in what is particular: id, inputs, probe, act, undo, and needs that only this step has,
    // written as above. Empty: nothing to do on this host.
    std::function<std::vector<engine::Step>(const StepInput&)> make;
};

// Where a kind of step runs.
struct Where {
    enum class Reach { every, first, rest, once, nodes, others, registries, members, holders };
    Reach reach = Reach::every;
    std::optional<config::Role> role = {};  // none: every host

    std::string describe() const;
    // In natural order of the names, so that a reordered file gives the same plan.
    std::vector<const config::Host*> hosts(const config::Spec& spec) const;
};

struct AnyHost {};
inline constexpr AnyHost Host{};
inline constexpr config::Role ControlPlane = config::Role::control_plane;
inline constexpr config::Role Etcd = config::Role::etcd;
inline constexpr config::Role Worker = config::Role::worker;
inline constexpr config::Role Registry = config::Role::registry;

inline Where every(AnyHost) { return {}; }
inline Where every(config::Role role) { return {Where::Reach::every, role}; }
inline Where first(config::Role role) { return {Where::Reach::first, role}; }
inline Where rest(config::Role role) { return {Where::Reach::rest, role}; }
inline Where every_member() { return {Where::Reach::members, {}}; }  // who runs etcd
// Control planes, and who runs etcd: what proves them to others they renew themselves.
inline Where every_certificate_holder() { return {Where::Reach::holders, {}}; }
inline const Where once = {Where::Reach::once, {}};
inline const Where every_node = {Where::Reach::nodes, {}};  // control planes and workers
inline Where every_other_node() { return {Where::Reach::others, {}}; }  // workers and nothing else
inline const Where every_registry = {Where::Reach::registries, {}};     // who serves the bundle

// Whether a step has anything to do where no bundle is named: such a spec prepares hosts and no
// more.
enum class From { hosts, bundle };

struct FlowLine {
    Where where;
    StepKind kind;
    From from = From::hosts;
};
using Flow = std::vector<FlowLine>;

// Hosts without facts get their steps too: the engine then finds them unreachable and sets them
// aside.
std::vector<engine::Step> instantiate(const Flow& flow, const config::Spec& spec,
                                      const std::map<std::string, remote::Facts>& facts,
                                      const Surroundings& around = {});

// One row of `slipway steps` and docs/steps.md.
struct CatalogEntry {
    std::string id;
    std::string title;
    std::string where;
    std::vector<std::string> needs;
    std::string part;
    bool skippable = true;
    std::string why_not_skippable;
    bool delegable = true;
    bool undo = true;
    std::string why_no_undo;
};

std::vector<CatalogEntry> step_catalog();

// "pre-install-script-*" names every step of that beginning.
bool names_step(std::string_view pattern, std::string_view id);

}  // namespace slipway::cluster
