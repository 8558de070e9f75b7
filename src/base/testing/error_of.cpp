#include "base/testing/error_of.hpp"

#include "base/error.hpp"

#include <gtest/gtest.h>

namespace slipway::testing {

std::string error_of(const std::function<void()>& act) {
    try {
        act();
    } catch (const Error& e) {
        EXPECT_FALSE(e.message().empty());
        return e.id();
    }
    return "none";
}

}  // namespace slipway::testing
