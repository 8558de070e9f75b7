#include "remote/facts.hpp"

#include <set>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace slipway::remote {
namespace {

std::string text() { return *rc::gen::container<std::string>(rc::gen::inRange<char>(' ', '\x7f')); }

std::int64_t number() { return *rc::gen::arbitrary<std::int64_t>(); }
bool flag() { return *rc::gen::arbitrary<bool>(); }

std::vector<std::string> texts() {
    std::vector<std::string> out(*rc::gen::inRange<std::size_t>(0, 4));
    for (std::string& item : out) item = text();
    return out;
}

std::map<std::string, std::string> pairs() {
    std::map<std::string, std::string> out;
    for (const std::string& key : texts()) out[key] = text();
    return out;
}

void fill_machine(Facts& f) {
    for (std::string* member :
         {&f.hostname, &f.os_id, &f.os_version, &f.os_name, &f.kernel, &f.arch, &f.machine_id,
          &f.product_uuid, &f.boot_id, &f.init, &f.virtualization}) {
        *member = text();
    }
    for (std::int64_t* member : {&f.uptime_seconds, &f.cpus, &f.memory_mib, &f.memory_available_mib,
                                 &f.disk_free_mib, &f.fsync_median_us, &f.fsync_worst_us}) {
        *member = number();
    }
    f.reboot_required = flag();
    f.disks = {{text(), text(), text(), number(), number(), number(), flag(), flag()}};
    f.cgroup_version = *rc::gen::arbitrary<int>();
    f.cgroup_controllers = texts();
    f.modules = pairs();
    f.commands = pairs();
    f.sysctls = pairs();
}

void fill_rest(Facts& f) {
    f.addresses = texts();
    f.interfaces = {{text(), text(), number(), flag(), texts()}, {}};
    f.routes = {{text(), text(), text()}};
    f.listening = {{text(), text(), number(), text()}};
    f.ipv6 = flag();
    f.name_servers = texts();
    f.search_domains = texts();
    f.resolved = pairs();
    f.proxies = pairs();
    f.clock_offset_ms = number();
    f.clock_error_ms = number();
    f.time_synchronized = flag();
    f.apparmor = flag();
    f.firewall_rules = number();
    f.swaps = texts();
    f.package_manager_busy = flag();
    f.runtimes = texts();
    f.leftovers = texts();
    f.locale_utf8 = flag();
    for (std::string* member : {&f.time_service, &f.timezone, &f.selinux, &f.firewall,
                                &f.package_manager, &f.login_user, &f.root_by}) {
        *member = text();
    }
}

RC_GTEST_PROP(Facts, SurviveJson, ()) {
    Facts facts;
    fill_machine(facts);
    fill_rest(facts);
    const std::string written = json::serialize(facts.to_json());
    RC_ASSERT(Facts::from_json(parse_json(written, "facts").as_object()) == facts);
}

// The generators above must not forget a member: each key has to take another value than by
// default in one of the tries.
TEST(Facts, ThePropertyFillsEveryField) {
    std::set<std::string> never_filled;
    const json::object empty = Facts{}.to_json();
    for (const auto& [key, value] : empty) never_filled.emplace(key);
    rc::check([&] {
        Facts facts;
        fill_machine(facts);
        fill_rest(facts);
        for (const auto& [key, value] : facts.to_json()) {
            if (value != empty.at(key)) never_filled.erase(std::string(key));
        }
    });
    EXPECT_EQ(never_filled, std::set<std::string>{});
}

TEST(Facts, UnknownKeysAndWrongTypesArePassedOver) {
    const json::value text = parse_json(
        R"({"cpus":"four","memoryMib":8192,"disks":[{"mount":"/","freeMib":true}, 7],
            "modules":{"overlay":"loaded","veth":3},"addresses":"10.0.0.1","future":[1]})",
        "facts");
    const Facts facts = Facts::from_json(text.as_object());
    EXPECT_EQ(facts.cpus, 0);
    EXPECT_EQ(facts.memory_mib, 8192);
    ASSERT_EQ(facts.disks.size(), 2u);
    EXPECT_EQ(facts.disks[0].mount, "/");
    EXPECT_EQ(facts.disks[0].free_mib, 0);
    EXPECT_EQ(facts.modules, (std::map<std::string, std::string>{{"overlay", "loaded"}}));
    EXPECT_TRUE(facts.addresses.empty());
    EXPECT_EQ(facts.cgroup_version, 2);
}

}  // namespace
}  // namespace slipway::remote
