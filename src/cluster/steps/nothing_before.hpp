// Undo leaves out steps without a record of what was there before. A step that is no list of
// resources and has something to take away gives this record, which holds none.
#pragma once

#include <string_view>

namespace slipway::cluster {

inline constexpr std::string_view kNothingBefore = R"({"version":1,"resources":[]})";

}  // namespace slipway::cluster
