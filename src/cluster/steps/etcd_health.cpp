#include "cluster/steps/etcd_health.hpp"

#include "base/error.hpp"
#include "cluster/etcd_config.hpp"
#include "cluster/steps/kubectl.hpp"
#include "cluster/steps/waiting.hpp"

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

remote::CommandResult ask(engine::Context& c, const std::string& host) {
    return run_if_there(c.host(host), {.argv = etcdctl(etcd_health_words())}, c.call());
}

}  // namespace

std::vector<std::string> etcd_health_words() {
    return {"endpoint", "health", "--command-timeout=5s"};
}

bool etcd_answers(engine::Context& c, const std::string& host) {
    return ask(c, host).exit_code == 0;
}

bool etcd_answers(engine::Context& c) { return etcd_answers(c, c.host().name()); }

void await_etcd(engine::Context& c, Millis most) {
    remote::CommandResult answer;
    const auto answers = [&] {
        answer = ask(c, c.host().name());
        return answer.exit_code == 0;
    };
    if (wait_until(c, most, answers)) return;
    throw RemoteError(
        "ETCD-SILENT",
        fmt::format("etcd on {} did not answer within {} s", c.host().name(), most.count() / 1000),
        {.cause = last_words(answer),
         .remedy = fmt::format("see journalctl -u etcd on {} and the other members: a "
                               "majority must run and reach each other at port 2380; then "
                               "resume",
                               c.host().name()),
         .recovery = Recovery::transient});
}

}  // namespace slipway::cluster
