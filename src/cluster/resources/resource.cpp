#include "cluster/resources/resource.hpp"

#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "cluster/resources/kinds.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

// A scalar as people write it; "" for anything that has no short form.
std::string short_text(const json::value& value) {
    if (value.is_string()) return std::string(std::string_view(value.as_string()));
    if (value.is_bool()) return value.as_bool() ? "yes" : "no";
    if (value.is_null()) return "(none)";
    return "";
}

Target target_of(engine::Context& c) {
    return {c.host(), c.call(), [&c](std::string_view line) { c.log("slipway", line); }};
}

// What was there before, one entry a resource in the order of applying:
//     {"version":1,"resources":[{"kind":…,"name":…,"before":…,"changed":true}, …]}
// `changed` says that the state differed from the wanted one when it was recorded.
class Record {
  public:
    static Record parse(const std::string& text) {
        Record record;
        if (text.empty()) return record;
        const json::value value = parse_json(text, "the record of what a step replaced");
        const json::object* object = value.if_object();
        const json::value* entries = object ? object->if_contains("resources") : nullptr;
        if (!entries || !entries->is_array() || int_at(*object, "version") != 1) {
            throw StateError("STATE-DAMAGED", "the record of what a step replaced cannot be read",
                             {.cause = "the journal was changed, or written by a newer Slipway",
                              .remedy = "use the Slipway that made the run, or restore the state "
                                        "folder from a backup"});
        }
        record.entries_ = entries->as_array();
        return record;
    }

    // The first state seen stays: later ones are ours, or half-done. Says whether undo is to do
    // other than it would have done so far.
    bool add(const Resource& resource, const json::value& now, bool changed) {
        json::object entry = resource.identity();
        if (json::object* known = find(resource)) {
            if (changed) (*known)["changed"] = true;
            const bool keep = bool_at(entry, kKeep);
            const bool kept = bool_at(*known, kKeep);
            if (keep != kept) (*known)[kKeep] = keep;
            return keep != kept;
        }
        entry["before"] = now;
        entry["changed"] = changed;
        entries_.push_back(std::move(entry));
        return false;
    }

    const json::array& entries() const { return entries_; }

    std::string text() const {
        return json::serialize(json::object{{"version", 1}, {"resources", entries_}});
    }

  private:
    json::object* find(const Resource& resource) {
        for (json::value& entry : entries_) {
            json::object& object = entry.as_object();
            if (string_at(object, "kind") == resource.kind() &&
                string_at(object, "name") == resource.name()) {
                return &object;
            }
        }
        return nullptr;
    }

    json::array entries_;
};

// Of whatever kind: a path that held a file may hold a secret one now.
bool is_asked_for(const ResourceList& list, const json::object& entry) {
    return std::ranges::any_of(list.resources, [&](const ResourcePtr& one) {
        return one->name() == string_at(entry, "name");
    });
}

// Small things that can go without taking anybody's data along. Folders, accounts and packages stay
// until undo.
bool can_leave(const json::object& entry) {
    constexpr std::string_view kKinds[] = {"file",     "secret file", "configuration",
                                           "block in", "sysctl",      "configuration in"};
    return std::ranges::find(kKinds, string_at(entry, "kind")) != std::end(kKinds);
}

// What an earlier spec asked for and this one does not: (resource, what was there before).
std::vector<std::pair<ResourcePtr, json::value>> unwanted(Target& target, const Record& record,
                                                          const ResourceList& list) {
    std::vector<std::pair<ResourcePtr, json::value>> out;
    for (const json::value& one : record.entries()) {
        const json::object& entry = one.as_object();
        if (!bool_at(entry, "changed") || is_asked_for(list, entry) || !can_leave(entry)) continue;
        ResourcePtr resource = resource_from_identity(entry);
        if (resource->read(target) != entry.at("before"))
            out.emplace_back(std::move(resource), entry.at("before"));
    }
    return out;
}

