#include "remote/host.hpp"

namespace slipway::remote {

namespace {

json::array to_array(const std::vector<std::string>& items) {
    json::array out;
    for (const std::string& item : items) out.emplace_back(item);
    return out;
}

std::vector<std::string> strings_at(const json::object& object, std::string_view key) {
    std::vector<std::string> out;
    const json::value* value = object.if_contains(key);
    if (value == nullptr || !value->is_array()) return out;
    for (const json::value& item : value->get_array()) {
        if (item.is_string()) out.emplace_back(item.get_string());
    }
    return out;
}

}  // namespace

json::object Facts::to_json() const {
    return {
        {"hostname", hostname},
        {"osId", os_id},
        {"osVersion", os_version},
        {"kernel", kernel},
        {"arch", arch},
        {"machineId", machine_id},
        {"productUuid", product_uuid},
        {"cpus", cpus},
        {"memoryMib", memory_mib},
        {"diskFreeMib", disk_free_mib},
        {"cgroupVersion", cgroup_version},
        {"selinux", selinux},
        {"firewall", firewall},
        {"timeService", time_service},
        {"addresses", to_array(addresses)},
        {"swaps", to_array(swaps)},
        {"clockOffsetMs", clock_offset_ms},
        {"packageManager", package_manager},
    };
}

Facts Facts::from_json(const json::object& object) {
    Facts facts;
    facts.hostname = string_at(object, "hostname");
    facts.os_id = string_at(object, "osId");
    facts.os_version = string_at(object, "osVersion");
    facts.kernel = string_at(object, "kernel");
    facts.arch = string_at(object, "arch");
    facts.machine_id = string_at(object, "machineId");
    facts.product_uuid = string_at(object, "productUuid");
    facts.cpus = int_at(object, "cpus");
    facts.memory_mib = int_at(object, "memoryMib");
    facts.disk_free_mib = int_at(object, "diskFreeMib");
    facts.cgroup_version = static_cast<int>(int_at(object, "cgroupVersion", 2));
    facts.selinux = string_at(object, "selinux");
    facts.firewall = string_at(object, "firewall");
    facts.time_service = string_at(object, "timeService");
    facts.addresses = strings_at(object, "addresses");
    facts.swaps = strings_at(object, "swaps");
    facts.clock_offset_ms = int_at(object, "clockOffsetMs");
    facts.package_manager = string_at(object, "packageManager");
    return facts;
}

}  // namespace slipway::remote
