// A resource: one thing on a host that is to be in a wanted state (a file, a sysctl, a unit …).
//
// A kind of resource knows how to read its state, to bring it about and to put back what was there;
// it is tested once. A step is an ordered list of resources:
//
//     auto list = resource_list({file("/etc/modules-load.d/slipway.conf", {.content =
//     "overlay\n"}),
//                                kernel_module("overlay")});
//     engine::Step step = resources_step("load-kernel-modules", list);
//
// States are JSON, so that what was there before goes into the journal as it is. Each record names
// its kind and place, so it can be put back even when the spec no longer asks for that resource.
#pragma once

#include "base/json.hpp"
#include "engine/step.hpp"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::cluster {

// The host a resource is on, for the length of one step.
struct Target {
    remote::Host& host;
    remote::CallOptions call;
    std::function<void(std::string_view)> log;  // a line for the user, kept with the step
};

// In an identity: undo leaves what others have put there. The newest word of the spec about it goes
// into the record, so that it still counts when the spec no longer asks for the resource at all.
inline constexpr std::string_view kKeep = "keep";

class Resource {
  public:
    Resource(std::string kind, std::string name) : kind_(std::move(kind)), name_(std::move(name)) {}
    virtual ~Resource() = default;

    const std::string& kind() const { return kind_; }
    const std::string& name() const { return name_; }
    std::string describe() const { return name_.empty() ? kind_ : kind_ + " " + name_; }

    // What resource_from_identity() needs to make one that can restore().
    virtual json::object identity() const { return {{"kind", kind_}, {"name", name_}}; }

    virtual json::value desired() const = 0;
    virtual json::value read(Target& target) const = 0;
    virtual bool differs(const json::value& now) const { return now != desired(); }

    // How `plan` shows it; only asked when it differs.
    virtual engine::Change change(const json::value& now) const;

    // Others go on changing it once it is as wanted (a folder that programs fill): undo looks at it
    // even when the step had nothing to do.
    virtual bool changes_by_itself() const { return false; }

    // Both may be repeated after a part of them has happened.
    virtual void apply(Target& target) const = 0;
    virtual void restore(Target& target, const json::value& before) const = 0;

  private:
    std::string kind_;
    std::string name_;
};

// Shared and immutable: a thousand hosts that want the same share one resource.
using ResourcePtr = std::shared_ptr<const Resource>;

struct ResourceList {
    std::vector<ResourcePtr> resources;
    std::string digest;  // of every identity and desired state; computed once for all hosts
};
using ResourceListPtr = std::shared_ptr<const ResourceList>;

ResourceListPtr resource_list(std::vector<ResourcePtr> resources);

// A step with probe, act and undo over the list; the caller fills in host, title and needs.
//
// Undo puts back, in reverse order, what the record says was there before the first change. What
// was as wanted from the start was never ours and is left alone. When somebody changed a thing
// since, the recorded state still wins (a reset returns a host to how it was found) and the log
// says so; kinds that own only a part of a file never touch the rest of it.
engine::Step resources_step(std::string id, ResourceListPtr list);

// Runs a command and throws RemoteError COMMAND-FAILED, with the last lines it wrote, unless it
// ended with 0.
remote::CommandResult run_checked(Target& target, std::vector<std::string> argv);

// What commands have written to the file system of `path` is on the disk when this returns. Files
// that Slipway writes itself always are: a step is recorded as done only then, and a machine may
// lose its power at any moment.
void reach_disk(Target& target, const std::string& path);

}  // namespace slipway::cluster
