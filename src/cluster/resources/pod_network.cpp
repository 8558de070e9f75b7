#include "base/text.hpp"
#include "cluster/resources/file_json.hpp"
#include "cluster/resources/kept_file.hpp"
#include "cluster/resources/kinds.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

constexpr const char* kNote = "/var/lib/slipway/made/pod-network";

constexpr std::array kInterfaces = {"cni0",         "flannel.1",    "flannel-v6.1", "kube-ipvs0",
                                    "vxlan.calico", "cilium_vxlan", "cilium_host"};
// Chains whose names begin so are Kubernetes' or its plugins', and nobody else's.
constexpr std::array<std::string_view, 5> kChains = {"KUBE-", "FLANNEL-", "CNI-", "cali-",
                                                     "CILIUM_"};

bool is_of_pods(std::string_view rule) {
    return std::ranges::any_of(kChains, [&](std::string_view beginning) {
        return rule.find(beginning) != std::string_view::npos;
    });
}

// Rules of others keep their place and their counters.
std::string without_rules_of_pods(const std::string& saved) {
    std::string out;
    for (const std::string& line : split(saved, '\n')) {
        const bool masquerade = line.find("flanneld masq") != std::string::npos ||
                                line.find("flanneld forward") != std::string::npos;
        if (!is_of_pods(line) && !masquerade) out += line + "\n";
    }
    return out;
}

class PodNetwork : public Resource {
  public:
    PodNetwork() : Resource("network of pods", "") {}

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
        for (const char* interface : kInterfaces) {
            target.host.run({.argv = {"ip", "link", "delete", interface}}, target.call);
        }
        for (const char* family : {"iptables", "ip6tables"}) clear_rules(target, family);
        for (const char* table : {"kube-proxy", "flannel-ipv4", "flannel-ipv6"}) {
            for (const char* family : {"ip", "ip6"})
                target.host.run({.argv = {"nft", "delete", "table", family, table}}, target.call);
        }
        target.host.remove_file(kNote, target.call);
        remove_folder_if_empty(target, "/var/lib/slipway/made");
    }

  private:
    static void clear_rules(Target& target, const std::string& family) {
        const remote::CommandResult saved =
            target.host.run({.argv = {family + "-save"}}, target.call);
        if (saved.exit_code != 0 || !is_of_pods(saved.out)) return;
        target.host.run({.argv = {family + "-restore"}, .input = without_rules_of_pods(saved.out)},
                        target.call);
    }
};

}  // namespace

ResourcePtr pod_network() { return std::make_shared<PodNetwork>(); }

}  // namespace slipway::cluster
