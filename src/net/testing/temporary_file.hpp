// A file without a name, full of bytes that differ everywhere.
#pragma once

#include "base/files.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace slipway::net::testing {

std::shared_ptr<const Fd> temporary_file(const std::string& content);
// The same for the same size and seed.
std::string pattern(std::size_t size, std::uint32_t seed = 1);

}  // namespace slipway::net::testing
