#include "oci/spool.hpp"

#include "base/digest.hpp"
#include "base/files.hpp"

#include <string>

namespace slipway::oci {

namespace fs = std::filesystem;

Spool::Spool(const fs::path& beside) : folder_(beside.string() + ".spool-" + random_hex(4)) {}

Spool::~Spool() {
    std::error_code ignored;
    if (made_ > 0) fs::remove_all(folder_, ignored);
}

fs::path Spool::new_path() {
    if (made_ == 0) make_private_folders(folder_);
    return folder_ / std::to_string(made_++);
}

}  // namespace slipway::oci
