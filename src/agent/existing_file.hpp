// A file that is wanted by its digest may be there already.
#pragma once

#include "agent/patience.hpp"

#include <cstdint>
#include <string>

namespace slipway::agent {

struct WantedFile {
    std::string path = {};
    std::string sha256 = {};
    std::uint64_t size = 0;  // 0: not known
    std::uint32_t mode = 0644;
};

enum class Existing { none, other_mode, right };

// Brings the mode of a file with the right content to what is wanted. A link is no such file.
Existing use_existing(const WantedFile& wanted, const Patience& patience);

}  // namespace slipway::agent
