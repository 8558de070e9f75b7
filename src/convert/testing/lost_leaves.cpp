#include "convert/testing/lost_leaves.hpp"

#include <set>

namespace slipway::convert {

namespace {

bool is_listed(const std::set<std::string>& listed, std::string path) {
    while (!listed.contains(path)) {
        const std::size_t end = path.find_last_of(".[");
        if (end == std::string::npos) return listed.contains("");
        path.resize(end);
    }
    return true;
}

}  // namespace

std::vector<std::string> lost_leaves(const Conversion& conversion) {
    std::set<std::string> kept(conversion.agreed.begin(), conversion.agreed.end());
    for (const Taken& taken : conversion.taken) kept.insert(taken.from);
    std::set<std::string> listed;
    for (const Unsupported& one : conversion.unsupported) listed.insert(one.path);
    std::vector<std::string> out;
    for (const std::string& leaf : conversion.leaves) {
        if (!kept.contains(leaf) && !is_listed(listed, leaf)) out.push_back(leaf);
    }
    return out;
}

}  // namespace slipway::convert
