// Rows of the tables nodes and baselines, and what the one writer knows of them by heart.
//
// The table has no index on the node's name (schema/v1.sql says why): NodeTable maps names to rows
// in memory, about 150 bytes a node. It is filled when a journal is opened for writing, which is
// when every row is checked anyway.
#pragma once

#include "store/journal.hpp"
#include "store/sqlite.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

namespace slipway::store {

struct NodeRow {
    std::int64_t id = 0;
    NodeState state = {};
    std::int64_t changed_ms = -1;  // how long the last result "changed" took; -1: none
};

// Calls back for each row in the table's order; throws STATE-DAMAGED for one that fails its check.
void read_nodes(Connection& db, const std::function<void(NodeRow&&)>& use);
std::vector<Baseline> read_baselines(Connection& db);

class NodeTable {
  public:
    void load(Connection& db);

    // All within a transaction; begin() refuses when another process wrote nodes meanwhile.
    void begin(Connection& db) const;
    void record_intent(Connection& db, const Intent& intent);
    void record_result(Connection& db, const Result& result);

  private:
    struct Known {
        std::int64_t id;
        std::int64_t position;
        std::int64_t changed_ms;
    };

    Known& known(const std::string& node);
    void write(Connection& db, const NodeRow& row);

    std::unordered_map<std::string, Known> known_;
    std::int64_t last_position_ = 0;
    std::int64_t stored_ = 0;  // rows in the table; ids run from 1 to it
};

}  // namespace slipway::store
