#include "base/text.hpp"
#include "cluster/resources/file_json.hpp"
#include "cluster/resources/kept_file.hpp"
#include "cluster/resources/kinds.hpp"

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

constexpr const char* kNote = "/var/lib/slipway/made/pods";

constexpr const char* kRuntime = "unix:///run/containerd/containerd.sock";

// Pods outlive both kubelet and containerd: that is what makes their restarts harmless.
class PodsOfNode : public Resource {
  public:
    PodsOfNode() : Resource("pods of the node", "") {}

    // A note says that there may be some from now on.
    json::value desired() const override { return "may be"; }
    json::value read(Target& target) const override { return read_note(target, kNote); }
    engine::Change change(const json::value&) const override {
        return {"create", "file " + std::string(kNote), "undo takes them away"};
    }
    void apply(Target& target) const override {
        target.host.write_file(kNote, {.content = "may be\n"}, target.call);
    }

    void restore(Target& target, const json::value&) const override {
        const remote::CommandResult listed = target.host.run(
            {.argv = {"/usr/local/bin/crictl", "-r", kRuntime, "pods", "-q"}}, target.call);
        if (listed.exit_code == 0 && !trim(listed.out).empty()) {
            target.host.run({.argv = {"/usr/local/bin/crictl", "-r", kRuntime, "rmp", "-fa"},
                             .deadline = std::chrono::minutes(3)},
                            target.call);
        }
        // Whatever did not end by itself.
        target.host.run({.argv = {"pkill", "-KILL", "-f", "containerd-shim-runc-v2"}}, target.call);
        target.host.remove_file(kNote, target.call);
        remove_folder_if_empty(target, "/var/lib/slipway/made");
    }
};

}  // namespace

ResourcePtr pods_of_node() { return std::make_shared<PodsOfNode>(); }

}  // namespace slipway::cluster
