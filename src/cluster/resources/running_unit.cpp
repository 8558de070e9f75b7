#include "base/error.hpp"
#include "cluster/resources/kinds.hpp"

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

remote::UnitState unit_from_json(const json::value& value) {
    const json::object& object = value.as_object();
    return {.exists = bool_at(object, "exists"),
            .enabled = bool_at(object, "enabled"),
            .active = bool_at(object, "active"),
            .masked = bool_at(object, "masked")};
}

std::string words(const remote::UnitState& state) {
    return fmt::format("{}, {}",
                       state.masked    ? "masked"
                       : state.enabled ? "enabled"
                                       : "disabled",
                       state.active ? "running" : "stopped");
}

class RunningUnit : public Resource {
  public:
    explicit RunningUnit(std::string unit) : Resource("unit", std::move(unit)) {}

    json::value desired() const override {
        return json::object{
            {"exists", true}, {"enabled", true}, {"active", true}, {"masked", false}};
    }

    json::value read(Target& target) const override {
        const remote::UnitState now = target.host.unit(name(), target.call);
        return json::object{{"exists", now.exists},
                            {"enabled", now.enabled},
                            {"active", now.active},
                            {"masked", now.masked}};
    }

    engine::Change change(const json::value& now) const override {
        return {"change", describe(), words(unit_from_json(now)) + " -> enabled, running"};
    }

    void apply(Target& target) const override {
        target.host.set_unit(name(), unit_from_json(desired()), target.call);
    }
    void restore(Target& target, const json::value& before) const override {
        target.host.set_unit(name(), unit_from_json(before), target.call);
    }
};

}  // namespace

ResourcePtr running_unit(std::string unit) {
    return std::make_shared<RunningUnit>(std::move(unit));
}

}  // namespace slipway::cluster
