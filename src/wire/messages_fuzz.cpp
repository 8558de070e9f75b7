// Every message either side may be sent: malformed ones are refused, well-formed ones come back as
// the same bytes' meaning.
#include "wire/messages.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace {

using namespace slipway::wire;

template <class Message>
void try_one(std::string_view bytes) {
    try {
        const std::string again = encode(decode<Message>(bytes));
        if (encode(decode<Message>(again)) != again) std::abort();
    } catch (const ProtocolError&) {  // NOLINT(bugprone-empty-catch)
        // Refused, as it should be.
    }
}

void try_frames(std::string_view bytes) {
    FrameParser parser;
    try {
        for (std::size_t at = 0; at < bytes.size(); at += 7) {
            parser.add(bytes.substr(at, 7));
            while (const std::optional<Frame> frame = parser.next()) {
                if (frame->kind == Kind::credit) parse_credit(*frame);
            }
        }
    } catch (const ProtocolError&) {  // NOLINT(bugprone-empty-catch)
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
    switch (data[0] % 20) {
        case 0: try_one<StartJob>(bytes); break;
        case 1: try_one<WriteFile>(bytes); break;
        case 2: try_one<FactsQuery>(bytes); break;
        case 3: try_one<Fetch>(bytes); break;
        case 4: try_one<Listen>(bytes); break;
        case 5: try_one<Probe>(bytes); break;
        case 6: try_one<ProbeAnswers>(bytes); break;
        case 7: try_one<Failure>(bytes); break;
        case 8: try_one<Hello>(bytes); break;
        case 9: try_one<FileInfo>(bytes); break;
        case 10: try_one<Map>(bytes); break;
        case 11: try_one<Refused>(bytes); break;
        case 12: try_one<SetUnit>(bytes); break;
        case 13: try_one<User>(bytes); break;
        case 14: try_one<Upload>(bytes); break;
        case 15: try_one<UploadStart>(bytes); break;
        case 16: try_one<Uploaded>(bytes); break;
        case 17: try_one<RemoveTree>(bytes); break;
        default: try_frames(bytes); break;
    }
    return 0;
}
