#include "server/support.hpp"

#include "base/files.hpp"
#include "desk/control.hpp"
#include "desk/run_view.hpp"
#include "oci/byte_stream.hpp"
#include "oci/compress.hpp"
#include "oci/tar_writer.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>

namespace slipway::server {

namespace {

constexpr std::size_t kMostEvents = 100'000;  // of the last run, its newest
constexpr std::size_t kMostLog = 8u << 20;

std::string events_of(store::Journal& journal, std::int64_t run) {
    auto rows = journal.events({.run = run, .limit = kMostEvents, .newest_first = true});
    std::string out;
    for (auto at = rows.rbegin(); at != rows.rend(); ++at)
        out += json::serialize(desk::event_from_row(*at).to_json()) + "\n";
    return out;
}

std::string end_of_log(const std::filesystem::path& file) {
    const Fd in(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    struct stat about{};
    if (!in || ::fstat(in.get(), &about) != 0) return "";
    if (about.st_size > static_cast<off_t>(kMostLog))
        ::lseek(in.get(), about.st_size - static_cast<off_t>(kMostLog), SEEK_SET);
    return read_all(in.get(), file.string(), 2 * kMostLog);
}

}  // namespace

std::string support_bundle(const desk::ClusterFolder& cluster, const std::string& version) {
    oci::StringSink sink;
    oci::TarWriter tar(sink);
    const auto add = [&](const std::string& name, std::string_view content) {
        tar.add_file({.name = fmt::format("{}-support/{}", cluster.name, name), .mode = 0600},
                     content);
    };
    add("version.txt", version + "\n");
    const auto journal =
        store::Journal::open_existing(cluster.journal(), {.check_integrity = false});
    const auto living = desk::living_run(cluster, *journal);
    json::array runs;
    for (const store::Run& run : journal->runs())
        runs.push_back(desk::run_json(run, desk::result_of(run, living)));
    add("runs.json", pretty(runs) + "\n");
    if (const auto last = journal->last_run()) {
        if (!last->spec.empty()) add("spec.json", last->spec + "\n");
        add("events.jsonl", events_of(*journal, last->id));
    }
    add("run.log", end_of_log(cluster.log()));
    tar.finish();
    return oci::gzip_text(sink.text);
}

}  // namespace slipway::server
