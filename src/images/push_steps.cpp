// The steps of a push, for whatever plan they are part of.
#include "base/digest.hpp"
#include "images/push.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

namespace slipway::images {

namespace {

constexpr double kExpectedRate = 50e6;                  // bytes a second, until it was measured
constexpr Millis kPatience = std::chrono::minutes(30);  // beside that

std::string slug(std::string text) {
    for (char& c : text) {
        const bool good = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-';
        if (!good) c = '-';
    }
    return text.substr(0, 80);
}

// The client tries again by itself, a blob at a time; the engine once more after that.
constexpr engine::RetryPolicy kRetry = {.retries = 1};
constexpr const char* kWhyNoUndo =
    "images in another's registry are left there: others may use them";

constexpr const char* kReduced =
    "the registry takes no index whose other platforms are not there: it got one of those that are";

// Where mounts are refused it is sent once a repository.
Millis patience_for(const BlobToPush& blob, std::uint64_t slowest) {
    const std::uint64_t bytes = blob.size * std::max<std::size_t>(1, blob.repositories.size());
    return kPatience + std::chrono::seconds(bytes / slowest);
}

engine::Step blob_step(const std::shared_ptr<Push>& push, const oci::Digest& digest,
                       const BlobToPush& blob, std::uint64_t slowest) {
    std::string inputs = push->registry() + " " + digest.str();
    for (const std::string& repository : blob.repositories) inputs += " " + repository;
    return {.id = step_id(digest),
            .title = fmt::format("Upload {}", digest.short_text()),
            .pools = {kRegistryPool},
            .deadline = patience_for(blob, slowest),
            .weight = 0.01 + static_cast<double>(blob.size) / kExpectedRate,
            .retry = kRetry,
            .inputs = std::move(inputs),
            .probe =
                [push, digest](engine::Context& c) {
                    return engine::Probe{.done = push->has_blob(digest, c.stop())};
                },
            .act = [push, digest](engine::Context& c) { push->place_blob(digest, c.stop()); },
            // The registry has hashed it; whether all is there is asked for each image.
            .verify = [](engine::Context&) {},
            .why_no_undo = kWhyNoUndo};
}

engine::Step image_step(const std::shared_ptr<Push>& push, std::size_t index) {
    const ImageToPush& image = push->set().images[index];
    engine::Step step{
        .id = step_id(image),
        .title = fmt::format("Push {}", image.target.str()),
        .pools = {kRegistryPool},
        .deadline = kPatience,
        .weight = 0.05,
        .retry = kRetry,
        .inputs = fmt::format("{} {} {}", push->registry(), image.target.str(), image.digest.str()),
        .probe =
            [push, index](engine::Context& c) {
                return engine::Probe{.done = push->has_image(index, c.stop())};
            },
        .act =
            [push, index](engine::Context& c) {
                if (push->place_image(index, c.stop()) == Form::reduced) c.log("out", kReduced);
            },
        .verify = [push, index](engine::Context& c) { push->verify_image(index, c.stop()); },
        .why_no_undo = kWhyNoUndo};
    for (const oci::Digest& digest : image.blobs) step.needs.push_back(step_id(digest));
    return step;
}

}  // namespace

std::string step_id(const ImageToPush& image) {
    const std::string whole = image.target.str() + "@" + image.digest.str();
    return fmt::format("push-{}-{}", slug(image.target.str()), sha256_hex(whole).substr(0, 8));
}

std::string step_id(const oci::Digest& blob) {
    return fmt::format("blob-{}", blob.hex.substr(0, 32));
}

std::vector<engine::Step> push_steps(const std::shared_ptr<Push>& push, std::uint64_t slowest) {
    std::vector<engine::Step> out;
    for (const auto& [digest, blob] : push->set().blobs) {
        out.push_back(blob_step(push, digest, blob, slowest));
    }
    for (std::size_t i = 0; i < push->set().images.size(); ++i) {
        out.push_back(image_step(push, i));
    }
    return out;
}

}  // namespace slipway::images
