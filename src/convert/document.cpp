#include "convert/document.hpp"

#include "base/error.hpp"
#include "base/secret.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace slipway::convert {

namespace {

using config::Node;

constexpr std::size_t kMostDocuments = 4;
constexpr std::string_view kUnknown = "Slipway knows no such setting";

std::string below(const std::string& path, const std::string& key) {
    return path.empty() ? key : path + "." + key;
}

std::string at_index(const std::string& path, std::size_t index) {
    return fmt::format("{}[{}]", path, index);
}

bool is_leaf(const Node& node) {
    if (node.kind == Node::Kind::scalar) return true;
    return node.kind != Node::Kind::null && node.items.empty() && node.entries.empty();
}

template <class Visit>
void each_child(const Node& node, const std::string& path, const Visit& visit) {
    for (std::size_t i = 0; i < node.items.size(); ++i) visit(node.items[i], at_index(path, i));
    for (const config::Entry& entry : node.entries) visit(entry.value, below(path, entry.key));
}

void find_leaves(const Node& node, const std::string& path, std::vector<std::string>& out) {
    if (is_leaf(node)) out.push_back(path);
    each_child(node, path,
               [&](const Node& child, const std::string& at) { find_leaves(child, at, out); });
}

void find_duplicates(const Node& node, const std::string& path, std::vector<Unsupported>& out) {
    for (const Node::Duplicate& twice : node.duplicates)
        out.push_back({below(path, twice.key),
                       fmt::format("is there again in line {}; that of line {} counts", twice.line,
                                   twice.first_line)});
    each_child(node, path,
               [&](const Node& child, const std::string& at) { find_duplicates(child, at, out); });
}

void wipe_texts(Node& node) {
    wipe(node.text);
    for (Node& item : node.items) wipe_texts(item);
    for (config::Entry& entry : node.entries) wipe_texts(entry.value);
}

// A line of three dashes ends a document wherever it stands, in blocks of text too.
std::vector<std::string> split_documents(const std::string& text) {
    std::vector<std::string> out(1);
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
        const std::string_view line = std::string_view(text).substr(at, end - at);
        const bool marker = line.starts_with("---") &&
                            (line.size() == 3 ||
                             std::string_view(" \t\r\n#").find(line[3]) != std::string_view::npos);
        if (marker) {
            out.emplace_back();
        } else {
            out.back() += line;
        }
        at = end;
    }
    return out;
}

bool says_something(std::string_view text) {
    for (const std::string& line : split(text, '\n')) {
        const std::string_view words = trim(line);
        if (!words.empty() && !words.starts_with('#')) return true;
    }
    return false;
}

[[noreturn]] void unreadable(const std::string& file, const config::Findings& findings) {
    std::vector<std::string> lines;
    for (const config::Problem& problem : findings.sorted()) lines.push_back(problem.line());
    throw UserError("CONVERT-UNREADABLE", fmt::format("{} cannot be read", printable(file)),
                    {.cause = lines.empty() ? "nothing is in it" : join(lines, "\n"),
                     .remedy = "name a tke.json, or a cluster file of KubeKey"});
}

}  // namespace

bool is_within(std::string_view inner, std::string_view outer) {
    if (outer.empty()) return true;
    if (!inner.starts_with(outer)) return false;
    return inner.size() == outer.size() || inner[outer.size()] == '.' || inner[outer.size()] == '[';
}

bool View::is_nothing() const {
    if (!is_there() || (is_list() && node_->items.empty())) return true;
    if (!is_scalar()) return false;
    return node_->text.empty() || (!node_->quoted && (node_->text == "0" || flag() == false));
}

View View::operator[](std::string_view key) const {
    const Node* child = node_ == nullptr ? nullptr : node_->find(key);
    return {document_, child, below(path_, std::string(key))};
}

std::vector<View> View::items() const {
    std::vector<View> out;
    if (node_ == nullptr) return out;
    for (std::size_t i = 0; i < node_->items.size(); ++i)
        out.emplace_back(document_, &node_->items[i], at_index(path_, i));
    return out;
}

