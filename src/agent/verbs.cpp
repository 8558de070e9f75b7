#include "agent/verbs.hpp"

#include "agent/claim.hpp"
#include "agent/clean.hpp"
#include "agent/facts/facts.hpp"
#include "agent/fetch.hpp"
#include "agent/files.hpp"
#include "agent/jobs.hpp"
#include "agent/machine.hpp"
#include "agent/probe.hpp"
#include "agent/process.hpp"
#include "agent/system.hpp"
#include "agent/tree.hpp"
#include "agent/tunnel.hpp"
#include "agent/upload.hpp"

namespace slipway::agent {

namespace {

using namespace wire;  // NOLINT(google-build-using-namespace): a table of its messages

Nothing done() { return {}; }

}  // namespace

std::string answer(Verb verb, const std::string& body, Request& r) {
    const auto text = [&] { return decode<Text>(body).text; };
    switch (verb) {
        case Verb::facts: return encode(Text{gather_facts(decode<FactsQuery>(body))});
        case Verb::exec: return encode(execute(decode<Exec>(body), r));
        case Verb::read_file: return encode(read_file(decode<Path>(body), r));
        case Verb::write_file: return encode(write_file(decode<WriteFile>(body), r));
        case Verb::remove_file: return remove_file(decode<Path>(body).path), encode(done());
        case Verb::unit: return encode(unit_state(text(), r));
        case Verb::set_unit: return set_unit(decode<SetUnit>(body), r), encode(done());
        case Verb::restart_unit: return restart_unit(text(), r), encode(done());
        case Verb::package: return encode(Text{package_version(text(), r)});
        case Verb::packages:
            return change_packages(decode<ChangePackages>(body), r), encode(done());
        case Verb::sysctl: return encode(sysctl_value(text()));
        case Verb::set_sysctl: {
            const auto pair = decode<Pair>(body);
            return set_sysctl(pair.key, pair.value), encode(done());
        }
        case Verb::module: return encode(Flag{module_loaded(text())});
        case Verb::set_module: return set_module(decode<Switch>(body), r), encode(done());
        case Verb::swaps: return encode(Texts{swap_devices()});
        case Verb::set_swap: return set_swap(decode<Switch>(body), r), encode(done());
        case Verb::user: return encode(user_state(text()));
        case Verb::add_user: return add_user(decode<User>(body), r), encode(done());
        case Verb::remove_user: return remove_user(text(), r), encode(done());
        case Verb::mounts: return encode(Map{mounts()});
        case Verb::fetch: return encode(fetch(decode<Fetch>(body), r));
        case Verb::start_job: return encode(Flag{start_job(decode<StartJob>(body), r)});
        case Verb::follow_job: return encode(follow_job(decode<FollowJob>(body), r));
        case Verb::forget_job: return forget_job(text(), r), encode(done());
        case Verb::jobs: return encode(Texts{list_jobs()});
        case Verb::tunnel: return tunnel(decode<Tunnel>(body), r), encode(done());
        case Verb::listen: return listen(decode<Listen>(body), r), encode(done());
        case Verb::probe: return encode(probe(decode<Probe>(body), r));
        case Verb::claim: return claim_host(decode<Claim>(body), run_folder()), encode(done());
        case Verb::clean: return encode(Texts{clean_up(r)});
        case Verb::list_folder: return encode(Flag{list_folder(decode<Path>(body).path, r)});
        case Verb::upload: return encode(upload(decode<Upload>(body), r));
        case Verb::remove_tree: return remove_tree(decode<RemoveTree>(body), r), encode(done());
    }
    throw Failed("bad-request", "an unknown verb");
}

}  // namespace slipway::agent
