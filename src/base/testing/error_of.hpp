// What an action throws, for tests of errors.
//
//     EXPECT_EQ(error_of([&] { BundleReader(file); }), "BUNDLE-DAMAGED");
#pragma once

#include <functional>
#include <string>

namespace slipway::testing {

// The id of the Error, which must have a message; "none" when nothing is thrown.
std::string error_of(const std::function<void()>& act);

}  // namespace slipway::testing
