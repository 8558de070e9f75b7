// Any bytes as what a server answers. Read in pieces of any size they mean the same; a body is
// never longer than what came, and one that was cut short is never whole.
#include "net/body_reader.hpp"
#include "net/failure.hpp"
#include "net/message_head.hpp"
#include "net/testing/memory_stream.hpp"

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace slipway::net {

namespace {

void require(bool promise) {
    if (!promise) std::abort();
}

std::string read_answers(std::string_view bytes, std::size_t piece, std::string_view method) {
    testing::MemoryStream stream(bytes, piece);
    InputBuffer buffer;
    Pace pace{PaceLimits{}};
    const HeadLimits limits{.bytes = 1000, .fields = 10, .target = 100};
    std::string out;
    try {
        while (true) {
            const auto size = await_head(buffer, stream, pace, limits);
            if (!size) return out + "end";
            const ResponseHead head =
                parse_response_head(buffer.view().substr(0, *size), limits, method);
            buffer.consume(*size);
            require(head.status >= 100 && head.status <= 599);
            BodyReader body(stream, buffer, head.body, {});
            const std::string text = body.read_all(bytes.size());
            require(body.whole() && text.size() <= bytes.size());
            require(method != "HEAD" || text.empty());
            out += std::to_string(head.status) + " " + text + "\n";
            if (!head.keep_alive) return out + "closed";
        }
    } catch (const HttpError&) {
        return out + "refused";
    } catch (const Failure&) {
        return out + "lost";
    }
}

}  // namespace

void fuzz_answers(std::string_view bytes) {
    if (bytes.empty()) return;
    const std::size_t piece = 1 + static_cast<unsigned char>(bytes.back()) % 7;
    for (const char* method : {"GET", "HEAD"})
        require(read_answers(bytes, bytes.size(), method) == read_answers(bytes, piece, method));
}

}  // namespace slipway::net

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    slipway::net::fuzz_answers({reinterpret_cast<const char*>(data), size});
    return 0;
}
