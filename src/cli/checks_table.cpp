#include "cli/checks_table.hpp"

#include "base/text.hpp"
#include "cli/columns.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

namespace slipway::cli {

namespace {

using cluster::CheckOutcome;
using cluster::CheckResult;
using cluster::CheckSeverity;

constexpr std::size_t kMostColumns = 8;
constexpr std::size_t kHostsNamed = 5;  // in one line

// From the harmless to what must be looked at, so that the worst of several answers is the largest.
enum class Verdict { not_asked, passed, ignored, warning, failed };

Verdict verdict_of(const CheckResult& check) {
    if (check.outcome == CheckOutcome::passed) return Verdict::passed;
    if (check.ignored) return Verdict::ignored;
    return check.severity == CheckSeverity::error ? Verdict::failed : Verdict::warning;
}

std::string_view word_for(Verdict verdict) {
    switch (verdict) {
        case Verdict::not_asked: return "-";
        case Verdict::passed: return "passed";
        case Verdict::ignored: return "ignored";
        case Verdict::warning: return "warning";
        case Verdict::failed: return "failed";
    }
    return "";
}

std::string_view mark_for(Verdict verdict, bool unicode) {
    switch (verdict) {
        case Verdict::not_asked: return unicode ? "·" : "-";
        case Verdict::passed: return unicode ? "✓" : "ok";
        case Verdict::ignored: return unicode ? "~ ignored" : "ignored";
        case Verdict::warning: return unicode ? "! warning" : "warning";
        case Verdict::failed: return unicode ? "✗ failed" : "FAILED";
    }
    return "";
}

Colour colour_for(Verdict verdict) {
    switch (verdict) {
        case Verdict::not_asked: return Colour::dim;
        case Verdict::passed: return Colour::green;
        case Verdict::failed: return Colour::red;
        case Verdict::ignored:
        case Verdict::warning: return Colour::yellow;
    }
    return Colour::none;
}

// ---- the grid

constexpr std::string_view kCluster = "(cluster)";  // where answers about no single host stand

// Hosts by name, the cluster last.
struct ColumnOrder {
    bool operator()(const std::string& a, const std::string& b) const {
        if (a == kCluster || b == kCluster) return b == kCluster && a != kCluster;
        return natural_less(a, b);
    }
};

class Grid {
  public:
    Grid(const std::vector<CheckResult>& checks, const Style& style, bool verbose) : style_(style) {
        std::set<std::string> troubled;
        for (const CheckResult& check : checks) {
            if (verdict_of(check) != Verdict::passed) troubled.insert(check.id);
        }
        std::set<std::string> others;
        for (const CheckResult& check : checks) {
            const bool own_row = verbose || troubled.contains(check.id);
            if (!own_row) others.insert(check.id);
            note(own_row ? row(check.id) : rest_, check);
        }
        if (!others.empty()) {
            rest_.title = rows_.empty() ? fmt::format("all {} checks", others.size())
                                        : fmt::format("{} other checks", others.size());
            rows_.push_back(rest_);
        }
    }

    bool fits(std::size_t width) const {
        return !hosts_.empty() && hosts_.size() <= kMostColumns && total_width() <= width;
    }

    std::string text() const {
        std::string out = pad("CHECK", title_width(), true);
        for (const std::string& host : hosts_) out += "  " + pad(host, cell_width(host), true);
        out = std::string(out.substr(0, out.find_last_not_of(' ') + 1)) + "\n";
        for (const Row& row : rows_) out += line(row);
        return out + "\n";
    }

  private:
    struct Row {
        std::string title;
        std::map<std::string, Verdict> cells = {};
    };

    Row& row(const std::string& id) {
        const auto [place, fresh] = places_.try_emplace(id, rows_.size());
        if (fresh) rows_.push_back({.title = id});
        return rows_[place->second];
    }

    void note(Row& in, const CheckResult& check) {
        const std::string column = check.host.empty() ? std::string(kCluster) : check.host;
        hosts_.insert(column);
        Verdict& cell = in.cells[column];
        cell = std::max(cell, verdict_of(check));
    }

    std::string line(const Row& row) const {
        std::string out = pad(row.title, title_width(), true);
        std::string blanks;  // only written when something follows
        for (const std::string& host : hosts_) {
            const auto found = row.cells.find(host);
            const Verdict verdict = found == row.cells.end() ? Verdict::not_asked : found->second;
            const std::string_view mark = mark_for(verdict, style_.unicode);
            out += blanks + "  " + style_.paint(mark, colour_for(verdict));
            blanks = std::string(cell_width(host) - columns(mark), ' ');
        }
        return out + "\n";
    }

