#include "remote/facts.hpp"

#include <utility>

namespace slipway::remote {

namespace {

// Every field once, with its key: writing and reading cannot disagree.
template <class D, class Visit>
    requires std::same_as<std::remove_const_t<D>, Disk>
void each_field(D& d, Visit&& visit) {
    visit("mount", d.mount);
    visit("device", d.device);
    visit("type", d.type);
    visit("sizeMib", d.size_mib);
    visit("freeMib", d.free_mib);
    visit("freeInodes", d.free_inodes);
    visit("readOnly", d.read_only);
    visit("noExec", d.no_exec);
}

template <class I, class Visit>
    requires std::same_as<std::remove_const_t<I>, Interface>
void each_field(I& i, Visit&& visit) {
    visit("name", i.name);
    visit("mac", i.mac);
    visit("mtu", i.mtu);
    visit("up", i.up);
    visit("addresses", i.addresses);
}

template <class R, class Visit>
    requires std::same_as<std::remove_const_t<R>, Route>
void each_field(R& r, Visit&& visit) {
    visit("destination", r.destination);
    visit("gateway", r.gateway);
    visit("interface", r.interface);
}

template <class P, class Visit>
    requires std::same_as<std::remove_const_t<P>, ListeningPort>
void each_field(P& p, Visit&& visit) {
    visit("protocol", p.protocol);
    visit("address", p.address);
    visit("port", p.port);
    visit("process", p.process);
}

template <class F, class Visit>
void each_machine_field(F& f, Visit& visit) {
    visit("hostname", f.hostname);
    visit("osId", f.os_id);
    visit("osVersion", f.os_version);
    visit("osName", f.os_name);
    visit("kernel", f.kernel);
    visit("arch", f.arch);
    visit("machineId", f.machine_id);
    visit("productUuid", f.product_uuid);
    visit("bootId", f.boot_id);
    visit("init", f.init);
    visit("virtualization", f.virtualization);
    visit("uptimeSeconds", f.uptime_seconds);
    visit("rebootRequired", f.reboot_required);
    visit("cpus", f.cpus);
    visit("memoryMib", f.memory_mib);
    visit("memoryAvailableMib", f.memory_available_mib);
    visit("diskFreeMib", f.disk_free_mib);
    visit("disks", f.disks);
    visit("fsyncMedianUs", f.fsync_median_us);
    visit("fsyncWorstUs", f.fsync_worst_us);
    visit("cgroupVersion", f.cgroup_version);
    visit("cgroupControllers", f.cgroup_controllers);
    visit("modules", f.modules);
    visit("commands", f.commands);
    visit("sysctls", f.sysctls);
}

template <class F, class Visit>
void each_network_field(F& f, Visit& visit) {
    visit("addresses", f.addresses);
    visit("interfaces", f.interfaces);
    visit("routes", f.routes);
    visit("listening", f.listening);
    visit("ipv6", f.ipv6);
    visit("nameServers", f.name_servers);
    visit("searchDomains", f.search_domains);
    visit("resolved", f.resolved);
    visit("proxies", f.proxies);
}

template <class F, class Visit>
    requires std::same_as<std::remove_const_t<F>, Facts>
void each_field(F& f, Visit&& visit) {
    each_machine_field(f, visit);
    each_network_field(f, visit);
    visit("clockOffsetMs", f.clock_offset_ms);
    visit("clockErrorMs", f.clock_error_ms);
    visit("timeService", f.time_service);
    visit("timeSynchronized", f.time_synchronized);
    visit("timezone", f.timezone);
    visit("selinux", f.selinux);
    visit("apparmor", f.apparmor);
    visit("firewall", f.firewall);
    visit("firewallRules", f.firewall_rules);
    visit("swaps", f.swaps);
    visit("packageManager", f.package_manager);
    visit("packageManagerBusy", f.package_manager_busy);
    visit("runtimes", f.runtimes);
    visit("leftovers", f.leftovers);
    visit("loginUser", f.login_user);
    visit("rootBy", f.root_by);
    visit("localeUtf8", f.locale_utf8);
}

// ---- values to JSON

template <class Record>
json::value written(const Record& record);
template <class Item>
json::value written(const std::vector<Item>& items);

json::value written(const std::string& text) { return json::value(text); }
json::value written(std::int64_t number) { return number; }
json::value written(int number) { return number; }
json::value written(bool yes) { return yes; }
json::value written(const std::map<std::string, std::string>& items) {
    json::object out;
    for (const auto& [key, value] : items) out[key] = value;
    return out;
}

template <class Record>
json::value written(const Record& record) {
    json::object out;
    each_field(record, [&](std::string_view key, const auto& value) { out[key] = written(value); });
    return out;
}

template <class Item>
json::value written(const std::vector<Item>& items) {
    json::array out;
    for (const Item& item : items) out.push_back(written(item));
    return out;
}

// ---- and back: what has the wrong type keeps its default

template <class Record>
void take(const json::value& from, Record& into);
template <class Item>
void take(const json::value& from, std::vector<Item>& into);

void take(const json::value& from, std::string& into) {
    if (from.is_string()) into = std::string_view(from.get_string());
}

void take(const json::value& from, std::int64_t& into) {
    if (from.is_int64()) into = from.get_int64();
}

void take(const json::value& from, int& into) {
    if (from.is_int64() && std::in_range<int>(from.get_int64())) {
        into = static_cast<int>(from.get_int64());
    }
}

void take(const json::value& from, bool& into) {
    if (from.is_bool()) into = from.get_bool();
}

void take(const json::value& from, std::map<std::string, std::string>& into) {
    if (!from.is_object()) return;
    for (const auto& [key, value] : from.get_object()) {
        if (value.is_string()) into[std::string(std::string_view(key))] = value.get_string();
    }
}

template <class Record>
void take(const json::value& from, Record& into) {
    if (!from.is_object()) return;
    const json::object& object = from.get_object();
    each_field(into, [&](std::string_view key, auto& value) {
        if (const json::value* found = object.if_contains(key)) take(*found, value);
    });
}

template <class Item>
void take(const json::value& from, std::vector<Item>& into) {
    if (!from.is_array()) return;
    for (const json::value& item : from.get_array()) take(item, into.emplace_back());
}

}  // namespace

json::object Facts::to_json() const { return written(*this).get_object(); }

Facts Facts::from_json(const json::object& object) {
    Facts facts;
    take(json::value(object), facts);
    return facts;
}

}  // namespace slipway::remote