engine::Probe probe(engine::Context& c, const ResourceList& list) {
    Target target = target_of(c);
    Record record = Record::parse(c.before());
    engine::Probe answer;
    for (const auto& [resource, before] : unwanted(target, record, list))
        answer.changes.push_back({"remove", resource->describe(), "the spec no longer has it"});
    for (const ResourcePtr& resource : list.resources) {
        const json::value now = resource->read(target);
        const bool differs = resource->differs(now);
        const bool other_undo = record.add(*resource, now, differs);
        if (differs) {
            answer.changes.push_back(resource->change(now));
        } else if (other_undo) {
            answer.changes.push_back({"change", resource->describe(), "what a reset does with it"});
        }
    }
    answer.done = answer.changes.empty();
    answer.before = record.text();
    return answer;
}

void act(engine::Context& c, const ResourceList& list) {
    Target target = target_of(c);
    for (const ResourcePtr& resource : list.resources) {
        if (resource->differs(resource->read(target))) resource->apply(target);
    }
    // After all others: what comes in the place of these is there.
    for (const auto& [resource, before] : unwanted(target, Record::parse(c.before()), list))
        resource->restore(target, before);
}

void undo(engine::Context& c, const ResourceList& list) {
    Target target = target_of(c);
    const Record record = Record::parse(c.before());
    const json::array& entries = record.entries();
    for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
        const json::object& object = entry->as_object();
        const auto wanted = std::ranges::find_if(list.resources, [&](const ResourcePtr& r) {
            return r->kind() == string_at(object, "kind") && r->name() == string_at(object, "name");
        });
        const bool known = wanted != list.resources.end();
        const ResourcePtr resource = known ? *wanted : resource_from_identity(object);
        const json::value& before = object.at("before");
        const bool ours = bool_at(object, "changed") || resource->changes_by_itself() ||
                          (known && resource->differs(before));
        const json::value now = resource->read(target);
        if (!ours || (now == before && !resource->changes_by_itself())) continue;
        if (known && resource->differs(now)) {
            target.log(
                fmt::format("{} was changed by someone since; putting back what was there "
                            "before Slipway",
                            resource->describe()));
        }
        resource->restore(target, before);
    }
}

}  // namespace

engine::Change Resource::change(const json::value& now) const {
    const std::string before = short_text(now);
    const std::string after = short_text(desired());
    return {now.is_null() ? "create" : "change", describe(),
            now.is_null() ? after : fmt::format("{} -> {}", before, after)};
}

ResourceListPtr resource_list(std::vector<ResourcePtr> resources) {
    Sha256 digest;
    for (const ResourcePtr& resource : resources) {
        digest.field(json::serialize(resource->identity()));
        digest.field(json::serialize(resource->desired()));
    }
    return std::make_shared<const ResourceList>(ResourceList{std::move(resources), digest.hex()});
}

engine::Step resources_step(std::string id, ResourceListPtr list) {
    engine::Step step{.id = std::move(id), .inputs = list->digest};
    // Verify is the engine's own: probe again and require done.
    step.probe = [list](engine::Context& c) { return probe(c, *list); };
    step.act = [list](engine::Context& c) { act(c, *list); };
    step.undo = [list](engine::Context& c) { undo(c, *list); };
    return step;
}

remote::CommandResult run_checked(Target& target, std::vector<std::string> argv) {
    const std::string command = join(argv, " ");
    remote::CommandResult result = target.host.run({.argv = std::move(argv)}, target.call);
    if (result.exit_code == 0) return result;
    const std::string said(trim(result.err.empty() ? result.out : result.err));
    throw RemoteError(
        "COMMAND-FAILED",
        fmt::format("'{}' ended with {} on {}", printable(command), result.exit_code,
                    target.host.name()),
        {.cause = said.empty() ? "the command wrote nothing"
                               : printable(said.substr(said.size() > 400 ? said.size() - 400 : 0)),
         .remedy = "run the command on the host by hand, solve what it reports, then "
                   "resume"});
}

void reach_disk(Target& target, const std::string& path) {
    // Older ones know no -f: then everything goes to the disk.
    if (target.host.run({.argv = {"sync", "-f", path}}, target.call).exit_code != 0)
        run_checked(target, {"sync"});
}

}  // namespace slipway::cluster
