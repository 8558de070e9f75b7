// The same work for many things, a few at a time.
//
//     in_parallel(sources.size(), 6, [&](std::size_t i) { sources[i]->load(); });
#pragma once

#include <cstddef>
#include <functional>

namespace slipway::oci {

// Returns when all are done. After a failure nothing new is begun; the first one in order is
// thrown.
void in_parallel(std::size_t count, std::size_t at_once,
                 const std::function<void(std::size_t)>& work);

}  // namespace slipway::oci
