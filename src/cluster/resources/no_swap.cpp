#include "base/text.hpp"
#include "cluster/resources/kinds.hpp"

#include <algorithm>

namespace slipway::cluster {

namespace {

std::vector<std::string> devices_of(const json::value& state) {
    std::vector<std::string> out;
    for (const json::value& device : state.as_array()) {
        out.emplace_back(std::string_view(device.as_string()));
    }
    return out;
}

class NoSwap : public Resource {
  public:
    NoSwap() : Resource("swap", "") {}

    json::value desired() const override { return json::array{}; }

    json::value read(Target& target) const override {
        std::vector<std::string> devices = target.host.swaps(target.call);
        std::ranges::sort(devices);
        json::array out;
        for (const std::string& device : devices) out.emplace_back(device);
        return out;
    }

    engine::Change change(const json::value& now) const override {
        return {"change", describe(), join(devices_of(now), ", ") + " -> off"};
    }

    void apply(Target& target) const override {
        for (const std::string& device : target.host.swaps(target.call)) {
            target.host.swap_off(device, target.call);
        }
    }

    void restore(Target& target, const json::value& before) const override {
        const std::vector<std::string> now = target.host.swaps(target.call);
        for (const std::string& device : devices_of(before)) {
            const bool on = std::ranges::find(now, device) != now.end();
            if (!on) target.host.swap_on(device, target.call);
        }
    }
};

}  // namespace

ResourcePtr no_swap() { return std::make_shared<NoSwap>(); }

}  // namespace slipway::cluster
