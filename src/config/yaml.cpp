#include "config/yaml.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <map>
#include <sstream>
#include <unordered_map>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

namespace slipway::config {

namespace {

// Ends the parse: a limit is passed, and nothing after it can be trusted.
struct Stop {
    Problem problem;
};

struct Size {
    std::size_t nodes = 1;
    std::size_t depth = 1;
};

Size size_of(const Node& node) {
    Size size;
    const auto add = [&](const Node& child) {
        const Size s = size_of(child);
        size.nodes += s.nodes;
        size.depth = std::max(size.depth, s.depth + 1);
    };
    for (const Node& item : node.items) add(item);
    for (const Entry& entry : node.entries) add(entry.value);
    return size;
}

class TreeBuilder final : public YAML::EventHandler {
  public:
    TreeBuilder(const std::string& file, int source, Findings& findings)
        : file_(file), source_(source), findings_(findings) {}

    Node take() { return std::move(root_); }

    void OnDocumentStart(const YAML::Mark&) override {}
    void OnDocumentEnd() override {}

    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        add(node_at(mark, Node::Kind::null), anchor);
    }

    void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        if (++aliases_ > kMaxYamlAliases) {
            stop("SPEC-TOO-MANY-ALIASES", mark,
                 fmt::format("more than {} aliases", kMaxYamlAliases), "write the values out");
        }
        const auto target = anchors_.find(anchor);
        if (target == anchors_.end()) {
            stop("SPEC-SYNTAX", mark, "the alias refers to itself", "write the value out");
        }
        // Both limits are checked before the copy is made: a chain of aliases multiplies.
        const Size size = size_of(target->second);
        count(mark, size.nodes);
        if (stack_.size() + size.depth > kMaxYamlDepth) too_deep(mark);
        place(target->second);
    }

    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  const std::string& value) override {
        Node node = node_at(mark, Node::Kind::scalar);
        node.quoted = tag == "!";
        refuse_tag(mark, tag);
        if (value.find('\0') != std::string::npos) {
            stop("SPEC-SYNTAX", mark, "holds a NUL character", "remove it");
        }
        node.text = value;
        add(std::move(node), anchor);
    }

    void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value) override {
        open(mark, tag, anchor, Node::Kind::list);
    }
    void OnSequenceEnd() override { close(); }
    void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                    YAML::EmitterStyle::value) override {
        open(mark, tag, anchor, Node::Kind::map);
    }
    void OnMapEnd() override { close(); }

  private:
    struct Level {
        Node node;
        YAML::anchor_t anchor = 0;
        bool has_key = false;
        bool keep = true;  // false: the value of a key that was refused
        Entry key;
        std::unordered_map<std::string, int> seen;  // key -> line of the first
    };

    Node node_at(const YAML::Mark& mark, Node::Kind kind) {
        count(mark, 1);
        Node node;
        node.kind = kind;
        node.source = source_;
        node.line = mark.line + 1;
        node.column = mark.column + 1;
        return node;
    }

    void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
              Node::Kind kind) {
        if (stack_.size() >= kMaxYamlDepth) too_deep(mark);
        refuse_tag(mark, tag);
        Level level;
        level.node = node_at(mark, kind);
        level.anchor = anchor;
        stack_.push_back(std::move(level));
    }

    void close() {
        Node node = std::move(stack_.back().node);
        const YAML::anchor_t anchor = stack_.back().anchor;
        stack_.pop_back();
        add(std::move(node), anchor);
    }

    void add(Node node, YAML::anchor_t anchor) {
        if (anchor != 0) anchors_[anchor] = node;
        place(std::move(node));
    }

    void place(Node node) {
        if (stack_.empty()) {
            root_ = std::move(node);
        } else if (Level& top = stack_.back(); top.node.kind == Node::Kind::list) {
            top.node.items.push_back(std::move(node));
        } else if (!top.has_key) {
            set_key(top, node);
        } else {
            top.has_key = false;
            // yaml-cpp puts an absent value where the next token is: the key is what the user sees.
            if (node.kind == Node::Kind::null) {
                node.line = top.key.line;
                node.column = top.key.column;
            }
            top.key.value = std::move(node);
            if (top.keep) top.node.entries.push_back(std::move(top.key));
        }
    }

    void set_key(Level& top, const Node& node) {
        top.has_key = true;
        top.keep = true;
        top.key = Entry{node.text, source_, node.line, node.column, {}};
        if (node.kind != Node::Kind::scalar) {
            top.keep = false;
            report("SPEC-KEY", node.line, node.column, "a key must be a plain text",
                   "write the key as one word, or quote it");
            return;
        }
        const auto [first, is_new] = top.seen.emplace(node.text, node.line);
        if (is_new) return;
        top.keep = false;
        top.node.duplicates.push_back({node.text, node.line, node.column, first->second, source_});
    }

    void refuse_tag(const YAML::Mark& mark, const std::string& tag) {
        if (tag.empty() || tag == "?" || tag == "!") return;
        report("SPEC-TAG", mark.line + 1, mark.column + 1, "has the YAML tag " + shown(tag),
               "remove the tag; types follow from the field");
    }

    void count(const YAML::Mark& mark, std::size_t nodes) {
        nodes_ += nodes;
        if (nodes_ > kMaxYamlNodes) {
            stop("SPEC-TOO-MANY-NODES", mark,
                 fmt::format("more than {} values, aliases expanded", kMaxYamlNodes),
                 "split the file, or write less in it");
        }
    }

    [[noreturn]] void too_deep(const YAML::Mark& mark) {
        stop("SPEC-TOO-DEEP", mark,
             fmt::format("more than {} levels inside each other", kMaxYamlDepth),
             "nothing in a spec is that deep; check the indentation");
    }

    void report(std::string id, int line, int column, std::string what, std::string todo) {
        findings_.add(
            {std::move(id), {file_, line, column, source_}, "", std::move(what), std::move(todo)});
    }

    [[noreturn]] void stop(std::string id, const YAML::Mark& mark, std::string what,
                           std::string todo) {
        throw Stop{{std::move(id),
                    {file_, mark.line + 1, mark.column + 1, source_},
                    "",
                    std::move(what),
                    std::move(todo)}};
    }

    const std::string& file_;
    int source_;
    Findings& findings_;
    Node root_;
    std::vector<Level> stack_;
    std::map<YAML::anchor_t, Node> anchors_;
    std::size_t nodes_ = 0;
    std::size_t aliases_ = 0;
};

