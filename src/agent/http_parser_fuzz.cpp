// Any bytes as a server's answer, in pieces of any size: a result or HttpError, the same whatever
// the pieces, and never more body than bytes came.
#include "agent/http_parser.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

using slipway::agent::HttpError;
using slipway::agent::ResponseParser;

struct Outcome {
    bool failed = false;
    int status = 0;
    bool whole = false;
    std::string body;
    bool operator==(const Outcome&) const = default;
};

void require(bool promise) {
    if (!promise) std::abort();
}

Outcome parse(std::string_view bytes, std::size_t piece) {
    Outcome out;
    ResponseParser parser;
    try {
        while (!bytes.empty()) {
            parser.add(bytes.substr(0, piece));
            bytes.remove_prefix(std::min(bytes.size(), piece));
            while (const auto part = parser.body()) out.body += *part;
        }
        parser.end_of_input();
        out.whole = parser.whole();
    } catch (const HttpError&) {
        out.failed = true;
    }
    if (parser.head() != nullptr) out.status = parser.head()->status;
    return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const Outcome at_once = parse(bytes, std::max<std::size_t>(size, 1));
    const Outcome in_pieces = parse(bytes, size == 0 ? 1 : 1 + data[size - 1] % 7);
    require(at_once.failed == in_pieces.failed && at_once.status == in_pieces.status);
    require(at_once.failed || at_once.body == in_pieces.body);
    require(at_once.body.size() <= size && in_pieces.body.size() <= size);
    require(at_once.failed || at_once.whole);
    return 0;
}
