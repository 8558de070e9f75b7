// A program in the place of the SSH client: it says what a test wants, and counts.
//
//     const FakeSsh ssh("echo 'ops@10.0.0.1: Permission denied (password).' >&2; exit 255");
//     … dial …
//     EXPECT_EQ(ssh.started(), 1u);
#pragma once

#include <filesystem>
#include <string>

namespace slipway::remote::testing {

class FakeSsh {
  public:
    // A script for /bin/sh; "$*" are the client's arguments.
    explicit FakeSsh(const std::string& script);
    ~FakeSsh();
    FakeSsh(const FakeSsh&) = delete;
    FakeSsh& operator=(const FakeSsh&) = delete;

    std::size_t started() const;  // how often, so far

  private:
    std::filesystem::path folder_;
    std::string path_before_;
};

}  // namespace slipway::remote::testing
