#include "remote/agent/agent_image.hpp"

#include "base/digest.hpp"

// The programs themselves, put in by the assembler. The build defines where they are.
// NOLINTBEGIN
#define SLIPWAY_EMBED(symbol, file)      \
    __asm__(                             \
        ".section .rodata\n.balign 16\n" \
        ".global " #symbol "\n" #symbol  \
        ":\n"                            \
        ".incbin \"" file                \
        "\"\n"                           \
        ".global " #symbol "_end\n" #symbol "_end:\n.byte 0\n.previous\n")
SLIPWAY_EMBED(slipway_agent_amd64, SLIPWAY_AGENT_AMD64);
SLIPWAY_EMBED(slipway_agent_arm64, SLIPWAY_AGENT_ARM64);
extern "C" const char slipway_agent_amd64[], slipway_agent_amd64_end[];
extern "C" const char slipway_agent_arm64[], slipway_agent_arm64_end[];
// NOLINTEND

namespace slipway::remote {

const AgentImages& embedded_agents() {
    static const AgentImages kImages = [] {
        const auto image = [](const char* begin, const char* end) {
            const std::string_view bytes(begin, static_cast<std::size_t>(end - begin));
            return AgentImage{.bytes = bytes, .digest = sha256_hex(bytes)};
        };
        return AgentImages{{"x86_64", image(slipway_agent_amd64, slipway_agent_amd64_end)},
                           {"aarch64", image(slipway_agent_arm64, slipway_agent_arm64_end)}};
    }();
    return kImages;
}

}  // namespace slipway::remote
