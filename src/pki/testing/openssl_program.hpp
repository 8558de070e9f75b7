// The openssl program as a second opinion, with a folder for its files.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::pki::testing {

class OpensslProgram {
  public:
    OpensslProgram();
    ~OpensslProgram();
    OpensslProgram(const OpensslProgram&) = delete;
    OpensslProgram& operator=(const OpensslProgram&) = delete;

    std::string path(const std::string& name) const { return (folder_ / name).string(); }
    std::string file(const std::string& name, std::string_view content) const;  // its path
    std::string read(const std::string& name) const;
    std::string run(std::vector<std::string> arguments) const;  // what it prints

  private:
    std::filesystem::path folder_;
};

}  // namespace slipway::pki::testing
