// The state of one simulated machine: a map of (section, name) to value, in two layers.
//
// The lower layer is a fresh machine, immutable and shared by every host that began alike; the
// upper holds what this host changed. So a thousand hosts cost what they changed and no more.
//
//     Model model(fresh_machine({}));
//     model.set({Section::sysctl, "net.ipv4.ip_forward"}, "1");
//     model.pending();     // what changed since the last commit(), to be made durable
//     model.commit();      // or roll_back()
//
// The model knows nothing of what a change means: machine.hpp does. Not safe for threads by itself.
#pragma once

#include "base/json.hpp"
#include "remote/host.hpp"

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace slipway::remote {

enum class Section : unsigned char {
    file,      // ModelFile by path
    unit,      // UnitState by full name; exists=false: known only by its state
    user,      // UserState by name
    package,   // version by name
    sysctl,    // value by key
    module,    // "available", "loaded" or "builtin" by name, with _ for -
    mount,     // source by folder
    swap,      // "on" or "off" by device
    setting,   // hostname, selinux, clock-offset-ms
    firewall,  // "allow" by "permanent public service NAME" and the like
    // The rest is not the machine's state: snapshot() leaves it out.
    repository,  // version by package name: what the package manager can install
    script,      // "PATH DIGEST EXIT" by running number: user scripts that ran
    fault,       // times fired by fault id
    job,         // what a job whose caller lost the link ended with, as JSON, by its name
    boot,        // "count": how often the machine was started since it was fresh
    origin,      // name by SHA-256: which archive a file is whose content is not kept
};

struct KeyView {
    Section section;
    std::string_view name;
    auto operator<=>(const KeyView&) const = default;
};

struct Key {
    Section section;
    std::string name;
    // Keys are looked up by views of them, as strings by string_view.
    operator KeyView() const { return {section, name}; }  // NOLINT(google-explicit-constructor)
};

struct KeyLess {
    using is_transparent = void;
    bool operator()(KeyView a, KeyView b) const { return a < b; }
};

// A file as the model keeps it. Of one that was uploaded or fetched only size and digest are kept:
// a bundle on a thousand machines would fill the memory of this one.
struct ModelFile : FileState {
    ModelFile() = default;
    // NOLINTNEXTLINE(google-explicit-constructor): a file is one whose content is kept
    ModelFile(FileState file) : FileState(std::move(file)) {}
    ModelFile(FileState file, std::uint64_t bytes, std::string digest)
        : FileState(std::move(file)), size(bytes), sha256(std::move(digest)) {}

    bool content_kept() const { return sha256.empty(); }

    std::uint64_t size = 0;  // both only when the content is not kept
    std::string sha256 = {};
    bool operator==(const ModelFile&) const = default;
};

using Value = std::variant<std::string, ModelFile, UnitState, UserState>;
using Values = std::map<Key, Value, KeyLess>;

struct Change {
    Key key;
    std::optional<Value> value;  // nullopt: removed
};

class Model {
  public:
    // Shared because hosts that began alike have the same lower layer, which never changes.
    explicit Model(std::shared_ptr<const Values> fresh) : fresh_(std::move(fresh)) {}

    const Value* find(KeyView key) const;
    const Value* find_fresh(KeyView key) const;  // as the machine was at first
    const std::string* text(Section section, std::string_view name) const;
    const ModelFile* file(std::string_view path) const;
    const UnitState* unit(std::string_view name) const;
    const UserState* user(std::string_view name) const;
    // Names in the section that begin with `prefix`, in order.
    std::vector<std::string> names(Section section, std::string_view prefix = "") const;

    void set(Key key, Value value);
    void remove(const Key& key);
    // A change without a trace in the state (a unit restarted, a file rewritten as it was).
    void touch() { touched_ = true; }

    // Since the last commit() or roll_back().
    const std::vector<Change>& pending() const { return pending_; }
    bool touched() const { return touched_; }
    void commit();
    void roll_back();

    // Everything the machine is, by section and name, in a stable order. Two hosts are in the same
    // state exactly when their snapshots are equal; what ran in between does not show.
    json::object snapshot() const;
    std::string fingerprint() const;  // SHA-256 of the snapshot

  private:
    using Overlay = std::map<Key, std::optional<Value>, KeyLess>;
    struct Former {
        Key key;
        bool present;  // in the overlay
        std::optional<Value> value;
    };

    void put(Key key, std::optional<Value> value);

    std::shared_ptr<const Values> fresh_;
    Overlay overlay_;
    std::vector<Change> pending_;
    std::vector<Former> former_;
    bool touched_ = false;
};

std::string_view to_string(Section section);

// One change as it stands in a host's history file; from_json throws StateError STATE-DAMAGED.
json::object to_json(const Change& change);
Change change_from_json(const json::value& value, std::string_view what);

}  // namespace slipway::remote
