// Comparing what a client sent with a secret, in a time that tells nothing of how much was right.
#pragma once

#include <string_view>

namespace slipway::server {

inline bool secrets_match(std::string_view given, std::string_view kept) {
    if (given.size() != kept.size()) return false;
    unsigned char differs = 0;
    for (std::size_t i = 0; i < kept.size(); ++i)
        differs = static_cast<unsigned char>(
            differs | (static_cast<unsigned char>(given[i]) ^ static_cast<unsigned char>(kept[i])));
    return *const_cast<volatile unsigned char*>(&differs) == 0;
}

}  // namespace slipway::server
