// Any bytes as a template: a text, and faults that point into it; never a crash or a hang.
#include "config/render.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace {

void require(bool promise) {
    if (!promise) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    const slipway::config::StringMap values = {
        {"a", "{{ a }}"}, {"host.name", "w1"}, {"values.x", ""}};
    const slipway::config::Rendered rendered = slipway::config::render(text, values);
    const auto lines = static_cast<int>(std::ranges::count(text, '\n')) + 1;
    for (const slipway::config::RenderFault& fault : rendered.faults) {
        require(fault.line >= 1 && fault.line <= lines && fault.column >= 1);
        require(static_cast<std::size_t>(fault.column) <= text.size());
        require(!fault.what.empty() && !fault.todo.empty());
    }
    // Every name is at least as long as what is between the braces, every value at most 8 bytes.
    require(rendered.text.size() <= text.size() * 2 + 8);
    if (text.find("{{") == std::string::npos)
        require(rendered.text == text && rendered.faults.empty());
    return 0;
}
