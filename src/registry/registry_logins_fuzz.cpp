// Any text as a file of logins, and as the header that asks for one. Only the right header opens.
#include "base/base64.hpp"
#include "base/error.hpp"
#include "registry/logins.hpp"
#include "registry/testing/running_registry.hpp"

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace slipway::registry {

namespace {

void require(bool promise) {
    if (!promise) std::abort();
}

void read_file_of_logins(std::string_view text) {
    try {
        const auto users = parse_logins(text, "fuzz");
        const std::string again = with_login(text, "nobody at all", nullptr);
        require(parse_logins(again, "fuzz") == users || users.contains("nobody at all"));
    } catch (const UserError& e) {
        require(e.id() == "LOGIN-FILE");
    }
}

Logins& known() {
    static const testing::MemoryFolder folder;
    // Of the least cost, so that a guess takes a millisecond.
    static const std::filesystem::path file = [] {
        std::filesystem::path path = folder.path() / "logins";
        atomic_write(path, "team:$2b$04$abcdefghijklmnopqrstuuyvPXIbu7xe6/CED2DzX8z6Si09MlzlW\n");
        return path;
    }();
    static Logins logins(file);
    return logins;
}

}  // namespace

void fuzz_logins(std::string_view text) {
    read_file_of_logins(text);
    if (!known().accepts(text)) return;
    const std::size_t blank = text.find(' ');
    require(blank == 5 && from_base64(text.substr(blank + 1))->reveal() == "team:pw");
}

}  // namespace slipway::registry

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    slipway::registry::fuzz_logins({reinterpret_cast<const char*>(data), size});
    return 0;
}
