// The journal: what a run meant to do, did, and saw. SQLite, one file a cluster.
//
// A write that returns is on disk (WAL, synchronous=FULL, fsync of the folder on creation). Callers
// on many threads share an fsync: each waits for the commit that carries its write (group commit).
// Other processes read events and leave commands in the same file while a run goes on.
//
// Knows nothing of steps, hosts or Kubernetes: ids and bytes only. Times are ms since 1970, UTC.
//
//     auto journal = Journal::create_or_open(folder / "journal.db");
//     std::int64_t run = journal->begin_run({.kind = "apply", .plan_hash = hash, .spec = text});
//     journal->record_intent({.run = run, .node = "cp1/set-hostname", .fingerprint = f, .before =
//     b}); … journal->record_result({.run = run, .node = "cp1/set-hostname", .outcome = "changed",
//     …});
#pragma once

#include "base/secret.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::store {

// The newest schema this program writes, and the oldest it can migrate from.
inline constexpr int kSchemaVersion = 1;
inline constexpr int kOldestSchemaVersion = 1;

struct Run {
    std::int64_t id = 0;
    std::string kind = {};  // apply, reset
    std::string plan_hash = {};
    std::string spec = {};     // canonical JSON; holds no secret
    std::string options = {};  // JSON: simulate profile, skips …
    std::int64_t started_ms = 0;
    std::int64_t finished_ms = 0;  // 0 while unfinished
    std::string result =
        {};            // "" while unfinished; succeeded, partial, failed, cancelled, superseded
    int sessions = 1;  // processes that worked on it
};

struct Intent {
    std::int64_t run = 0;
    std::string node = {};
    std::string fingerprint = {};
    int attempt = 1;
    std::int64_t at_ms = 0;  // when the work began: of the first try, in all tries
    // What undo needs: how things were before the first intent since the node was last undone. The
    // caller keeps the old record in it (a retry after a crash sees a half-done host); "" leaves
    // the record as it is.
    std::string before = {};
};

struct Result {
    std::int64_t run = 0;
    std::string node = {};
    std::string fingerprint = {};
    std::string outcome = {};  // changed, unchanged, skipped, failed, cancelled, undone
    int attempt = 1;
    std::int64_t started_ms = 0;
    std::int64_t finished_ms = 0;
    std::string detail = {};  // JSON: error id, message …
};

// The last word on a node over all runs.
struct NodeState {
    std::string node;
    std::string fingerprint;  // of the last intent or result
    std::string outcome;      // "" when an intent has no result yet: it must be probed
    std::int64_t run = 0;
    int attempt = 0;
    std::int64_t started_ms = 0;
    std::int64_t finished_ms = 0;
    std::string detail;
    std::int64_t order = 0;  // rises with every result: undo goes backwards along it
};

struct Baseline {
    std::string node;
    std::string before;
    std::int64_t run = 0;
};

struct EventRow {
    std::int64_t seq = 0;  // 0 when writing
    std::int64_t run = 0;
    std::int64_t at_ms = 0;
    std::string type;
    std::string level;
    std::string host;
    std::string step;
    std::string body;  // JSON object
};

struct EventQuery {
    std::int64_t after_seq = 0;
    std::optional<std::int64_t> run = {};
    std::string host = {};
    std::string step = {};
    std::vector<std::string> types = {};  // empty: all
    std::size_t limit = 1000;
    bool newest_first = false;
};

// A wish left by another process for the engine of a run.
struct CommandRow {
    std::int64_t id = 0;
    std::int64_t run = 0;
    std::int64_t at_ms = 0;
    std::string verb;    // pause, continue, cancel, retry, skip
    std::string target;  // node id, host name or ""
    std::string by;      // who: "user@host pid 12"
    std::string answer;  // "" until the engine took it
};

// A delegated step: an outside program holds a lease on it and reports.
struct Delegation {
    std::int64_t run = 0;
    std::string node;
    std::string state;  // waiting, leased, succeeded, failed
    std::string holder;
    std::int64_t lease_until_ms = 0;
    std::string report;  // JSON
};

struct FactsRow {
    std::string host;
    std::int64_t at_ms = 0;
    std::string facts;  // JSON
};

struct Duration {
    std::string step;  // step id
    std::int64_t count = 0;
    double mean_ms = 0;
    double deviation_ms = 0;
};

