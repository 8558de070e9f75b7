// Any bytes as a journal: a typed error, or every answer can be read. Never a crash, never another
// kind of exception.
#include "base/error.hpp"
#include "base/json.hpp"
#include "store/journal.hpp"
#include "store/testing/fault_vfs.hpp"
#include "store/testing/sample_journal.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace {

using namespace slipway;

constexpr const char* kFile = "/journal.db";

void read_everything(store::Journal& journal) {
    store::testing::dump(journal);
    for (const store::EventRow& event : journal.events({})) parse_json(event.body, "event");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string bytes(reinterpret_cast<const char*>(data), size);
    store::testing::MemoryDisk disk({{kFile, bytes}});
    store::JournalOptions options = disk.options();
    // Without the check of the structure, reading meets the damage itself.
    options.check_integrity = size % 2 == 0;
    try {
        read_everything(*store::Journal::open_existing(kFile, options));
        const auto journal = store::Journal::create_or_open(kFile, options);
        journal->append_events({{.run = 1,
                                 .type = "log.line",
                                 .level = "info",
                                 .host = "",
                                 .step = "",
                                 .body = "{}"}});
        journal->finish_run(journal->begin_run({.kind = "apply"}), "succeeded", 1);
        read_everything(*journal);
    } catch (const StateError&) {
    }
    try {
        parse_json(bytes.substr(0, 4096), "event");
    } catch (const StateError&) {
    }
    return 0;
}
