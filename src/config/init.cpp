#include "config/init.hpp"

#include "base/error.hpp"
#include "base/ip.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "config/csv.hpp"
#include "config/load.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

namespace slipway::config {

namespace {

// A host as texts: load_spec judges them, so that init and validate never disagree.
struct Row {
    std::string where;  // "--host cp1=…", "hosts.csv:3"
    std::map<std::string, std::string> cells;
    std::vector<std::string> roles;
    std::vector<std::pair<std::string, std::string>> labels;
};

const std::vector<std::string>& columns() {
    static const std::vector<std::string> kColumns = {"name",  "address", "port",    "user",
                                                      "roles", "labels",  "bastion", "arch"};
    return kColumns;
}

std::vector<std::string> words(std::string_view text, char separator) {
    std::vector<std::string> out;
    for (const std::string& part : split(text, separator)) {
        if (!trim(part).empty()) out.emplace_back(trim(part));
    }
    return out;
}

std::optional<Row> read_argument(const std::string& argument, std::vector<std::string>& problems) {
    const auto refuse = [&](std::string_view what) {
        problems.push_back(fmt::format("--host {}: {}; write NAME=[USER@]ADDRESS[:ROLE,ROLE]",
                                       shown(argument), what));
        return std::nullopt;
    };
    const std::size_t equals = argument.find('=');
    if (equals == std::string::npos) return refuse("has no '='");
    Row row;
    row.where = "--host " + shown(argument);
    row.cells["name"] = argument.substr(0, equals);
    std::string rest = argument.substr(equals + 1);
    if (const std::size_t at = rest.find('@'); at != std::string::npos) {
        row.cells["user"] = rest.substr(0, at);
        if (at == 0) return refuse("has no user before '@'");
        rest.erase(0, at + 1);
    }
    std::size_t colon = rest.find(':');
    if (rest.starts_with('[')) {
        const std::size_t close = rest.find(']');
        if (close == std::string::npos) return refuse("has no ']'");
        row.cells["address"] = rest.substr(1, close - 1);
        if (close + 1 < rest.size() && rest[close + 1] != ':') return refuse("has text after ']'");
        colon = close + 1 < rest.size() ? close + 1 : std::string::npos;
    } else {
        if (IpAddress::parse(rest))
            colon = rest.find(':') == rest.rfind(':') ? colon : std::string::npos;
        if (colon != std::string::npos && rest.find(':', colon + 1) != std::string::npos) {
            return refuse("has an IPv6 address without brackets");
        }
        row.cells["address"] = rest.substr(0, colon);
    }
    if (row.cells["address"].empty()) return refuse("has no address");
    if (colon != std::string::npos) {
        row.roles = words(rest.substr(colon + 1), ',');
        if (row.roles.empty()) return refuse("has no role after ':'");
    }
    return row;
}

std::vector<std::string> read_heading(const CsvRow& row, const std::string& where,
                                      std::vector<std::string>& problems) {
    std::vector<std::string> keys;
    for (const std::string& cell : row.cells) {
        std::string key(trim(cell));
        for (char& c : key) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
        if (std::ranges::find(columns(), key) == columns().end()) {
            problems.push_back(fmt::format("{}: unknown column {}; {}", where, shown(key),
                                           suggestion(key, columns())));
        } else if (std::ranges::find(keys, key) != keys.end()) {
            problems.push_back(fmt::format("{}: column {} is there twice; keep one", where, key));
        }
        keys.push_back(std::move(key));
    }
    for (const char* needed : {"name", "address"}) {
        if (std::ranges::find(keys, needed) != keys.end()) continue;
        problems.push_back(fmt::format("{}: no column {}; the first row names the columns: {}",
                                       where, needed, join(columns(), ",")));
    }
    return keys;
}

// A quoted cell may hold commas instead of semicolons: both are how people write lists.
std::string listed(std::string cell) {
    std::ranges::replace(cell, ',', ';');
    return cell;
}

void read_labels(Row& row, std::vector<std::string>& problems) {
    for (const std::string& label : words(listed(row.cells["labels"]), ';')) {
        const std::size_t equals = label.find('=');
        if (equals == std::string::npos) {
            problems.push_back(
                fmt::format("{}: label {} has no '='; write name=value", row.where, shown(label)));
        } else {
            row.labels.emplace_back(label.substr(0, equals), label.substr(equals + 1));
        }
    }
}

std::vector<Row> read_csv(const Source& csv, std::vector<std::string>& problems) {
    int open_quote = 0;
    const auto rows = parse_csv(csv.text, open_quote);
    if (!rows) {
        problems.push_back(fmt::format("{}:{}: a quote is never closed; add the closing quote",
                                       csv.file, open_quote));
        return {};
    }
    if (rows->empty()) {
        problems.push_back(fmt::format("{}: is empty; the first row names the columns: {}",
                                       csv.file, join(columns(), ",")));
        return {};
    }
    const std::vector<std::string> keys =
        read_heading(rows->front(), fmt::format("{}:{}", csv.file, rows->front().line), problems);
    if (!problems.empty()) return {};
    std::vector<Row> out;
    for (auto at = rows->begin() + 1; at != rows->end(); ++at) {
        Row row;
        row.where = fmt::format("{}:{}", csv.file, at->line);
        if (at->cells.size() > keys.size()) {
            problems.push_back(
                fmt::format("{}: has {} cells for {} columns; quote cells that hold a comma",
                            row.where, at->cells.size(), keys.size()));
            continue;
        }
        for (std::size_t i = 0; i < at->cells.size(); ++i)
            row.cells[keys[i]] = std::string(trim(at->cells[i]));
        row.roles = words(listed(row.cells["roles"]), ';');
        read_labels(row, problems);
        out.push_back(std::move(row));
    }
    return out;
}

void choose_roles(std::vector<Row>& rows) {
    const bool led = std::ranges::any_of(rows, [](const Row& row) {
        return std::ranges::find(row.roles, "control-plane") != row.roles.end();
    });
    const auto first = std::ranges::find_if(rows, [](const Row& row) { return row.roles.empty(); });
    if (!led && first != rows.end()) {
        first->roles = {"control-plane"};
        if (rows.size() == 1) first->roles.push_back("worker");
    }
    for (Row& row : rows) {
        if (row.roles.empty()) row.roles = {"worker"};
    }
}

// Plain where every YAML reader sees a text; quoted as JSON otherwise.
std::string scalar(const std::string& text) {
    static const std::vector<std::string> kNotTexts = {"true", "false", "null", "yes", "no",
                                                       "on",   "off",   "y",    "n"};
    const auto ip = IpAddress::parse(text);
    const bool word =
        !text.empty() && text.size() <= 253 && text.front() >= 'a' && text.front() <= 'z' &&
        text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-._") == std::string::npos &&
        std::ranges::find(kNotTexts, text) == kNotTexts.end();
    return word || (ip && !ip->is_v6()) ? text : json::serialize(json::value(text));
}

std::string host_line(const Row& row) {
    std::string out = "  - {";
    const auto cell = [&](const std::string& key, bool number = false) {
        const auto at = row.cells.find(key);
        if (at == row.cells.end() || (at->second.empty() && key != "name" && key != "address"))
            return;
        if (!out.ends_with('{')) out += ", ";
        const bool digits =
            number && at->second.find_first_not_of("0123456789") == std::string::npos;
        out += key + ": " + (digits ? at->second : scalar(at->second));
    };
    for (const char* key : {"name", "address"}) cell(key);
    cell("port", true);
    for (const char* key : {"user", "bastion", "arch"}) cell(key);
    std::vector<std::string> roles;
    for (const std::string& role : row.roles) roles.push_back(scalar(role));
    out += ", roles: [" + join(roles, ", ") + "]";
    std::vector<std::string> labels;
    for (const auto& [key, value] : row.labels)
        labels.push_back(scalar(key) + ": " + scalar(value));
    if (!labels.empty()) out += ", labels: {" + join(labels, ", ") + "}";
    return out + "}\n";
}

std::string write_yaml(const std::string& name, const std::vector<Row>& rows) {
    std::string out = fmt::format(
        "# Every other field has a default: `slipway explain` shows them.\n"
        "apiVersion: {}\nkind: {}\nmetadata:\n  name: {}\nspec:\n  hosts:\n",
        kApiVersion, kKind, scalar(name));
    for (const Row& row : rows) out += host_line(row);
    const auto control_planes = std::ranges::count_if(rows, [](const Row& row) {
        return std::ranges::find(row.roles, "control-plane") != row.roles.end();
    });
    if (control_planes > 1) {
        out +=
            "  # Only the first of them answers for all. All do with a free address of theirs:\n"
            "  # kubernetes:\n"
            "  #   endpoint: {kind: kube-vip, address: ADDRESS}\n";
    }
    return out;
}

// A problem of the text we wrote, told in terms of what the user wrote.
std::string in_users_terms(const Problem& problem, const std::vector<Row>& rows) {
    constexpr std::string_view kHost = "hosts[";
    std::string where = problem.path;
    if (where.starts_with(kHost)) {
        const std::size_t close = where.find(']');
        const std::size_t index = std::stoul(where.substr(kHost.size(), close - kHost.size()));
        const std::string rest = close + 2 < where.size() ? ": " + where.substr(close + 2) : "";
        where = rows.at(index).where + rest;
    }
    return fmt::format("{}: {}; {}", where, problem.what, problem.todo);
}

}  // namespace

std::string render_spec(const InitRequest& request) {
    std::vector<std::string> problems;
    std::vector<Row> rows;
    if (request.csv) rows = read_csv(*request.csv, problems);
    for (const std::string& argument : request.hosts) {
        if (auto row = read_argument(argument, problems)) rows.push_back(std::move(*row));
    }
    choose_roles(rows);
    std::string yaml = write_yaml(request.name, rows);
    // A host that could not be read would seem to be missing: judge only a whole list.
    if (problems.empty() && rows.empty()) {
        problems.push_back("no host was given; add --host NAME=ADDRESS, or a CSV file");
    } else if (problems.empty()) {
        for (const Problem& p : load_spec({{"the new spec", yaml}}).problems) {
            if (p.severity == Severity::error) problems.push_back(in_users_terms(p, rows));
        }
    }
    if (problems.empty()) return yaml;
    throw UserError("INIT-INVALID",
                    fmt::format("these hosts make no spec: {} problem(s)", problems.size()),
                    {.cause = join(problems, "\n"), .remedy = "mend these and try again"});
}

}  // namespace slipway::config
