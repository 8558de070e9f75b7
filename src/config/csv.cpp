#include "config/csv.hpp"

#include "base/text.hpp"

#include <algorithm>

namespace slipway::config {

std::optional<std::vector<CsvRow>> parse_csv(std::string_view text, int& open_quote) {
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
    std::vector<CsvRow> rows;
    CsvRow row{1, {""}};
    int line = 1;
    bool quoted = false;
    const auto end_row = [&] {
        if (std::ranges::any_of(row.cells, [](const std::string& c) { return !trim(c).empty(); })) {
            rows.push_back(std::move(row));
        }
        row = {line, {""}};
    };
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '\n') ++line;
        if (quoted) {
            const bool doubled = c == '"' && i + 1 < text.size() && text[i + 1] == '"';
            if (c == '"' && !doubled) {
                quoted = false;
            } else {
                row.cells.back() += c;
            }
            if (doubled) ++i;
        } else if (c == '"' && trim(row.cells.back()).empty()) {
            quoted = true;
            open_quote = line;
            row.cells.back().clear();
        } else if (c == ',') {
            row.cells.emplace_back();
        } else if (c == '\n') {
            end_row();
        } else if (c != '\r') {
            row.cells.back() += c;
        }
    }
    if (quoted) return std::nullopt;
    end_row();
    return rows;
}

}  // namespace slipway::config
