// A folder for what cannot be read in place, beside the bundle that is built; gone at the end.
#pragma once

#include <filesystem>

namespace slipway::oci {

class Spool {
  public:
    explicit Spool(const std::filesystem::path& beside);
    ~Spool();
    Spool(const Spool&) = delete;
    Spool& operator=(const Spool&) = delete;

    // A name nobody has; the folder is made with the first.
    std::filesystem::path new_path();

  private:
    std::filesystem::path folder_;
    int made_ = 0;
};

}  // namespace slipway::oci
