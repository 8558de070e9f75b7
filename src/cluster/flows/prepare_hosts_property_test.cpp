// Any machine in, the same machine out: the preparation under random beginnings and interruptions.
#include "base/error.hpp"
#include "cluster/testing/sample_spec.hpp"
#include "cluster/testing/simulated_site.hpp"
#include "cluster/testing/step_runner.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace slipway::cluster {
namespace {

using remote::Call;
using remote::FaultKind;
using remote::FileState;
using remote::Model;
using remote::Section;
using testing::differences;
using testing::sample_spec;
using testing::SimulatedSite;
using testing::StepRunner;

const std::vector<std::string> kNone;

// A machine as an administrator may have left it.
void scramble(Model& m) {
    const auto maybe = [](int percent) { return *rc::gen::inRange(0, 100) < percent; };
    const auto put = [&](const std::string& path, FileState state) {
        if (maybe(40)) m.set({Section::file, path}, std::move(state));
    };
    const auto text = [] {
        return *rc::gen::container<std::string>(rc::gen::elementOf(std::string("a1 #=\n\t\xe9")));
    };
    const auto mode = [] { return *rc::gen::element(0600u, 0640u, 0644u, 0755u); };
    put("/etc/hosts", {.content = text(), .mode = mode()});
    if (maybe(20)) {
        m.set({Section::file, "/etc/hosts"},
              FileState{.content = "x\n# BEGIN slipway\n" +
                                   (maybe(50) ? "1.2.3.4 old\n" : std::string()) + "# END slipway" +
                                   (maybe(50) ? "\n" + text() : "")});
    }
    for (const char* path :
         {"/etc/hostname", "/etc/modules-load.d/slipway.conf", "/etc/sysctl.d/90-slipway.conf",
          "/etc/security/limits.d/90-slipway.conf", "/etc/timezone",
          "/etc/systemd/system.conf.d/90-slipway.conf"}) {
        put(path, {.content = text(), .mode = mode()});
        if (maybe(20)) m.remove({Section::file, path});
    }
    put("/etc/systemd/system/swap.target", {.content = "[Unit]\n"});
    for (const char* path : {"/var/lib/etcd", "/etc/kubernetes", "/var/lib/slipway", "/srv/data"}) {
        put(path, {.content = "", .mode = mode(), .folder = true});
    }
    for (const char* key : {"net.ipv4.ip_forward", "vm.swappiness", "kernel.panic", "fs.nr_open"}) {
        if (maybe(40)) m.set({Section::sysctl, key}, std::to_string(*rc::gen::inRange(0, 12)));
    }
    for (const char* module : {"overlay", "nbd", "nf_conntrack"}) {
        if (maybe(40)) m.set({Section::module, module}, maybe(30) ? "builtin" : "loaded");
    }
    if (maybe(30)) m.set({Section::swap, "/swapfile"}, "on");
    if (maybe(30)) m.set({Section::swap, "/dev/vda2"}, "off");
    if (maybe(30)) m.set({Section::user, "backup"}, remote::UserState{"/home/b", "/bin/sh", false});
    if (maybe(30)) m.set({Section::setting, "hostname"}, "w1");
}

// The modules' own sysctls come and go with them.
TEST(PrepareHostsProperty, UndoOfEverythingGivesBackAnyInitialState) {
    EXPECT_TRUE(rc::check([] {
        SimulatedSite site(sample_spec());
        for (const std::string name : {"cp1", "w1", "w2"}) site.host(name).tamper(scramble);
        const json::object start = site.snapshot();
        StepRunner runner(site.fleet());
        const auto steps = site.steps();
        runner.apply_all(steps);
        RC_ASSERT(runner.apply_all(steps) == 0u);
        runner.undo_all(steps);
        RC_ASSERT(differences(site.snapshot(), start) == kNone);
    }));
}

// Again and again, as one process after the other would: everything is probed anew.
void insist(const std::function<void()>& work) {
    for (int tries = 0;; ++tries) {
        try {
            return work();
        } catch (const Error&) {
            if (tries == 12) throw;
        }
    }
}

TEST(PrepareHostsProperty, InterruptedAnywhereTheNextRunEndsInTheSameStateAndCanBeUndone) {
    EXPECT_TRUE(rc::check([] {
        SimulatedSite undisturbed(sample_spec());
        undisturbed.apply();

        SimulatedSite site(sample_spec());
        const json::object start = site.snapshot();
        const auto steps = site.steps();
        StepRunner runner(site.fleet());
        for (const std::string name : {"cp1", "w1", "w2"}) {
            const int crashes = *rc::gen::inRange(0, 3);
            for (int i = 0; i < crashes; ++i) {
                // A kernel call is one system call: it happens or it does not.
                const Call call = *rc::gen::element(Call::write, Call::command, Call::unit,
                                                    Call::user, Call::kernel);
                site.host(name).add_fault(
                    {.on = call,
                     .after = *rc::gen::inRange(0, 40),
                     .error = call == Call::kernel ? FaultKind::transient : FaultKind::crash});
            }
        }
        insist([&] { runner.apply_all(steps); });
        RC_ASSERT(differences(site.snapshot(), undisturbed.snapshot()) == kNone);
        insist([&] { RC_ASSERT(runner.apply_all(steps) == 0u); });
        insist([&] { runner.undo_all(steps); });
        RC_ASSERT(differences(site.snapshot(), start) == kNone);
    }));
}

}  // namespace
}  // namespace slipway::cluster
