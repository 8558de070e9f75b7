// Small package repositories on disk.
//
//     DebRepository repository(folder / "debian");
//     repository.add({.name = "socat", .version = "1.7", .depends = "libc6"});
//     repository.write();
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::oci::testing {

struct SmallDeb {
    std::string name = {};
    std::string version = "1.0";
    std::string arch = "amd64";
    std::string depends = {};
    std::string more = {};     // further lines of the stanza
    std::string content = {};  // else made of name and version
};

class DebRepository {
  public:
    explicit DebRepository(std::filesystem::path folder) : folder_(std::move(folder)) {}

    DebRepository& add(const SmallDeb& deb);
    // dists/bookworm/main/binary-amd64/Packages.ENDING and Release.
    void write(const std::string& ending = ".xz") const;
    std::string release(const std::string& ending = ".xz") const;
    std::string packages() const { return packages_; }

    std::string release_fields = "Suite: stable\nCodename: bookworm\nArchitectures: amd64\n";

  private:
    std::filesystem::path folder_;
    std::string packages_;
};

}  // namespace slipway::oci::testing
