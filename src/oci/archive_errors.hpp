// The three ways an archive is refused. Each names the entry, made safe for a terminal.
#pragma once

#include <string>
#include <string_view>

namespace slipway::oci {

[[noreturn]] void refuse_unsafe(std::string_view entry, std::string_view why);
[[noreturn]] void refuse_damaged(std::string_view why);
[[noreturn]] void refuse_too_large(std::string_view why);

// Throws ARCHIVE-UNSAFE unless `name` stays in the folder it is put into, whoever reads it.
void require_safe_name(std::string_view name, std::size_t most);

}  // namespace slipway::oci
