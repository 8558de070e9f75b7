#include "cli/registry_options.hpp"

#include "cli/state.hpp"

namespace slipway::cli {

namespace {

constexpr std::int64_t kHour = 3600;
constexpr std::uint64_t kGibi = 1ull << 30;
constexpr std::int64_t kMostConnections = 100'000, kMostGibi = 1 << 20, kMostHours = 87'600;

void require_sense(const Arguments& given) {
    const auto refuse = [](std::string_view why) { throw UsageError("USAGE", std::string(why)); };
    if (given.values("BUNDLE").empty() && !given.has("--store"))
        refuse("name a BUNDLE, a --store, or both");
    if (given.has("--key") && given.values("BUNDLE").empty())
        refuse("--key is for bundles, and none is named");
    if (given.has("--tls-cert") != given.has("--tls-key"))
        refuse("--tls-cert and --tls-key go together");
    if (given.has("--plain-http") && given.has("--tls-cert"))
        refuse("--plain-http and --tls-cert contradict each other");
    if (given.has("--anyone-reads") && !given.has("--login"))
        refuse("--anyone-reads is for registries with --login");
    const auto is_within = [&](std::string_view option, std::int64_t least, std::int64_t most) {
        const std::int64_t value = given.number(option, least);
        return value >= least && value <= most;
    };
    if (!is_within("--max-connections", 1, kMostConnections) ||
        !is_within("--max-blob", 1, kMostGibi) || !is_within("--gc-hours", 0, kMostHours))
        refuse("connections are 1 to 100000, GiB 1 to 1048576, hours 0 to 87600");
}

}  // namespace

Positional served_bundles() {
    return {.name = "BUNDLE",
            .help = "file made by slipway bundle build",
            .repeatable = true,
            .complete = Complete::file};
}

Option store_option() {
    return {.name = "--store",
            .value = "DIR",
            .help = "folder for what is pushed; made when it is not there",
            .complete = Complete::file};
}

std::vector<Option> serve_option_list() {
    return {
        {.name = "--listen",
         .value = "HOST:PORT",
         .help = "where; :5000 is every address of this computer (default 127.0.0.1:5000)"},
        store_option(),
        {.name = "--key",
         .value = "FILE",
         .help = "public key that must have signed each bundle; of several, one is enough",
         .repeatable = true,
         .complete = Complete::file},
        {.name = "--read-only", .help = "refuse writing though there is a --store"},
        {.name = "--tls-cert",
         .value = "FILE",
         .help = "certificate with its chain, PEM; without it one is made",
         .complete = Complete::file},
        {.name = "--tls-key",
         .value = "FILE",
         .help = "its private key, PEM",
         .complete = Complete::file},
        {.name = "--tls-dir",
         .value = "DIR",
         .help = "where the certificate that is made is kept (default: in the state folder)",
         .complete = Complete::file},
        {.name = "--name",
         .value = "NAME",
         .help = "name or address clients use, for the certificate that is made",
         .repeatable = true},
        {.name = "--plain-http", .help = "no TLS; on loopback only"},
        {.name = "--login",
         .value = "FILE",
         .help = "who may use it; see slipway registry passwd",
         .complete = Complete::file},
        {.name = "--anyone-reads", .help = "only writing needs a login"},
        {.name = "--access-log",
         .value = "FILE",
         .help = "a line for each request; - is standard output",
         .complete = Complete::file},
        {.name = "--max-connections", .value = "N", .help = "at once (default 1024)"},
        {.name = "--max-blob", .value = "GIB", .help = "largest blob taken (default 1024)"},
        {.name = "--gc-hours",
         .value = "N",
         .help = "remove what nothing refers to every N hours, 0 never (default 24)"},
    };
}

registry::ServeOptions serve_options(const Call& call) {
    const Arguments& given = call.arguments;
    require_sense(given);
    registry::ServeOptions out;
    for (const std::string& bundle : given.values("BUNDLE")) out.bundles.emplace_back(bundle);
    out.store = given.value("--store");
    out.listen = given.value("--listen", out.listen);
    out.plain_http = given.has("--plain-http");
    out.certificate = given.value("--tls-cert");
    out.key = given.value("--tls-key");
    out.tls_folder = given.has("--tls-dir") ? std::filesystem::path(given.value("--tls-dir"))
                                            : state_root(given) / "registry" / "tls";
    out.names = given.list("--name");
    out.logins = given.value("--login");
    out.anyone_reads = given.has("--anyone-reads");
    out.read_only = given.has("--read-only");
    out.access_log = given.value("--access-log");
    out.max_connections = static_cast<std::size_t>(
        given.number("--max-connections", static_cast<std::int64_t>(out.max_connections)));
    out.largest_blob = static_cast<std::uint64_t>(given.number("--max-blob", 1024)) * kGibi;
    out.housekeeping.collect_every = std::chrono::seconds(given.number("--gc-hours", 24) * kHour);
    return out;
}

}  // namespace slipway::cli