    std::size_t title_width() const {
        std::size_t widest = 5;
        for (const Row& row : rows_) widest = std::max(widest, columns(row.title));
        return widest;
    }
    std::size_t cell_width(const std::string& host) const {
        std::size_t widest = columns(host);
        for (const Row& row : rows_) {
            const auto found = row.cells.find(host);
            if (found == row.cells.end()) continue;
            widest = std::max(widest, columns(mark_for(found->second, style_.unicode)));
        }
        return widest;
    }
    std::size_t total_width() const {
        std::size_t sum = title_width();
        for (const std::string& host : hosts_) sum += 2 + cell_width(host);
        return sum;
    }

    const Style style_;
    std::set<std::string, ColumnOrder> hosts_;
    std::vector<Row> rows_;
    std::map<std::string, std::size_t> places_;  // of rows, by id
    Row rest_{.title = ""};
};

// ---- the list

// Answers that read alike, with the hosts they are about.
struct Entry {
    const CheckResult* check;
    std::vector<std::string> hosts;
};

std::vector<Entry> entries_of(const std::vector<CheckResult>& checks, bool verbose) {
    std::vector<Entry> out;
    std::map<std::tuple<std::string, Verdict, std::string, std::string>, std::size_t> places;
    for (const CheckResult& check : checks) {
        const Verdict verdict = verdict_of(check);
        if (verdict == Verdict::passed && !verbose) continue;
        const std::string host =
            check.other_host.empty() ? check.host : check.host + " and " + check.other_host;
        const auto [place, fresh] =
            places.try_emplace({check.id, verdict, check.seen, check.remedy}, out.size());
        if (fresh) out.push_back({.check = &check, .hosts = {}});
        if (!host.empty()) out[place->second].hosts.push_back(host);
    }
    return out;
}

std::string some(const std::vector<std::string>& hosts) {
    if (hosts.size() <= kHostsNamed) return join(hosts, ", ");
    const std::vector<std::string> first(hosts.begin(), hosts.begin() + kHostsNamed);
    return fmt::format("{} and {} more", join(first, ", "), hosts.size() - kHostsNamed);
}

std::string entry_text(const Entry& entry, const Style& style) {
    const CheckResult& check = *entry.check;
    const Verdict verdict = verdict_of(check);
    std::string out = fmt::format(
        "{}  {}", style.paint(fmt::format("{:<7}", word_for(verdict)), colour_for(verdict)),
        check.id);
    if (!entry.hosts.empty()) out += "  " + some(entry.hosts);
    if (verdict == Verdict::passed)
        return check.seen.empty() ? out + "\n" : out + fmt::format(": {}\n", printable(check.seen));
    const auto add = [&](std::string_view title, const std::string& text) {
        if (!text.empty()) out += fmt::format("\n         {:<6}  {}", title, printable(text));
    };
    add("seen", check.seen);
    add("wanted", check.wanted);
    add("remedy", check.remedy);
    return out + "\n";
}

}  // namespace

json::object checks_json(const std::vector<CheckResult>& checks, bool passed) {
    json::array rows;
    for (const CheckResult& check : checks) {
        json::object row = {{"id", check.id},
                            {"host", check.host},
                            {"result", cluster::to_string(check.outcome)},
                            {"severity", cluster::to_string(check.severity)},
                            {"ignored", check.ignored},
                            {"seen", check.seen},
                            {"wanted", check.wanted},
                            {"remedy", check.remedy}};
        if (!check.other_host.empty()) row["otherHost"] = check.other_host;
        rows.push_back(std::move(row));
    }
    return {{"passed", passed}, {"checks", std::move(rows)}};
}

std::string checks_list(const std::vector<CheckResult>& checks, const Style& style, bool verbose) {
    std::string out;
    for (const Entry& entry : entries_of(checks, verbose)) out += entry_text(entry, style);
    std::map<Verdict, std::size_t> counts;
    for (const CheckResult& check : checks) ++counts[verdict_of(check)];
    out += fmt::format("Checks: {} passed, {} failed, {} warnings", counts[Verdict::passed],
                       counts[Verdict::failed], counts[Verdict::warning]);
    if (counts[Verdict::ignored] > 0) out += fmt::format(", {} ignored", counts[Verdict::ignored]);
    return out + "\n";
}

std::string checks_table(const std::vector<CheckResult>& checks, const Style& style, bool verbose,
                         std::size_t width) {
    const Grid grid(checks, style, verbose);
    if (!grid.fits(width)) return checks_list(checks, style, verbose);
    // The grid shows which passed; what was seen of each is in -o json.
    return grid.text() + checks_list(checks, style, false);
}

}  // namespace slipway::cli
