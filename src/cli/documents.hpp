// Pages of docs/ that the program writes about itself, so that they cannot be out of date.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace slipway::cli {

std::vector<std::string_view> document_names();  // cli, exit-codes, steps, events, spec
std::string document(std::string_view name);

}  // namespace slipway::cli
