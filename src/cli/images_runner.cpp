#include "cli/images_runner.hpp"

#include "base/text.hpp"
#include "cli/byte_progress.hpp"
#include "cli/images_options.hpp"
#include "cli/interrupt.hpp"
#include "cli/progress.hpp"
#include "cli/slow_note.hpp"
#include "engine/session.hpp"
#include "oci/reference.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include <unistd.h>

namespace slipway::cli {

namespace {

using images::ImageResult;
using images::ImageState;
using images::PushOptions;
using images::PushReport;

constexpr const char* kSealedTo = "registry/to";
constexpr const char* kReduced =
    "reduced: the registry takes no index whose other platforms are not there, so it has one of "
    "those\n  that are; the digest differs, those of the platforms do not (--keep-digest fails "
    "instead)\n";
constexpr const char* kSealedFrom = "registry/from";

std::size_t count(const PushReport& report, ImageState state) {
    return static_cast<std::size_t>(std::ranges::count(report.images, state, &ImageResult::state));
}

json::object report_json(const PushOptions& options, const PushReport& report) {
    json::array list;
    for (const ImageResult& image : report.images) {
        json::object item = {{"name", image.name},
                             {"target", image.target},
                             {"digest", image.digest.str()},
                             {"state", images::to_string(image.state)},
                             {"reduced", image.reduced}};
        if (image.state == ImageState::failed) {
            item["error"] = image.error;
            item["message"] = image.message;
            item["remedy"] = image.remedy;
        }
        list.push_back(std::move(item));
    }
    return {{"registry", options.registry},
            {"run", report.run},
            {"resumed", report.resumed},
            {"result", report.result()},
            {"blobsUploaded", report.counts.uploaded},
            {"blobsMounted", report.counts.mounted},
            {"bytesUploaded", report.counts.bytes},
            {"images", std::move(list)}};
}

std::string report_text(const PushReport& report) {
    std::vector<std::vector<std::string>> rows = {{"IMAGE", "IN THE REGISTRY", "DIGEST", "RESULT"}};
    std::string troubles;
    for (const ImageResult& image : report.images) {
        rows.push_back(
            {printable(image.name), printable(image.target), image.digest.short_text(),
             std::string(images::to_string(image.state)) + (image.reduced ? ", reduced" : "")});
        if (image.state != ImageState::failed) continue;
        troubles += fmt::format("failed: {}: {}: {}\n", printable(image.target), image.error,
                                printable(image.message));
        if (!image.remedy.empty()) troubles += fmt::format("  remedy  {}\n", image.remedy);
    }
    if (std::ranges::any_of(report.images, &ImageResult::reduced)) troubles += kReduced;
    return table(rows) + troubles +
           fmt::format("{} pushed, {} were there, {} failed; {} blobs uploaded ({}), {} mounted\n",
                       count(report, ImageState::pushed), count(report, ImageState::present),
                       count(report, ImageState::failed), report.counts.uploaded,
                       shown_bytes(report.counts.bytes), report.counts.mounted);
}

ExitCode code_of(const PushReport& report) {
    if (report.is_whole()) return ExitCode::ok;
    if (report.outcome.result == engine::RunResult::cancelled) return ExitCode::interrupted;
    return report.result() == "partial" ? ExitCode::partial : ExitCode::failed;
}

// Names change on the way to another registry: say how before anything is sent.
void say_where(const Call& call, const PushOptions& options, const images::PushSet& set) {
    if (set.images.empty()) return;
    const images::ImageToPush& first = set.images.front();
    call.output.note(fmt::format(
        "{} goes to {}/{}{}", printable(first.name), options.registry, first.target.str(),
        set.images.size() == 1 ? "" : fmt::format(", {} more likewise", set.images.size() - 1)));
}

// Only what we were given: a login of docker or podman is where it always is, and whoever logs out
// there must not have a copy here.
void seal(store::Journal& journal, const char* name, const images::RegistryAccess& access,
          const oci::Login& login) {
    if (!access.user.empty() && !login.empty()) journal.seal_secret(name, login.password);
}

ExitCode finish(const Call& call, const PushOptions& options, const ClusterFolder& folder,
                const PushReport& report) {
    call.output.result(report_json(options, report), [&] { return report_text(report); });
    call.output.out().flush();
    if (!report.is_whole()) {
        call.output.note(report.can_be_resumed()
                             ? fmt::format("go on with: slipway resume {}", folder.name)
                             : "push again");
    }
    return code_of(report);
}

// A process was killed after the last image: its run is still open.
bool has_open_run(const ClusterFolder& folder) {
    std::error_code ignored;
    if (!std::filesystem::exists(folder.journal(), ignored)) return false;
    const std::optional<store::Run> last = open_journal(folder)->last_run();
    return last && engine::can_be_continued(*last);
}

// The window between looking and running: nothing is written before there is something to do.
struct Begun {
    store::RunLock lock;
    std::unique_ptr<store::Journal> journal;

