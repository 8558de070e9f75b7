// Rows of the small tables: runs, commands, delegations, facts, secrets. Reading checks each row.
#pragma once

#include "store/journal.hpp"
#include "store/sqlite.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::store {

std::int64_t insert_run(Connection& db, const Run& run);
void update_run(Connection& db, const Run& run);
std::vector<Run> read_runs(Connection& db);  // newest first
std::optional<Run> read_run(Connection& db, std::int64_t id);
std::optional<Run> read_last_run(Connection& db);

std::int64_t insert_command(Connection& db, const CommandRow& command);
void answer_command(Connection& db, std::int64_t id, std::string_view answer);
std::vector<CommandRow> read_open_commands(Connection& db, std::int64_t run);
std::optional<CommandRow> read_command(Connection& db, std::int64_t id);

void write_delegation(Connection& db, const Delegation& delegation);
std::vector<Delegation> read_delegations(Connection& db, std::int64_t run);
std::optional<Delegation> read_delegation(Connection& db, std::int64_t run,
                                          const std::string& node);

void write_facts(Connection& db, const FactsRow& facts);
std::vector<FactsRow> read_facts(Connection& db);

void write_sealed(Connection& db, const std::string& name, std::string_view sealed);
std::optional<std::string> read_sealed(Connection& db, const std::string& name);

}  // namespace slipway::store
