// Tars with any field wrong, for tests of those who read them.
//
//     RawTar().add({.name = "../evil"}, "x").end()
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace slipway::oci::testing {

struct RawEntry {
    std::string name = "file";
    char type = '0';
    std::string link = {};
    std::string prefix = {};
    std::string magic = std::string("ustar\00000", 8);
    std::string size = {};      // the field's bytes; else the content's size in octal
    std::string checksum = {};  // the field's bytes; else the right one
    std::string mode = "0000644";
    std::string uid = "0000000";
};

class RawTar {
  public:
    RawTar& add(const RawEntry& entry, std::string_view content = "");
    RawTar& pax(std::string_view records, char type = 'x');
    RawTar& long_name(std::string_view name, char type = 'L');
    RawTar& raw(std::string_view bytes);
    std::string end() const;                    // with the two empty blocks
    std::string cut() const { return bytes_; }  // without

  private:
    std::string bytes_;
};

std::string gzip(std::string_view bytes, int level = 6);
std::string xz(std::string_view bytes);
std::string zstd(std::string_view bytes, int window_log = 0);

}  // namespace slipway::oci::testing