    explicit Begun(const ClusterFolder& folder) : lock(take(folder)) {
        journal = store::Journal::create_or_open(folder.journal());
        atomic_write(folder.folder / kImagesMark, "pushes of images\n");
    }
    static store::RunLock take(const ClusterFolder& folder) {
        make_private_folders(folder.folder);
        return store::RunLock::take(folder.folder, "images push");
    }
};

PushReport execute(const Call& call, images::PushRun& run, Begun& begun,
                   const ClusterFolder& folder, const std::stop_token& stop) {
    const std::unique_ptr<engine::EventSink> view = make_view(
        view_kind(call.arguments.value("--progress")), {.cluster = folder.name,
                                                        .totals = {{"", run.plan().size(), 0}},
                                                        .style = call.output.err_style,
                                                        .verbose = call.output.verbose,
                                                        .terminal = call.output.err_is_terminal,
                                                        .clock = &system_clock()});
    return run.execute(*begun.journal, view.get(), stop);
}

ExitCode push(const Call& call, const PushOptions& options, images::PushLogins logins,
              const ClusterFolder& folder) {
    const Interrupts interrupts;
    const oci::Login to = logins.to.clone(), from = logins.from.clone();
    std::optional<images::PushRun> run;
    {
        const SlowNote note(call.output, [] { return std::string("asking what is there"); });
        run.emplace(options, std::move(logins), system_clock(), interrupts.token());
        run->look();
    }
    if (run->has_nothing_to_do() && !has_open_run(folder)) {
        return finish(call, options, folder, run->report_of_nothing());
    }
    say_where(call, options, run->set());
    Begun begun(folder);
    seal(*begun.journal, kSealedTo, options.to, to);
    seal(*begun.journal, kSealedFrom, options.from, from);
    const PushReport report = execute(call, *run, begun, folder, interrupts.token());
    const ExitCode code = finish(call, options, folder, report);
    if (report.is_whole()) begun.journal->forget_secrets();
    if (report.outcome.abandoned > 0) {
        // Uploads that did not end cannot be joined; what they did the registry knows.
        begun.journal->flush();
        ::_exit(static_cast<int>(code));
    }
    return code;
}

oci::Login sealed_login(store::Journal& journal, const char* name, const std::string& user,
                        const std::string& where) {
    if (user.empty()) return oci::find_login(where);
    std::optional<Secret> password = journal.open_secret(name);
    if (password) return {user, std::move(*password)};
    throw UserError("SECRETS-MISSING", fmt::format("the password for {} is not kept", where),
                    {.remedy = "push again with --login and --password-file"});
}

// host[/repository], for whom a login may be. "": no registry.
std::string source_place(const PushOptions& options) {
    if (images::is_local(options.source)) return "";
    if (options.source.find('/') == std::string::npos) return options.source;
    return oci::Reference::parse(options.source).repository();
}

std::string destination_place(const PushOptions& options) {
    if (!options.exactly.empty()) return oci::Reference::parse(options.exactly).repository();
    return options.registry + (options.prefix.empty() ? "" : "/" + options.prefix);
}

}  // namespace

ClusterFolder images_folder(const Arguments& arguments, const std::string& registry) {
    std::string name = "images-" + registry;
    for (char& c : name) {
        if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '-';
    }
    return cluster_folder(arguments, name);
}

ExitCode run_push(const Call& call, const PushOptions& options) {
    images::PushLogins logins{.to = login_of(call.arguments, destination_place(options))};
    const std::string from = source_place(options);
    if (!from.empty()) logins.from = login_of(call.arguments, from, "--from-");
    return push(call, options, std::move(logins), images_folder(call.arguments, options.registry));
}

ExitCode continue_push(const Call& call, const ClusterFolder& folder, const store::Run& run) {
    const PushOptions options = PushOptions::from_json(run.options);
    images::PushLogins logins;
    {
        const auto journal = open_journal(folder);
        logins.to = sealed_login(*journal, kSealedTo, options.to.user, destination_place(options));
        const std::string from = source_place(options);
        if (!from.empty()) {
            logins.from = sealed_login(*journal, kSealedFrom, options.from.user, from);
        }
    }
    return push(call, options, std::move(logins), folder);
}

}  // namespace slipway::cli