struct JournalOptions {
    std::string vfs = {};         // SQLite VFS name; tests inject faults here
    bool exclusive = false;       // no shared memory file; for a VFS that has none
    bool check_integrity = true;  // quick_check on opening, and row checksums when for writing
    int checkpoint_pages = 4096;  // the WAL is folded into the file when it has grown to this
};

// Secrets a cluster needs for as long as it lives; others are for resuming a run.
inline constexpr std::string_view kKeptSecrets = "cluster/";

class Journal {
  public:
    // Opens for writing, making the file when the folder has none. An empty, damaged or newer file
    // is refused by name (STATE-DAMAGED, STATE-NEWER): never a silent fresh start.
    static std::unique_ptr<Journal> create_or_open(const std::filesystem::path& file,
                                                   JournalOptions options = {});
    // Opens an existing journal for reading and for leaving commands; throws STATE-MISSING.
    static std::unique_ptr<Journal> open_existing(const std::filesystem::path& file,
                                                  JournalOptions options = {});

    // Puts the copy kept after the last finished run (FILE.last-good) in the journal's place; the
    // old file is kept as FILE.damaged-…. The caller holds the run lock.
    static void restore_snapshot(const std::filesystem::path& file);

    virtual ~Journal() = default;

    // Runs.
    virtual std::int64_t begin_run(const Run& run) = 0;
    virtual void resume_run(std::int64_t run) = 0;  // one more session
    virtual void finish_run(std::int64_t run, std::string_view result, std::int64_t at_ms) = 0;
    virtual std::vector<Run> runs() = 0;  // newest first
    virtual std::optional<Run> run(std::int64_t id) = 0;
    virtual std::optional<Run> last_run() = 0;

    // Steps. Each returns when it is durable; `events` travel in the same commit, before the waiter
    // wakes.
    virtual void record_intent(const Intent& intent, std::vector<EventRow> events = {}) = 0;
    virtual void record_result(const Result& result, std::vector<EventRow> events = {}) = 0;
    virtual std::vector<NodeState> node_states() = 0;
    virtual std::vector<Baseline> baselines() = 0;
    virtual std::vector<Duration>
    durations() = 0;  // of changed results, by step id (node without host)

    // Events. append_events returns at once; the rows go with the next commit, in order, within 100
    // ms.
    virtual void append_events(std::vector<EventRow> events) = 0;
    virtual void flush() = 0;  // waits until everything queued is durable
    virtual std::vector<EventRow> events(const EventQuery& query) = 0;
    virtual std::int64_t last_event_seq() = 0;

    // Commands left by other processes (durable at once).
    virtual std::int64_t leave_command(const CommandRow& command) = 0;
    virtual std::vector<CommandRow> open_commands(std::int64_t run) = 0;
    virtual void answer_command(std::int64_t id, std::string_view answer) = 0;
    virtual std::optional<CommandRow> command(std::int64_t id) = 0;

    // Delegated steps. take_lease succeeds when the node waits or its lease has run out.
    virtual void offer_delegation(std::int64_t run, const std::string& node) = 0;
    virtual bool take_lease(std::int64_t run, const std::string& node, const std::string& holder,
                            std::int64_t now_ms, std::int64_t until_ms) = 0;
    virtual bool renew_lease(std::int64_t run, const std::string& node, const std::string& holder,
                             std::int64_t now_ms, std::int64_t until_ms) = 0;
    // False when the holder has no valid lease (any more).
    virtual bool report_delegation(std::int64_t run, const std::string& node,
                                   const std::string& holder, std::int64_t now_ms, bool succeeded,
                                   const std::string& report) = 0;
    virtual std::vector<Delegation> delegations(std::int64_t run) = 0;

    // Facts, with their age.
    virtual void store_facts(const std::vector<FactsRow>& facts) = 0;  // in one commit
    virtual std::vector<FactsRow> facts() = 0;

    // Secrets, sealed with the key file beside the journal (AES-256-GCM; key 0600, made on first
    // use).
    virtual void seal_secret(const std::string& name, const Secret& secret) = 0;
    virtual std::optional<Secret> open_secret(const std::string& name) = 0;
    // All but those whose names begin with kKeptSecrets.
    virtual void forget_secrets() = 0;

    virtual int schema_version() = 0;
};

}  // namespace slipway::store