// The line and column of a byte, for problems found before the parser runs.
Position position_of(const Source& source, int index, std::size_t at) {
    const std::string_view before = std::string_view(source.text).substr(0, at);
    const auto line = static_cast<int>(std::ranges::count(before, '\n')) + 1;
    const std::size_t start = before.rfind('\n');
    const std::size_t column = start == std::string_view::npos ? at : at - start - 1;
    return {source.file, line, static_cast<int>(column) + 1, index};
}

// yaml-cpp guesses UTF-16 and UTF-32 and repairs broken bytes; we want to know instead.
std::optional<Problem> refuse_bytes(const Source& source, int index) {
    if (source.text.size() > kMaxYamlBytes) {
        return Problem{"SPEC-TOO-LARGE",
                       {source.file, 0, 0, index},
                       "",
                       fmt::format("is larger than {} MiB", kMaxYamlBytes >> 20),
                       "split it, or keep large texts in files of their own"};
    }
    if (const std::size_t at = first_invalid_utf8(source.text); at != std::string::npos) {
        return Problem{"SPEC-NOT-UTF8", position_of(source, index, at), "", "is not UTF-8 text",
                       "save the file as UTF-8"};
    }
    const auto control = std::ranges::find_if(source.text, [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte < 0x20 && c != '\n' && c != '\t' && c != '\r';
    });
    if (control == source.text.end()) return std::nullopt;
    const auto at = static_cast<std::size_t>(control - source.text.begin());
    return Problem{
        "SPEC-SYNTAX", position_of(source, index, at), "",
        fmt::format("holds the control character \\x{:02x}", static_cast<unsigned char>(*control)),
        "remove it, or write it as an escape in double quotes"};
}

}  // namespace

const Node* Node::find(std::string_view key) const {
    const auto at = std::ranges::find(entries, key, &Entry::key);
    return at == entries.end() ? nullptr : &at->value;
}

Node* Node::find(std::string_view key) { return const_cast<Node*>(std::as_const(*this).find(key)); }

std::optional<Node> parse_yaml(const Source& source, int index, Findings& findings) {
    if (std::optional<Problem> refused = refuse_bytes(source, index)) {
        findings.add(std::move(*refused));
        return std::nullopt;
    }
    TreeBuilder builder(source.file, index, findings);
    const auto refuse = [&](std::string_view id, int line, int column, std::string what,
                            std::string todo) {
        findings.add({std::string(id),
                      {source.file, line, column, index},
                      "",
                      std::move(what),
                      std::move(todo)});
        return std::nullopt;
    };
    try {
        std::istringstream stream(source.text);
        YAML::Parser parser(stream);
        if (!parser.HandleNextDocument(builder)) {
            return refuse("SPEC-EMPTY", 1, 1, "is empty", "start from `slipway init`");
        }
        Node root = builder.take();
        TreeBuilder second(source.file, index, findings);
        if (parser.HandleNextDocument(second)) {
            const Node other = second.take();
            return refuse("SPEC-DOCUMENTS", other.line, other.column,
                          "is a second document in the same file",
                          "put each document in a file of its own and give each with -c");
        }
        return root;
    } catch (const Stop& stop) {
        findings.add(stop.problem);
    } catch (const YAML::Exception& e) {
        const bool placed = !e.mark.is_null();
        return refuse("SPEC-SYNTAX", placed ? e.mark.line + 1 : 0, placed ? e.mark.column + 1 : 0,
                      "is not valid YAML: " + printable(e.msg.substr(0, 120)),
                      "check indentation, quotes and brackets here and just before");
    }
    return std::nullopt;
}

}  // namespace slipway::config
