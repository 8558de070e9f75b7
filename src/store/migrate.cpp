#include "store/migrate.hpp"

#include "store/journal.hpp"
#include "store/state_errors.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace slipway::store {

std::span<const Migration> migrations() {
    static_assert(kOldestSchemaVersion == kSchemaVersion, "list the migrations between them here");
    return {};
}

void migrate(Connection& db, std::span<const Migration> list, int newest) {
    int version = static_cast<int>(db.number("PRAGMA user_version"));
    if (version == newest) return;
    if (version > newest) throw newer(db.file(), version, newest);
    Transaction transaction(db);
    while (version < newest) {
        const auto step = std::ranges::find(list, version, &Migration::from);
        if (step == list.end()) {
            const auto first = std::ranges::min_element(list, {}, &Migration::from);
            throw older(db.file(), version, first == list.end() ? newest : first->from);
        }
        db.execute(step->sql);
        db.execute(fmt::format("PRAGMA user_version = {}", ++version));
    }
    transaction.commit();
}

}  // namespace slipway::store
