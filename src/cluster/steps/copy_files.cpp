#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "cluster/roles.hpp"
#include "cluster/steps/rendering.hpp"
#include "cluster/steps/steps.hpp"
#include "config/local_files.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

constexpr std::string_view kId = "copy-files";
// From here on a host's copies take a place among the large transfers.
constexpr std::size_t kLarge = 1u << 20;

struct ReadFile {
    config::CopiedFile place;
    std::string content;
};

// The files of one entry of the spec, read once for all hosts.
std::shared_ptr<const std::vector<ReadFile>> read_copy(const config::FileCopy& copy) {
    const config::CopyListing listing = config::list_copy(copy);
    if (!listing.faults.empty()) {
        throw UserError("FILE-UNREADABLE", listing.faults.front().what,
                        {.cause = "it is to be copied to hosts (hooks.files)",
                         .remedy = listing.faults.front().todo});
    }
    auto out = std::make_shared<std::vector<ReadFile>>();
    for (const config::CopiedFile& file : listing.files)
        out->push_back({file, read_file(file.from, config::kLargestCopy)});
    return out;
}

std::vector<const config::FileCopy*> copies_for(const StepInput& in) {
    std::vector<const config::FileCopy*> out;
    for (const config::FileCopy& copy : in.spec.hooks.files) {
        if (has_any_role(*in.host, copy.roles)) out.push_back(&copy);
    }
    return out;
}

ResourceListPtr resources(const StepInput& in, const std::vector<const config::FileCopy*>& copies,
                          std::size_t& bytes) {
    std::vector<ResourcePtr> out;
    for (const config::FileCopy* copy : copies) {
        const auto index = static_cast<std::size_t>(copy - in.spec.hooks.files.data());
        const auto files = in.memo.get<std::vector<ReadFile>>(
            fmt::format("{} content {}", kId, index), [&] { return read_copy(*copy); });
        for (const ReadFile& read : *files) {
            std::string content =
                copy->is_template ? rendered(read.content, in, read.place.from) : read.content;
            bytes += content.size();
            out.push_back(
                file(read.place.to, {.content = std::move(content), .mode = read.place.mode}));
        }
    }
    return resource_list(std::move(out));
}

struct Copies {
    ResourceListPtr list;
    std::size_t bytes = 0;
};

std::vector<engine::Step> make(const StepInput& in) {
    const std::vector<const config::FileCopy*> copies = copies_for(in);
    if (copies.empty()) return {};
    if (in.around.undo) return {resources_step(std::string(kId), resource_list({}))};
    const bool own = std::ranges::any_of(copies, &config::FileCopy::is_template);
    const auto made = in.memo.get<Copies>(
        fmt::format("{} {}", kId, own ? "host " + in.host->name : roles_of(*in.host)), [&] {
            auto out = std::make_shared<Copies>();
            out->list = resources(in, copies, out->bytes);
            return out;
        });
    engine::Step step = resources_step(std::string(kId), made->list);
    if (made->bytes > kLarge) step.pools = {"upload"};
    return {std::move(step)};
}

}  // namespace

StepKind copy_files() {
    return {
        .id = std::string(kId),
        .title = "Copy files of the user",
        .part = "hooks.files",
        .enabled = [](const config::Spec& spec) { return !spec.hooks.files.empty(); },
        .make = make,
    };
}

}  // namespace slipway::cluster
