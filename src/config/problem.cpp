#include "config/problem.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

namespace slipway::config {

namespace {

constexpr std::size_t kMaxProblems = 1000;
constexpr std::size_t kMaxShown = 60;
constexpr std::size_t kMaxNameForSuggestion = 64;

}  // namespace

std::string Problem::line() const {
    std::string out = where.file;
    if (where.line > 0) out += fmt::format(":{}:{}", where.line, where.column);
    if (!path.empty()) out += ": " + path;
    out += ": " + what;
    if (!todo.empty()) out += "; " + todo;
    return out;
}

Position nearest_place(const Places& places, std::string path) {
    while (true) {
        if (const auto at = places.find(path); at != places.end()) return at->second;
        if (path.empty()) return {};
        const std::size_t cut = path.find_last_of(".[");
        path.resize(cut == std::string::npos ? 0 : cut);
    }
}

void Findings::error(std::string_view id, const std::string& path, std::string what,
                     std::string todo) {
    add({std::string(id), nearest_place(places_, path), path, std::move(what), std::move(todo)});
}

void Findings::notice(std::string_view id, const std::string& path, std::string what,
                      std::string todo) {
    add({std::string(id), nearest_place(places_, path), path, std::move(what), std::move(todo),
         Severity::notice});
}

void Findings::add(Problem problem) {
    if (problem.severity == Severity::error) ++errors_;
    if (!full()) problems_.push_back(std::move(problem));
}

void Findings::set_place(const std::string& path, Position where) {
    places_[path] = std::move(where);
}

bool Findings::full() const { return problems_.size() >= kMaxProblems; }

std::vector<Problem> Findings::sorted() const {
    // The index keeps problems of one place in the order they were found.
    using Key = std::tuple<int, int, int, std::size_t>;
    std::vector<Key> order;
    for (const Problem& p : problems_) {
        order.emplace_back(p.where.source, p.where.line, p.where.column, order.size());
    }
    std::ranges::sort(order);
    std::vector<Problem> out;
    for (const Key& key : order) out.push_back(problems_[std::get<3>(key)]);
    if (full()) {
        Problem last = out.back();
        last.id = "SPEC-MANY-PROBLEMS";
        last.path.clear();
        last.what = fmt::format("only the first {} problems are listed", kMaxProblems);
        last.todo = "mend these and try again";
        last.severity = Severity::error;
        out.push_back(std::move(last));
    }
    return out;
}

std::string shown(std::string_view value) {
    std::string text = printable(value.substr(0, kMaxShown));
    if (value.size() <= kMaxShown) return '"' + text + '"';
    // The cut may have split a character of several bytes, shown then as escapes: drop those.
    std::size_t end = kMaxShown;
    while (end > 0 && (static_cast<unsigned char>(value[end]) & 0xc0) == 0x80) --end;
    return '"' + printable(value.substr(0, end)) + "…\"";
}

std::optional<std::string> close_name(std::string_view word,
                                      const std::vector<std::string>& names) {
    if (word.size() > kMaxNameForSuggestion) return std::nullopt;
    return nearest(word, names);
}

std::string suggestion(std::string_view word, const std::vector<std::string>& names) {
    if (names.size() == 1) return "use " + names[0];
    if (const auto close = close_name(word, names)) return fmt::format("did you mean {}?", *close);
    return "use one of: " + join(names, ", ");
}

}  // namespace slipway::config
