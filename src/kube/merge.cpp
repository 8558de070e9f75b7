#include "kube/merge.hpp"

#include "base/json.hpp"
#include "kube/document.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace slipway::kube {

namespace {

using config::Node;

Node scalar(const std::string& text) {
    Node out;
    out.kind = Node::Kind::scalar;
    out.quoted = true;
    out.text = text;
    return out;
}

Node& entry(Node& map, const std::string& key) {
    if (Node* found = map.find(key)) return *found;
    map.entries.push_back({.key = key, .value = {}});
    return map.entries.back().value;
}

// A JSON string is one of YAML too, whatever is in it.
std::string in_quotes(const std::string& text) { return json::serialize(json::string(text)); }

// What stood without quotes stays without: there `true` is no text.
std::string scalar_text(const Node& node) {
    const bool plain = !node.quoted && node.text.find('\n') == std::string::npos;
    return plain ? node.text : in_quotes(node.text);
}

std::string key_text(const std::string& key) {
    const bool plain = !key.empty() && std::ranges::all_of(key, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
    });
    return plain ? key : in_quotes(key);
}

void write(std::string& out, const Node& node, const std::string& indent);

void write_entries(std::string& out, const Node& map, const std::string& indent, bool in_item) {
    bool first = in_item;
    for (const config::Entry& one : map.entries) {
        out += fmt::format("{}{}:", first ? "" : indent, key_text(one.key));
        first = false;
        write(out, one.value, indent);
    }
}

void write_items(std::string& out, const Node& list, const std::string& indent) {
    for (const Node& item : list.items) {
        out += indent + "-";
        if (item.kind == Node::Kind::map && !item.entries.empty()) {
            out += ' ';
            write_entries(out, item, indent + "  ", true);
        } else {
            write(out, item, indent + "  ");
        }
    }
}

// What follows `key:` or `-`, line break included.
void write(std::string& out, const Node& node, const std::string& indent) {
    if (node.kind == Node::Kind::map && !node.entries.empty()) {
        out += '\n';
        write_entries(out, node, indent + "  ", false);
    } else if (node.kind == Node::Kind::list && !node.items.empty()) {
        out += '\n';
        write_items(out, node, indent);
    } else {
        const std::string text = node.kind == Node::Kind::scalar ? scalar_text(node)
                                 : node.kind == Node::Kind::list ? "[]"
                                 : node.kind == Node::Kind::map  ? "{}"
                                                                 : "null";
        out += " " + text + "\n";
    }
}

void put(Node& into, const std::string& list, Node item) {
    Node& all = entry(into, list);
    all.kind = Node::Kind::list;
    const std::string name = text_at(item, "name");
    std::erase_if(all.items, [&](const Node& one) { return text_at(one, "name") == name; });
    all.items.push_back(std::move(item));
}

Node named(const Node& from, std::string_view list, const std::string& name, const std::string& as,
           const std::string& file) {
    const Node* found = named_item(from, list, name);
    if (found == nullptr) refuse(file, fmt::format("it has no {} named {}", list, name));
    Node out = *found;
    entry(out, "name") = scalar(as);
    return out;
}

}  // namespace

std::string merge_kubeconfig(std::string_view existing, const std::string& name,
                             std::string_view ours, const std::string& as, Current current) {
    static const std::string kOurs = "the cluster's kubeconfig";
    Node into = read_document(existing, name);
    const Node from = read_document(ours, kOurs);
    Node context = named(from, "contexts", text_at(from, "current-context"), as, kOurs);
    Node& inner = entry(context, "context");
    const std::string user = as + "-admin";
    put(into, "clusters", named(from, "clusters", text_at(inner, "cluster"), as, kOurs));
    put(into, "users", named(from, "users", text_at(inner, "user"), user, kOurs));
    entry(inner, "cluster") = scalar(as);
    entry(inner, "user") = scalar(user);
    put(into, "contexts", std::move(context));
    if (current == Current::switch_to || text_at(into, "current-context").empty())
        entry(into, "current-context") = scalar(as);
    if (into.find("apiVersion") == nullptr) entry(into, "apiVersion") = scalar("v1");
    if (into.find("kind") == nullptr) entry(into, "kind") = scalar("Config");
    std::string out;
    write_entries(out, into, "", false);
    return out;
}

}  // namespace slipway::kube
