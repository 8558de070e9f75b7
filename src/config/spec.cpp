#include "config/spec.hpp"

#include "base/text.hpp"
#include "config/fields.hpp"

#include <algorithm>

namespace slipway::config {

namespace {

template <class E>
std::string name_of(E value) {
    return choice_name(type_of<E>(), static_cast<std::int64_t>(value));
}

bool by_name(const Host* a, const Host* b) { return natural_less(a->name, b->name); }

}  // namespace

std::string to_string(Role role) { return name_of(role); }
std::string to_string(EndpointKind kind) { return name_of(kind); }
std::string to_string(EtcdMode mode) { return name_of(mode); }
std::string to_string(OnFailure policy) { return name_of(policy); }

bool Host::has(Role role) const { return std::ranges::find(roles, role) != roles.end(); }

const Host* Spec::find_host(const std::string& host_name) const {
    const auto at = std::ranges::find(hosts, host_name, &Host::name);
    return at == hosts.end() ? nullptr : &*at;
}

std::vector<const Host*> Spec::sorted_hosts() const {
    std::vector<const Host*> out;
    out.reserve(hosts.size());
    for (const Host& host : hosts) out.push_back(&host);
    std::ranges::sort(out, by_name);
    return out;
}

std::vector<const Host*> Spec::with_role(Role role) const {
    std::vector<const Host*> out;
    for (const Host& host : hosts) {
        if (host.has(role)) out.push_back(&host);
    }
    std::ranges::sort(out, by_name);
    return out;
}

}  // namespace slipway::config
