// The file that is converted: a tree that remembers what became of each of its leaves.
//
//     View spec = document.root()["spec"];
//     spec["timeout"].refuse("Slipway has no such setting");
//     document.left();     // whatever nobody has taken, agreed to or refused
//
// A leaf is a text, number or switch, or a list or map without anything in it. `null` means "not
// set" in both formats and is none. Reading a value changes nothing; a leaf is accounted for only
// when someone says what became of it, so that nothing can be lost by forgetting it.
#pragma once

#include "config/problem.hpp"
#include "config/yaml.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

namespace slipway::convert {

// A part of the input that the spec does not have, and why.
struct Unsupported {
    std::string path;  // cluster.spec.machines[0].proxy
    std::string why;
    bool is_wrong = false;  // the spec has such a setting, and refuses this value
};

class Document;

// A place in the document, there or not.
class View {
  public:
    View() = default;
    View(Document* document, const config::Node* node, std::string path)
        : document_(document), node_(node), path_(std::move(path)) {}

    const std::string& path() const { return path_; }
    bool is_there() const { return node_ != nullptr && node_->kind != config::Node::Kind::null; }
    bool is_map() const { return is_there() && node_->kind == config::Node::Kind::map; }
    bool is_list() const { return is_there() && node_->kind == config::Node::Kind::list; }
    bool is_scalar() const { return is_there() && node_->kind == config::Node::Kind::scalar; }
    // Not there, or what Go writes for "not set": "", 0, false, []. A map without keys is
    // something: it switches a part on.
    bool is_nothing() const;

    View operator[](std::string_view key) const;
    std::vector<View> items() const;
    std::vector<std::pair<std::string, View>> entries() const;

    std::string text() const;  // "" when it is no scalar
    std::optional<std::int64_t> number() const;
    std::optional<bool> flag() const;

    // What became of it, each with everything below that nobody has spoken of yet.
    void take() const;                        // it is in the spec now
    void agree() const;                       // Slipway does so anyway
    void refuse(std::string_view why) const;  // nothing here does that; says so once for all of it
    // It is in the spec, but not all it meant.
    void remark(std::string_view why) const;

  private:
    Document* document_ = nullptr;
    const config::Node* node_ = nullptr;
    std::string path_;
};

class Document {
  public:
    // Throws UserError CONVERT-UNREADABLE. One JSON text, or YAML documents one after another.
    explicit Document(const config::Source& source);
    ~Document();  // wipes the texts: passwords are among them
    Document(const Document&) = delete;
    Document& operator=(const Document&) = delete;

    std::vector<View> roots();
    // The paths of every leaf, in the order of the file.
    std::vector<std::string> leaves() const;

    // Everything refused so far, and, as wide as possible, what nobody spoke of.
    std::vector<Unsupported> unsupported() const;
    const std::vector<std::string>& agreed() const { return agreed_; }

  private:
    friend class View;

    struct Root {
        config::Node node;
        std::string path;
    };

    bool is_settled(const config::Node& node) const { return settled_.contains(&node); }
    // Marks the leaves of a tree; their paths when nobody had marked them before.
    void settle(const config::Node& node, const std::string& path, std::vector<std::string>* fresh);
    bool is_untouched(const config::Node& node) const;
    void find_left(const config::Node& node, const std::string& path,
                   std::vector<Unsupported>& out) const;

    std::vector<Root> roots_;
    std::unordered_set<const config::Node*> settled_;
    std::vector<Unsupported> refused_;
    std::vector<std::string> agreed_;
};

// Whether `inner` is `outer` or lies below it.
bool is_within(std::string_view inner, std::string_view outer);

}  // namespace slipway::convert
