// Debian's control files: stanzas of `Field: value`, an empty line between them.
//
//     ControlReader reader(stream, "Packages of bookworm");
//     while (const std::optional<Stanza> stanza = reader.next()) use(stanza->get("Package"));
//
// One stanza at a time, so that an index of any size is read in the memory of its largest stanza.
#pragma once

#include "oci/byte_stream.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace slipway::oci::packages {

class Stanza {
  public:
    // Names of fields are the same in any case; "" when there is none.
    std::string_view get(std::string_view field) const;
    bool empty() const { return fields_.empty(); }
    // False when the field stands twice.
    bool add(std::string_view field, std::string value);
    void extend(std::string_view field, std::string_view line);

  private:
    std::map<std::string, std::string, std::less<>> fields_;  // by lower-case name
};

class ControlReader {
  public:
    // `what` is named in errors. The stream must outlive the reader.
    ControlReader(ByteStream& stream, std::string what);
    // Throws UserError REPOSITORY-INVALID.
    std::optional<Stanza> next();

  private:
    std::optional<std::string_view> line();
    [[noreturn]] void refuse(std::string_view why) const;

    ByteStream& stream_;
    std::string what_;
    std::string buffer_;
    std::size_t at_ = 0;
    std::size_t lines_ = 0;
    bool ended_ = false;
};

}  // namespace slipway::oci::packages
