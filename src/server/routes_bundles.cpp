// Bundles: uploading them in parts, and what is in them.
#include "server/exchange.hpp"
#include "server/services.hpp"

#include <fmt/format.h>

namespace slipway::server {

namespace {

[[noreturn]] void no_bundle(const std::string& name) {
    throw Problem(404, "SERVER-NOT-FOUND", fmt::format("there is no bundle '{}'", name));
}

void get_bundles(Exchange& x) { answer_list(x, x.services.bundles.list()); }

void post_bundle(Exchange& x) {
    const std::int64_t size = int_at(x.body(), "size", 0);
    const Upload begun =
        x.services.bundles.begin({.name = x.text("name"),
                                  .size = size < 0 ? 0 : static_cast<std::uint64_t>(size),
                                  .digest = x.text_or("digest", "")});
    x.what = begun.name;
    x.answer(begun.to_json());
}

json::object inspected(Exchange& x, const std::filesystem::path& file) {
    return x.services.children.run({.words = {"bundle", "inspect", file.string()}}).object();
}

void get_bundle(Exchange& x) {
    const std::string& name = x.value("name");
    if (const auto file = x.services.bundles.file(name)) {
        json::object out = inspected(x, *file);
        out["path"] = file->string();
        return x.answer(out);
    }
    const auto upload = x.services.bundles.upload(name);
    if (!upload) no_bundle(name);
    x.answer(upload->to_json());
}

// What is no bundle never counts as one.
void finish(Exchange& x, const std::string& name, std::uint64_t size) {
    x.services.bundles.finish(name, size,
                              [&](const std::filesystem::path& file) { inspected(x, file); });
}

void patch_bundle(Exchange& x) {
    const std::string& name = x.value("name");
    const auto field = x.request.headers.find("Content-Range").value_or("");
    if (const auto size = complete_size_of(field)) {
        finish(x, name, *size);
        return x.answer(json::object{{"received", *size}});
    }
    const auto range = content_range_of(field);
    if (!range)
        throw Problem(400, "SERVER-BAD-REQUEST", "there is no Content-Range: bytes A-B/SIZE");
    if (x.services.bundles.take(name, *range, x.request.body)) finish(x, name, range->size);
    x.answer(json::object{{"received", range->last + 1}});
}

void delete_bundle(Exchange& x) {
    x.services.bundles.remove(x.value("name"));
    x.answer_nothing();
}

void post_verify(Exchange& x) {
    const std::string& name = x.value("name");
    const auto file = x.services.bundles.file(name);
    if (!file) no_bundle(name);
    std::vector<std::string> words = {"bundle", "verify", file->string()};
    if (bool_at(x.body(), "allowUnsigned")) words.emplace_back("--allow-unsigned");
    answer_job(x, {.kind = "verify",
                   .call = {.words = std::move(words), .deadline = std::chrono::hours(2)}});
}

}  // namespace

std::vector<Route> bundle_routes() {
    return {
        {"GET", "/api/v1/bundles", Role::viewer, "Bundles, and those on their way up", "",
         "BundleList", get_bundles, 200, false, "limit,page"},
        {"POST", "/api/v1/bundles", Role::operate, "Begin an upload", "UploadRequest", "Upload",
         post_bundle, 201},
        {"GET", "/api/v1/bundles/{name}", Role::viewer, "What a bundle holds", "", "Document",
         get_bundle},
        {"PATCH", "/api/v1/bundles/{name}", Role::operate, "The next part of an upload", "bytes",
         "Received", patch_bundle},
        {"DELETE", "/api/v1/bundles/{name}", Role::operate, "Remove a bundle or an upload", "", "",
         delete_bundle, 204},
        {"POST", "/api/v1/bundles/{name}/verify", Role::operate,
         "Check every byte and who signed it", "Admission", "Job", post_verify, 202},
    };
}

}  // namespace slipway::server
