// Getting onto a host and becoming root there. Where this fails there are no facts, and the error
// that came instead says which of these questions has the answer no.
#include "cluster/checks/report.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

enum class Way { reach, login, key, root, tty };

// Which question an error of the connection answers. An id not listed: the host cannot be reached.
Way way_of(std::string_view error) {
    static constexpr std::array<std::pair<std::string_view, Way>, 10> kWays = {{
        {"HOST-LOGIN-REFUSED", Way::login},
        {"HOST-LOGIN-SHELL", Way::login},
        {"HOST-KEY-FILE", Way::login},
        {"HOST-KEY-CHANGED", Way::key},
        {"HOST-KEY-REVOKED", Way::key},
        {"HOST-KEY-UNKNOWN", Way::key},
        {"HOST-NO-SUDO", Way::root},
        {"HOST-SUDO", Way::root},
        {"HOST-SUDO-PASSWORD", Way::root},
        {"HOST-SUDO-TTY", Way::tty},
    }};
    const auto found = std::ranges::find(kWays, error, &std::pair<std::string_view, Way>::first);
    return found == kWays.end() ? Way::reach : found->second;
}

// Hosts that got as far as this question: all are asked whether they can be reached, only those
// that can are asked for a login, and so on.
void answer(const CheckInput& in, CheckReport& report, Way way, std::string_view passed,
            const std::string& wanted, const auto& usual_remedy) {
    for (const config::Host* host : in.spec.sorted_hosts()) {
        const auto trouble = in.subject.troubles.find(host->name);
        if (trouble == in.subject.troubles.end()) {
            if (in.subject.facts.contains(host->name)) {
                report.add(host->name, pass(std::string(passed)));
            } else if (way == Way::reach) {
                report.add(host->name, fail(kError, "no facts", wanted, usual_remedy(*host)));
            }
            continue;
        }
        const auto& [error, message, remedy] = trouble->second;
        if (way_of(error) != way) continue;
        report.add(host->name,
                   fail(kError, message, wanted, remedy.empty() ? usual_remedy(*host) : remedy));
    }
}

}  // namespace

void check_reachable(const CheckInput& in, CheckReport& report) {
    answer(in, report, Way::reach, "facts were read", "a host that answers",
           [](const config::Host& host) {
               return fmt::format(
                   "check address and port of {} in the spec, and that the machine is on: "
                   "ssh -p {} {}@{} true",
                   host.name, host.port, host.user, host.address);
           });
}

void check_login(const CheckInput& in, CheckReport& report) {
    answer(in, report, Way::login, "logged in", "a login that works", [](const config::Host& host) {
        return fmt::format("check user, key and password of {} in the spec: ssh {}@{} true",
                           host.name, host.user, host.address);
    });
}

void check_host_key(const CheckInput& in, CheckReport& report) {
    answer(in, report, Way::key, "known", "the key that was seen and accepted before",
           [](const config::Host& host) {
               return fmt::format(
                   "compare the fingerprint on the machine's console (ssh-keygen -lf "
                   "/etc/ssh/ssh_host_ed25519_key.pub) before you trust {} anew",
                   host.name);
           });
}

void check_root(const CheckInput& in, CheckReport& report) {
    answer(in, report, Way::root, "is root", "root rights", [](const config::Host& host) {
        return fmt::format(
            "let {0} use sudo on {1} (visudo -f /etc/sudoers.d/{0}: {0} ALL=(ALL) ALL) and set "
            "become.password in the spec, or log in as root",
            host.user, host.name);
    });
}

void check_requiretty(const CheckInput& in, CheckReport& report) {
    answer(in, report, Way::tty, "sudo needs no terminal", "sudo without a terminal",
           [](const config::Host& host) {
               return fmt::format("on {0}: visudo, and add the line: Defaults:{1} !requiretty",
                                  host.name, host.user);
           });
}

}  // namespace slipway::cluster
