// A journal in memory, with the rules of the real one: for tests of scheduling and recovery that
// must take milliseconds. fail_after(n) makes the n-th write from now fail as a full disk would.
#pragma once

#include "base/mutex.hpp"
#include "store/journal.hpp"

#include <map>

namespace slipway::engine::testing {

class MemoryJournal final : public store::Journal {
  public:
    void fail_after(int writes);

    std::int64_t begin_run(const store::Run& run) override;
    void resume_run(std::int64_t run) override;
    void finish_run(std::int64_t run, std::string_view result, std::int64_t at_ms) override;
    std::vector<store::Run> runs() override;
    std::optional<store::Run> run(std::int64_t id) override;
    std::optional<store::Run> last_run() override;

    void record_intent(const store::Intent& intent, std::vector<store::EventRow> events) override;
    void record_result(const store::Result& result, std::vector<store::EventRow> events) override;
    std::vector<store::NodeState> node_states() override;
    std::vector<store::Baseline> baselines() override;
    std::vector<store::Duration> durations() override;

    void append_events(std::vector<store::EventRow> events) override;
    void flush() override {}
    std::vector<store::EventRow> events(const store::EventQuery& query) override;
    std::int64_t last_event_seq() override;

    std::int64_t leave_command(const store::CommandRow& command) override;
    std::vector<store::CommandRow> open_commands(std::int64_t run) override;
    void answer_command(std::int64_t id, std::string_view answer) override;
    std::optional<store::CommandRow> command(std::int64_t id) override;

    void offer_delegation(std::int64_t run, const std::string& node) override;
    bool take_lease(std::int64_t run, const std::string& node, const std::string& holder,
                    std::int64_t now_ms, std::int64_t until_ms) override;
    bool renew_lease(std::int64_t run, const std::string& node, const std::string& holder,
                     std::int64_t now_ms, std::int64_t until_ms) override;
    bool report_delegation(std::int64_t run, const std::string& node, const std::string& holder,
                           std::int64_t now_ms, bool succeeded, const std::string& report) override;
    std::vector<store::Delegation> delegations(std::int64_t run) override;

    void store_facts(const std::vector<store::FactsRow>&) override {}
    std::vector<store::FactsRow> facts() override { return {}; }
    void seal_secret(const std::string&, const Secret&) override {}
    std::optional<Secret> open_secret(const std::string&) override { return std::nullopt; }
    void forget_secrets() override {}
    int schema_version() override { return store::kSchemaVersion; }

  private:
    void write() SLIPWAY_REQUIRES(mutex_);
    void keep(std::vector<store::EventRow> events) SLIPWAY_REQUIRES(mutex_);

    Mutex mutex_;
    int writes_left_ SLIPWAY_GUARDED_BY(mutex_) = -1;
    std::int64_t order_ SLIPWAY_GUARDED_BY(mutex_) = 0;
    std::vector<store::Run> runs_ SLIPWAY_GUARDED_BY(mutex_);
    std::map<std::string, store::NodeState> nodes_ SLIPWAY_GUARDED_BY(mutex_);
    std::map<std::string, store::Baseline> baselines_ SLIPWAY_GUARDED_BY(mutex_);
    std::vector<store::EventRow> events_ SLIPWAY_GUARDED_BY(mutex_);
    std::vector<store::CommandRow> commands_ SLIPWAY_GUARDED_BY(mutex_);
    std::map<std::string, store::Delegation> delegations_ SLIPWAY_GUARDED_BY(mutex_);
};

}  // namespace slipway::engine::testing
