#include "kube/document.hpp"

#include "base/error.hpp"
#include "base/text.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace slipway::kube {

void refuse(const std::string& file, const std::string& why) {
    throw UserError("KUBECONFIG-INVALID", fmt::format("{} cannot be used: {}", file, why),
                    {.remedy = "correct it, or name another file"});
}

config::Node read_document(std::string_view text, const std::string& name) {
    if (trim(text).empty()) {
        config::Node empty;
        empty.kind = config::Node::Kind::map;
        return empty;
    }
    config::Findings findings;
    std::optional<config::Node> root = config::parse_yaml({name, std::string(text)}, 0, findings);
    if (!root) refuse(name, "it is not valid YAML");
    if (root->kind != config::Node::Kind::map) refuse(name, "it is not a map");
    return std::move(*root);
}

std::string text_at(const config::Node& map, std::string_view key) {
    const config::Node* value = map.find(key);
    return value != nullptr && value->kind == config::Node::Kind::scalar ? value->text : "";
}

const config::Node* named_item(const config::Node& root, std::string_view list,
                               std::string_view name) {
    const config::Node* items = root.find(list);
    if (items == nullptr) return nullptr;
    const auto found = std::ranges::find_if(
        items->items, [&](const config::Node& item) { return text_at(item, "name") == name; });
    return found == items->items.end() ? nullptr : &*found;
}

}  // namespace slipway::kube
