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

struct SmallRpm {
    std::string name = {};
    std::string version = "1.0";
    std::string release = "1.el9";
    std::string arch = "x86_64";
    std::string epoch = "0";
    std::vector<std::string> provides = {};  // beside itself: "mta", "mta = 2"
    std::vector<std::string> needs = {};     // "bash >= 5.1", "/usr/bin/x", "(a or b)"
    std::vector<std::string> conflicts = {};
    std::vector<std::string> obsoletes = {};
    std::vector<std::string> files = {};         // in primary.xml
    std::vector<std::string> hidden_files = {};  // in filelists.xml only
};

class RpmRepository {
  public:
    explicit RpmRepository(std::filesystem::path folder) : folder_(std::move(folder)) {}

    RpmRepository& add(const SmallRpm& rpm);
    // repodata/repomd.xml, primary.xml.ENDING and filelists.xml.ENDING.
    void write(const std::string& ending = ".gz") const;
    std::string primary() const;

  private:
    std::filesystem::path folder_;
    std::string packages_;
    std::string file_lists_;
};

}  // namespace slipway::oci::testing
