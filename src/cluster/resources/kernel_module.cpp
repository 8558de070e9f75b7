#include "base/error.hpp"
#include "cluster/resources/kinds.hpp"

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

class KernelModule : public Resource {
  public:
    explicit KernelModule(std::string name) : Resource("kernel module", std::move(name)) {}

    json::value desired() const override { return true; }
    json::value read(Target& target) const override {
        return target.host.module_loaded(name(), target.call);
    }
    engine::Change change(const json::value&) const override {
        return {"change", describe(), "load"};
    }
    void apply(Target& target) const override { target.host.load_module(name(), target.call); }

    void restore(Target& target, const json::value& before) const override {
        if (before == desired()) return;
        try {
            target.host.unload_module(name(), target.call);
        } catch (const RemoteError& e) {
            // In use by something that came later. It does no harm and is gone after a reboot.
            target.log(fmt::format("{} stays loaded: {}", describe(), e.message()));
        }
    }
};

}  // namespace

ResourcePtr kernel_module(std::string name) {
    return std::make_shared<KernelModule>(std::move(name));
}

}  // namespace slipway::cluster
