// A kubeconfig as a tree: what reading and merging have in common.
#pragma once

#include "config/yaml.hpp"

#include <string>
#include <string_view>

namespace slipway::kube {

[[noreturn]] void refuse(const std::string& file, const std::string& why);  // KUBECONFIG-INVALID

// A map; an empty text is an empty one.
config::Node read_document(std::string_view text, const std::string& name);

std::string text_at(const config::Node& map, std::string_view key);  // "" when there is none

// The item of a list of {name: …} maps.
const config::Node* named_item(const config::Node& root, std::string_view list,
                               std::string_view name);

}  // namespace slipway::kube
