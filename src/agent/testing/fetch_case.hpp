// What tests of fetching share: a folder, a wish for a file in it, and how it went.
#pragma once

#include "agent/connection.hpp"
#include "agent/testing/fake_request.hpp"
#include "wire/messages.hpp"

#include <chrono>
#include <string>

#include <gtest/gtest.h>

namespace slipway::agent {

class FetchCase : public ::testing::Test {
  protected:
    FetchCase();
    ~FetchCase() override;

    // The wish for `content` from `url`, to be stored at path().
    wire::Fetch wish(const std::string& url, const std::string& content) const;
    std::string path() const { return folder_ + "/file"; }
    std::string part() const { return path() + ".slipway-part"; }
    std::string text_of(const std::string& file) const;  // "" when there is none
    bool exists(const std::string& file) const;
    void put(const std::string& file, const std::string& content, unsigned mode = 0600) const;

    // The code and words of the failure; "ok" when there is none.
    std::string try_fetch(const wire::Fetch& wanted);

    std::string folder_;
    FakeRequest request_;
    wire::Fetched fetched_;
    ConnectionLimits limits_{.connect = std::chrono::seconds(5), .stall = std::chrono::seconds(5)};
};

// An answer with a length.
std::string answer(const std::string& content, const std::string& status = "200 OK",
                   const std::string& more_fields = "");

}  // namespace slipway::agent