std::vector<std::pair<std::string, View>> View::entries() const {
    std::vector<std::pair<std::string, View>> out;
    if (node_ == nullptr) return out;
    for (const config::Entry& entry : node_->entries)
        out.emplace_back(entry.key, View(document_, &entry.value, below(path_, entry.key)));
    return out;
}

std::string View::text() const { return is_scalar() ? node_->text : ""; }

std::optional<std::int64_t> View::number() const {
    const std::string digits = text();
    std::int64_t out = 0;
    const auto [end, failure] =
        std::from_chars(digits.data(), digits.data() + digits.size(), out, 10);
    if (digits.empty() || failure != std::errc() || end != digits.data() + digits.size())
        return std::nullopt;
    return out;
}

std::optional<bool> View::flag() const {
    std::string word = text();
    for (char& c : word) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
    if (word == "true" || word == "yes" || word == "on") return true;
    if (word == "false" || word == "no" || word == "off") return false;
    return std::nullopt;
}

void View::take() const {
    if (node_ != nullptr) document_->settle(*node_, path_, nullptr);
}

void View::agree() const {
    if (node_ != nullptr) document_->settle(*node_, path_, &document_->agreed_);
}

void View::refuse(std::string_view why) const {
    if (!is_there()) return;
    document_->settle(*node_, path_, nullptr);
    remark(why);
}

void View::remark(std::string_view why) const {
    if (is_there()) document_->refused_.push_back({path_, std::string(why)});
}

Document::Document(const config::Source& source) {
    config::Findings findings;
    if (source.text.size() > config::kMaxYamlBytes) {
        config::parse_yaml(source, 0, findings);  // says how large it may be
        unreadable(source.file, findings);
    }
    for (const std::string& text : split_documents(source.text)) {
        if (!says_something(text)) continue;
        if (roots_.size() == kMostDocuments) {
            findings.add({"SPEC-SYNTAX",
                          {source.file, 0, 0, 0},
                          "",
                          fmt::format("holds more than {} documents", kMostDocuments),
                          "keep only those of one cluster"});
            break;
        }
        auto node = config::parse_yaml({source.file, text}, 0, findings);
        const std::string path = roots_.empty() ? "" : fmt::format("documents[{}]", roots_.size());
        if (node) roots_.push_back({std::move(*node), path});
    }
    if (findings.errors() > 0 || roots_.empty()) unreadable(source.file, findings);
}

Document::~Document() {
    for (Root& root : roots_) wipe_texts(root.node);
}

std::vector<View> Document::roots() {
    std::vector<View> out;
    for (const Root& root : roots_) out.emplace_back(this, &root.node, root.path);
    return out;
}

std::vector<std::string> Document::leaves() const {
    std::vector<std::string> out;
    for (const Root& root : roots_) find_leaves(root.node, root.path, out);
    return out;
}

void Document::settle(const Node& node, const std::string& path, std::vector<std::string>* fresh) {
    if (is_leaf(node) && settled_.insert(&node).second && fresh != nullptr) fresh->push_back(path);
    each_child(node, path,
               [&](const Node& child, const std::string& at) { settle(child, at, fresh); });
}

bool Document::is_untouched(const Node& node) const {
    if (is_leaf(node)) return !is_settled(node);
    bool untouched = true;
    each_child(node, "", [&](const Node& child, const std::string&) {
        untouched = untouched && (child.kind == Node::Kind::null || is_untouched(child));
    });
    return untouched;
}

void Document::find_left(const Node& node, const std::string& path,
                         std::vector<Unsupported>& out) const {
    std::vector<std::string> leaves;
    find_leaves(node, path, leaves);
    if (leaves.empty()) return;  // nothing but null
    if (is_untouched(node)) {
        out.push_back({path, std::string(kUnknown)});
        return;
    }
    each_child(node, path,
               [&](const Node& child, const std::string& at) { find_left(child, at, out); });
}

std::vector<Unsupported> Document::unsupported() const {
    std::vector<Unsupported> out = refused_;
    for (const Root& root : roots_) {
        find_duplicates(root.node, root.path, out);
        find_left(root.node, root.path, out);
    }
    return out;
}

}  // namespace slipway::convert
