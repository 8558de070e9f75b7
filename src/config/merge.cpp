#include "config/merge.hpp"

#include <algorithm>
#include <iterator>
#include <unordered_map>

namespace slipway::config {

namespace {

const std::string* name_of(const Node& item) {
    const Node* name = item.find("name");
    return name != nullptr && name->kind == Node::Kind::scalar ? &name->text : nullptr;
}

bool has_names(const Node& list) {
    return !list.items.empty() && std::ranges::all_of(list.items, [](const Node& item) {
        return name_of(item) != nullptr;
    });
}

void merge_named(Node& base, Node overlay) {
    std::unordered_map<std::string, std::size_t> index;
    for (std::size_t i = 0; i < base.items.size(); ++i) index.emplace(*name_of(base.items[i]), i);
    for (Node& item : overlay.items) {
        const auto at = index.find(*name_of(item));
        if (at == index.end()) {
            base.items.push_back(std::move(item));
            continue;
        }
        merge_into(base.items[at->second], std::move(item));
        // A second item of that name in the same file is a mistake that has to stay visible.
        index.erase(at);
    }
}

void merge_maps(Node& base, Node overlay) {
    std::unordered_map<std::string, std::size_t> index;
    for (std::size_t i = 0; i < base.entries.size(); ++i) index.emplace(base.entries[i].key, i);
    for (Entry& entry : overlay.entries) {
        if (const auto at = index.find(entry.key); at != index.end()) {
            merge_into(base.entries[at->second].value, std::move(entry.value));
        } else {
            base.entries.push_back(std::move(entry));
        }
    }
    std::ranges::move(overlay.duplicates, std::back_inserter(base.duplicates));
}

}  // namespace

void merge_into(Node& base, Node overlay) {
    if (base.kind == Node::Kind::map && overlay.kind == Node::Kind::map) {
        merge_maps(base, std::move(overlay));
    } else if (base.kind == Node::Kind::list && overlay.kind == Node::Kind::list &&
               has_names(base) && has_names(overlay)) {
        merge_named(base, std::move(overlay));
    } else {
        base = std::move(overlay);
    }
}

}  // namespace slipway::config
