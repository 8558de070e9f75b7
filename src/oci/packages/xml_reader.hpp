// XML, one element after the other, in memory that does not grow with the document.
//
// Documents with a DTD are refused: entities are how small files become large ones.
#pragma once

#include "oci/byte_stream.hpp"

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace slipway::oci::packages {

using XmlAttributes = std::map<std::string, std::string, std::less<>>;

struct XmlHandler {
    // Names are without their prefix: entry for rpm:entry.
    std::function<void(std::string_view name, const XmlAttributes& attributes)> begin = {};
    // With the text that stood in the element itself.
    std::function<void(std::string_view name, std::string_view text)> end = {};
};

// Throws UserError REPOSITORY-INVALID naming `what`; what the handler throws passes through.
void read_xml(ByteStream& stream, const std::string& what, const XmlHandler& handler);

}  // namespace slipway::oci::packages
