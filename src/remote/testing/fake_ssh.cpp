#include "remote/testing/fake_ssh.hpp"

#include "base/files.hpp"

#include <cstdlib>

#include <fmt/format.h>

namespace slipway::remote::testing {

FakeSsh::FakeSsh(const std::string& script) {
    std::string made = (std::filesystem::temp_directory_path() / "slipway-ssh-XXXXXX").string();
    if (::mkdtemp(made.data()) == nullptr) std::abort();
    folder_ = made;
    atomic_write(folder_ / "ssh", fmt::format("#!/bin/sh\necho >>{}/started\n{}\n", made, script),
                 0700);
    const char* path = ::getenv("PATH");
    path_before_ = path == nullptr ? "" : path;
    ::setenv("PATH", (made + ":" + path_before_).c_str(), 1);
}

FakeSsh::~FakeSsh() {
    ::setenv("PATH", path_before_.c_str(), 1);
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
}

std::size_t FakeSsh::started() const {
    return read_file_if_any(folder_ / "started").value_or("").size();
}

}  // namespace slipway::remote::testing
