// Versions of RPM packages, compared as rpm does: epoch, version, release; ~ before and ^ after the
// end.
#pragma once

#include <compare>
#include <string>
#include <string_view>

namespace slipway::oci::packages {

struct RpmVersion {
    std::string epoch = {};  // empty: 0
    std::string version = {};
    std::string release = {};  // empty: any, where two are compared

    bool empty() const { return version.empty(); }
    std::string str() const;  // 1:2.0-3.el9
    static RpmVersion parse(std::string_view text);
};

std::strong_ordering compare_rpm_parts(std::string_view a, std::string_view b);  // rpmvercmp
std::strong_ordering compare_rpm_versions(const RpmVersion& a, const RpmVersion& b);

}  // namespace slipway::oci::packages
