#include "convert/draft.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

namespace slipway::convert {

namespace {

// Each round takes something out; a file that needs more is not worth waiting for.
constexpr int kMostRounds = 12;

bool is_plain(std::string_view key) {
    return !key.empty() && key.size() <= 64 && std::ranges::all_of(key, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '-' || c == '_';
    });
}

std::string item_path(const std::string& path, std::size_t index) {
    return fmt::format("{}[{}]", path, index);
}

// Of a path whose end is not in the draft: what is left when its last part is taken off.
std::string parent(const std::string& path) {
    const std::size_t end = path.find_last_of(".[");
    return end == std::string::npos ? "" : path.substr(0, end);
}

}  // namespace

std::string spec_path(const std::string& path, std::string_view key) {
    if (!is_plain(key)) return fmt::format("{}[{}]", path, config::shown(key));
    return path.empty() ? std::string(key) : fmt::format("{}.{}", path, key);
}

Draft& Draft::at(std::string_view path) {
    Draft* here = this;
    for (const std::string& part : split(path, '.')) here = &here->key(part);
    return *here;
}

Draft& Draft::key(std::string_view name) {
    Draft*& place = by_name_[std::string(name)];
    if (place == nullptr)
        place = entries_.emplace_back(std::string(name), std::make_unique<Draft>()).value.get();
    return *place;
}

Draft& Draft::item() { return *items_.emplace_back(std::make_unique<Draft>()); }

const Draft* Draft::find(std::string_view name) const {
    const auto found = by_name_.find(std::string(name));
    return found == by_name_.end() ? nullptr : found->second;
}

void Draft::put(json::value value, const std::vector<View>& from) {
    // Two settings for one field: the first stays, or one of them would be lost in silence.
    const bool taken = leaf_.is_null() ? !is_empty() : !origins_.empty() && leaf_ != value;
    if (taken) {
        for (const View& view : from)
            view.refuse("another setting is about the same, and came first");
        return;
    }
    leaf_ = std::move(value);
    for (const View& view : from) {
        if (!view.is_scalar()) continue;  // lists and maps are taken leaf by leaf
        view.take();
        origins_.push_back(view.path());
    }
}

bool Draft::is_empty() const {
    const auto empty = [](const auto& child) { return child->is_empty(); };
    return leaf_.is_null() && std::ranges::all_of(items_, empty) &&
           std::ranges::all_of(entries_,
                               [](const Entry& entry) { return entry.value->is_empty(); });
}

json::value Draft::to_json() const {
    if (!leaf_.is_null()) return leaf_;
    if (!items_.empty()) {
        json::array out;
        for (const auto& item : items_) out.push_back(item->to_json());
        return out;
    }
    json::object out;
    for (const Entry& entry : entries_) out[entry.name] = entry.value->to_json();
    return out;
}

// Everything below that is doomed, the innermost first.
template <class Doomed>
void Draft::erase_if(const Doomed& doomed) {
    for (const Entry& entry : entries_) entry.value->erase_if(doomed);
    for (const auto& item : items_) item->erase_if(doomed);
    for (const Entry& entry : entries_) {
        if (doomed(*entry.value)) by_name_.erase(entry.name);
    }
    std::erase_if(entries_, [&](const Entry& entry) { return doomed(*entry.value); });
    std::erase_if(items_, [&](const auto& item) { return doomed(*item); });
}

void Draft::prune() {
    erase_if([](const Draft& draft) {
        return draft.leaf_.is_null() && draft.entries_.empty() && draft.items_.empty();
    });
}

void Draft::collect(const std::string& path, std::vector<Taken>& out) const {
    for (const std::string& origin : origins_) out.push_back({origin, path});
    for (const Entry& entry : entries_) entry.value->collect(spec_path(path, entry.name), out);
    for (std::size_t i = 0; i < items_.size(); ++i) items_[i]->collect(item_path(path, i), out);
}

std::vector<Taken> Draft::taken() const {
    std::vector<Taken> out;
    collect("", out);
    return out;
}

// One round over the problems of a draft.
class Repair {
  public:
    Repair(Draft& draft, std::vector<Unsupported>& refused) : draft_(draft), refused_(refused) {
        index(draft, "", "");
    }

    // Whether anything is to be taken out.
    bool run(const std::vector<config::Problem>& problems) {
        for (const config::Problem& problem : problems) {
            Draft* target = target_of(problem.path);
            if (target != nullptr && doomed_.insert(target).second) list(*target, problem);
        }
        if (!doomed_.empty())
            draft_.erase_if([&](const Draft& draft) { return doomed_.contains(&draft); });
        return !doomed_.empty();
    }

  private:
    struct Place {
        Draft* draft = nullptr;
        bool may_go = true;
        bool is_item = false;
    };

    // By both spellings of a key: `a.b/c` and `a["b/c"]`.
    void index(Draft& draft, const std::string& path, const std::string& dotted) {
        for (Draft::Entry& entry : draft.entries_) {
            const bool host = path.starts_with("hosts[");
            // A host without these is none; better to say what is wrong with them.
            const bool kept = path.empty() || (host && entry.name == "roles");
            const std::string plain = dotted.empty() ? entry.name : dotted + "." + entry.name;
            const std::string exact = spec_path(path, entry.name);
            const Place place{entry.value.get(), !kept, false};
            places_.emplace(exact, place);
            places_.emplace(plain, place);
            index(*entry.value, exact, plain);
        }
        const bool hosts = path == "hosts";
        const bool roles = path.starts_with("hosts[") && path.ends_with("].roles");
        for (std::size_t i = 0; i < draft.items_.size(); ++i) {
            Draft& item = *draft.items_[i];
            const Place place{&item, !hosts && !roles, !item.entries_.empty()};
            places_.emplace(item_path(path, i), place);
            places_.emplace(item_path(dotted, i), place);
            index(item, item_path(path, i), item_path(dotted, i));
        }
    }

    // What has to go for a problem at `path`; nothing when that would take more than it mends.
    Draft* target_of(std::string path) const {
        for (bool exact = true; !path.empty(); exact = false, path = parent(path)) {
            const auto found = places_.find(path);
            if (found == places_.end() || found->second.draft->is_empty()) continue;
            const Place& place = found->second;
            // Something is missing in it: an entry of a list goes as a whole, nothing else does.
            const bool goes = place.may_go && (place.is_item || !place.draft->leaf_.is_null() ||
                                               (exact && place.draft->entries_.empty()));
            return goes ? place.draft : nullptr;
        }
        return nullptr;
    }

    void list(const Draft& draft, const config::Problem& problem) {
        std::set<std::string> seen;
        for (const Taken& taken : draft.taken()) {
            if (seen.insert(taken.from).second)
                refused_.push_back({taken.from, problem.what + "; " + problem.todo,
                                    problem.severity == config::Severity::error});
        }
    }

    Draft& draft_;
    std::vector<Unsupported>& refused_;
    std::map<std::string, Place> places_;
    std::set<const Draft*> doomed_;
};

std::vector<config::Problem> refuse_bad_values(Draft& draft, const Judge& judge,
                                               std::vector<Unsupported>& refused) {
    for (int round = 0;; ++round) {
        draft.prune();
        std::vector<config::Problem> problems = judge(draft);
        if (problems.empty() || round == kMostRounds || !Repair(draft, refused).run(problems))
            return problems;
    }
}

}  // namespace slipway::convert
