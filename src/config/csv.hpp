// CSV as spreadsheets write it: quotes, doubled quotes, CRLF, a byte order mark.
//
//     for (const CsvRow& row : parse_csv(text)) use(row.line, row.cells);
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::config {

struct CsvRow {
    int line = 0;  // where it begins, from 1
    std::vector<std::string> cells;
};

// Rows with nothing in them are left out. nullopt: a quote is never closed; `open_quote` is its
// line.
std::optional<std::vector<CsvRow>> parse_csv(std::string_view text, int& open_quote);

}  // namespace slipway::config
