// Runs every scenario in a process of its own and writes docs/benchmarks.md.
#pragma once

#include <filesystem>
#include <string>

namespace slipway::bench {

// Returns 1 when a figure misses its bound.
int write_report(const std::string& program, const std::filesystem::path& file,
                 const std::filesystem::path& state);

}  // namespace slipway::bench
