// A page of docs/ that a program can write, and the test that it is up to date.
//
//     expect_document("docs/errors.md", errors_as_markdown());
//
// With SLIPWAY_WRITE_DOCS=1 in the environment (`make docs`) the page is written instead of
// compared.
#pragma once

#include <string>
#include <string_view>

namespace slipway::testing {

// `path` is relative to the root of the sources.
void expect_document(const std::string& path, std::string_view content);

}  // namespace slipway::testing
