#include "oci/client/registry_client.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "oci/client/blob_download.hpp"
#include "oci/media_types.hpp"

#include <charconv>

#include <fmt/format.h>

namespace slipway::oci {

namespace {

std::string accepted() {
    return fmt::format("{}, {}, {}, {}", media::kManifest, media::kIndex, media::kDockerManifest,
                       media::kDockerList);
}

RegistryCall manifest_call(const std::string& method, const std::string& repository,
                           const std::string& reference) {
    return {.method = method,
            .target = fmt::format("/v2/{}/manifests/{}", repository, reference),
            .headers = {{"Accept", accepted()}},
            .scopes = pull_scope(repository),
            .what = fmt::format("manifest {} of {}", reference, repository)};
}

std::string media_type_of(const net::ClientResponse& answer) {
    const std::string_view field = answer.headers.find("Content-Type").value_or("");
    return std::string(trim(field.substr(0, field.find(';'))));
}

// "" is allowed: then the text itself has to say.
void require_manifest_type(const std::string& type, const Asked& asked) {
    if (type.empty() || media::is_manifest(type) || media::is_index(type) ||
        media::is_schema1(type) || type == "application/json") {
        return;
    }
    bad_answer(asked, fmt::format("it is of type {}", printable(type.substr(0, 100))));
}

std::optional<std::uint64_t> number_in(std::optional<std::string_view> field) {
    std::uint64_t number = 0;
    if (!field) return std::nullopt;
    const auto [stop, error] =
        std::from_chars(field->data(), field->data() + field->size(), number);
    if (error != std::errc() || stop != field->data() + field->size()) return std::nullopt;
    return number;
}

std::optional<Digest> digest_in(const net::ClientResponse& answer) {
    const auto field = answer.headers.find("Docker-Content-Digest");
    return field ? Digest::try_parse(*field) : std::nullopt;
}

// What was asked for by digest must have it; by tag, it must have the one the registry states.
Digest checked_digest(const std::string& text, const std::string& reference,
                      const std::optional<Digest>& stated, const Asked& asked) {
    const std::optional<Digest> wanted = Digest::try_parse(reference);
    const std::optional<Digest>& must_be = wanted ? wanted : stated;
    const Digest found = digest_of(text, must_be ? must_be->algorithm : Algorithm::sha256);
    if (!must_be || found == *must_be) return found;
    throw UserError("DIGEST-MISMATCH",
                    fmt::format("{}: {} is not what it should be", asked.host, asked.what),
                    {.cause = fmt::format("it has {}, not {}", found.str(), must_be->str()),
                     .remedy = "the registry, or something in between, is damaged"});
}

}  // namespace

RegistryClient::RegistryClient(RegistryOptions options)
    : exchange_(std::make_shared<RegistryExchange>(std::move(options))) {}
RegistryClient::RegistryClient(std::shared_ptr<RegistryExchange> exchange)
    : exchange_(std::move(exchange)) {}
RegistryClient::~RegistryClient() = default;

RegistryClient RegistryClient::stopped_by(std::stop_token stop) const {
    return RegistryClient(std::make_shared<RegistryExchange>(*exchange_, std::move(stop)));
}

void RegistryClient::ping() {
    exchange_->persist([&] {
        const RegistryCall call{.target = "/v2/", .what = "is it a registry"};
        net::ClientResponse answer = exchange_->send(call);
        if (answer.status != 200) refuse_answer(answer, exchange_->asked(call));
        drain(answer);
    });
}

std::optional<Descriptor> RegistryClient::head_manifest(const std::string& repository,
                                                        const std::string& reference) {
    const RegistryCall call = manifest_call("HEAD", repository, reference);
    std::optional<Descriptor> out;
    const bool said_enough = exchange_->persist([&] {
        net::ClientResponse answer = exchange_->send(call);
        if (answer.status == 404) return true;
        if (answer.status != 200) refuse_answer(answer, exchange_->asked(call));
        const std::optional<Digest> digest = digest_in(answer);
        const auto size = number_in(answer.headers.find("Content-Length"));
        if (!digest || !size) return false;
        out = Descriptor{.media_type = media_type_of(answer), .digest = *digest, .size = *size};
        return true;
    });
    if (said_enough) return out;
    const auto fetched = get_manifest(repository, reference);
    if (fetched) out = fetched->descriptor();
    return out;
}

std::optional<FetchedManifest> RegistryClient::get_manifest(const std::string& repository,
                                                            const std::string& reference) {
    return exchange_->persist([&] { return fetch_manifest(repository, reference); });
}

std::optional<FetchedManifest> RegistryClient::fetch_manifest(const std::string& repository,
                                                              const std::string& reference) {
    const RegistryCall call = manifest_call("GET", repository, reference);
    const Asked asked = exchange_->asked(call);
    net::ClientResponse answer = exchange_->send(call);
    if (answer.status == 404) return drain(answer), std::nullopt;
    if (answer.status != 200) refuse_answer(answer, asked);
    FetchedManifest out{.media_type = media_type_of(answer)};
    require_manifest_type(out.media_type, asked);
    if (answer.length().value_or(0) > kMaxManifest) bad_answer(asked, "it is too large");
    out.text = answer.read_all(kMaxManifest);
    out.digest = checked_digest(out.text, reference, digest_in(answer), asked);
    if (out.media_type == "application/json") out.media_type.clear();
    // What it calls itself holds; a contradiction to what the registry says is refused.
    out.media_type = std::visit([](const auto& d) { return d.media_type; },
                                parse_document(out.text, out.media_type));
    return out;
}

std::optional<BlobThere> RegistryClient::head_blob(const std::string& repository,
                                                   const Digest& digest) {
    const RegistryCall call{.method = "HEAD",
                            .target = fmt::format("/v2/{}/blobs/{}", repository, digest.str()),
                            .scopes = pull_scope(repository),
                            .what = fmt::format("blob {} of {}", digest.str(), repository)};
    return exchange_->persist([&]() -> std::optional<BlobThere> {
        net::ClientResponse answer = exchange_->send(call);
        if (answer.status == 404) return std::nullopt;
        if (answer.status != 200) refuse_answer(answer, exchange_->asked(call));
        return BlobThere{number_in(answer.headers.find("Content-Length"))};
    });
}

std::unique_ptr<ByteStream> RegistryClient::open_blob(const std::string& repository,
                                                      const Descriptor& descriptor) {
    RegistryCall call{.target = fmt::format("/v2/{}/blobs/{}", repository, descriptor.digest.str()),
                      .scopes = pull_scope(repository),
                      .what = fmt::format("blob {} of {}", descriptor.digest.str(), repository)};
    const std::string what = fmt::format("{}: {}", host(), call.what);
    auto ask = [exchange = exchange_, call = std::move(call)](const std::string& range) mutable {
        if (!range.empty()) call.headers.set("Range", range);
        return exchange->send(call);
    };
    return std::make_unique<VerifyingStream>(
        std::make_unique<Download>(std::move(ask), exchange_->asked(what), descriptor.size,
                                   exchange_->patience(), exchange_->stop()),
        descriptor.digest, descriptor.size, what);
}

}  // namespace slipway::oci
