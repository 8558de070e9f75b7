// Writing to a registry: blobs and manifests.
#include "base/error.hpp"
#include "base/text.hpp"
#include "net/target.hpp"
#include "oci/client/registry_client.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include <unistd.h>

namespace slipway::oci {

namespace {

// From here on it is worth a round trip to hear first whether the body is wanted.
constexpr std::uint64_t kAskFirst = 32u << 20;

// Reads what is uploaded, part by part and no faster than allowed. A stream is opened again only
// when a part does not begin where the last one ended: what lies before it is read for nothing.
class PartReader {
  public:
    PartReader(const BlobBody& body, const RegistryExchange& exchange)
        : body_(body), rate_(exchange.options().rate), stop_(exchange.stop()) {}

    void begin(std::uint64_t offset, std::uint64_t length) {
        left_ = length;
        if (body_.file.file == nullptr && (stream_ == nullptr || at_ != offset)) {
            stream_ = body_.open();
            if (!stream_->skip(offset)) refuse_short();
        }
        at_ = offset;
    }

    std::size_t read(std::span<char> room) {
        std::size_t now = std::min<std::uint64_t>(room.size(), left_);
        if (now == 0) return 0;
        if (stop_.stop_requested()) throw Cancelled();
        if (rate_ != nullptr) now = rate_->take(now, stop_);
        const std::size_t got =
            stream_ != nullptr ? from_stream(room.data(), now) : from_file(room.data(), now);
        if (got == 0) refuse_short();
        at_ += got;
        left_ -= got;
        return got;
    }

  private:
    std::size_t from_stream(char* into, std::size_t max) {
        // One that fails half-way is of no use for the next try.
        std::unique_ptr<ByteStream> stream = std::move(stream_);
        const std::size_t got = read_fully(*stream, into, max);
        // The last piece, so that a stream that checks itself can do so.
        if (at_ + got == body_.size) stream->skip(1);
        stream_ = std::move(stream);
        return got;
    }

    std::size_t from_file(char* into, std::size_t max) const {
        const ssize_t n =
            ::pread(body_.file.file->get(), into, max, static_cast<off_t>(body_.file.offset + at_));
        return n < 0 ? 0 : static_cast<std::size_t>(n);
    }

    [[noreturn]] static void refuse_short() {
        throw UserError("SOURCE-BLOB-MISSING", "a blob became shorter while it was sent");
    }

    const BlobBody& body_;
    RateLimit* rate_;
    std::stop_token stop_;
    std::uint64_t at_ = 0;
    std::uint64_t left_ = 0;
    std::unique_ptr<ByteStream> stream_;
};

// 0-1023 of the answer about an upload: 1024 bytes are there. 0-0 may mean none.
std::uint64_t received_of(std::string_view range) {
    if (range.starts_with("bytes=")) range.remove_prefix(6);
    if (!range.starts_with("0-")) return 0;
    range.remove_prefix(2);
    std::uint64_t last = 0;
    const auto [stop, error] = std::from_chars(range.data(), range.data() + range.size(), last);
    const bool whole = error == std::errc() && stop == range.data() + range.size();
    return whole && last > 0 && last != UINT64_MAX ? last + 1 : 0;
}

// One blob on its way, over as many tries as it takes.
class Upload {
  public:
    Upload(RegistryExchange& exchange, const std::string& repository, const Digest& digest,
           const BlobBody& body, Retry& retry)
        : exchange_(exchange),
          repository_(repository),
          digest_(digest),
          body_(body),
          retry_(retry),
          what_(fmt::format("upload of {} to {}", digest.str(), repository)) {}

    Uploaded attempt(const std::string& from) {
        std::uint64_t offset = 0;
        if (place_) offset = find_rest();
        if (!place_ && start(from)) return Uploaded::mounted;
        send_rest(offset);
        return Uploaded::sent;
    }

  private:
    RegistryCall call(std::string method) const {
        return {.method = std::move(method), .scopes = push_scope(repository_), .what = what_};
    }

    // True when the registry had it elsewhere and has it here now.
    bool start(const std::string& from) {
        RegistryCall post = call("POST");
        post.target = fmt::format("/v2/{}/blobs/uploads/", repository_);
        if (!from.empty()) {
            post.target += fmt::format("?mount={}&from={}", net::percent_encoded(digest_.str()),
                                       net::percent_encoded(from));
            post.scopes.merge(pull_scope(from));
        }
        net::ClientResponse answer = exchange_.send(post);
        if (answer.status == 201 && !from.empty()) return drain(answer), true;
        if (answer.status != 202) refuse_answer(answer, exchange_.asked(what_));
        move_on(answer);
        return false;
    }

    void move_on(net::ClientResponse& answer) {
        place_ = exchange_.location_of(answer, exchange_.asked(what_));
        drain(answer);
    }

    // How much the registry has of it; begins anew where it does not say.
    std::uint64_t find_rest() {
        const Url place = *std::exchange(place_, std::nullopt);
        net::ClientResponse answer = exchange_.send_to(place, call("GET"));
        if (answer.status != 204) return drain(answer), 0;
        const std::uint64_t received = received_of(answer.headers.find("Range").value_or(""));
        if (received == 0 || received > body_.size) return drain(answer), 0;
        place_ = place;
        if (answer.headers.find("Location")) move_on(answer);
        note_received(received);
        return received;
    }

    void send_rest(std::uint64_t offset) {
        const std::uint64_t piece = exchange_.options().piece;
        if (offset == 0 && body_.size <= piece) return finish(0);
        while (offset < body_.size) {
            const std::uint64_t now = std::min(piece, body_.size - offset);
            RegistryCall patch = call("PATCH");
            patch.headers.set("Content-Type", "application/octet-stream");
            patch.headers.set("Content-Range", fmt::format("{}-{}", offset, offset + now - 1));
            give_body(patch, offset, now);
            net::ClientResponse answer = exchange_.send_to(*place_, patch);
            if (answer.status != 202) give_up(answer);
            move_on(answer);
            exchange_.count_sent(now);
            offset += now;
            note_received(offset);
        }
        finish(body_.size);
    }

    // Every byte more is a reason to go on.
    void note_received(std::uint64_t bytes) {
        if (bytes <= received_) return;
        received_ = bytes;
        retry_.gained();
    }

    // The closing PUT, with what is left.
    void finish(std::uint64_t offset) {
        RegistryCall put = call("PUT");
        put.headers.set("Content-Type", "application/octet-stream");
        give_body(put, offset, body_.size - offset);
        Url url = *place_;
        url.target += (url.target.find('?') == std::string::npos ? "?digest=" : "&digest=") +
                      net::percent_encoded(digest_.str());
        net::ClientResponse answer = exchange_.send_to(url, put);
        if (answer.status != 201 && answer.status != 204) give_up(answer);
        drain(answer);
        exchange_.count_sent(body_.size - offset);
    }

    void give_body(RegistryCall& to, std::uint64_t offset, std::uint64_t length) {
        if (length == 0) return;
        to.only_once = true;
        to.ask_first = length >= kAskFirst;
        if (body_.file.file != nullptr && exchange_.options().rate == nullptr) {
            to.body = net::FileRange{body_.file.file, body_.file.offset + offset, length};
            return;
        }
        // Shared: a std::function must be copyable.
        if (reader_ == nullptr) reader_ = std::make_shared<PartReader>(body_, exchange_);
        reader_->begin(offset, length);
        to.length = length;
        to.body =
            net::Producer([reader = reader_](std::span<char> room) { return reader->read(room); });
    }

    // An upload the registry has forgotten is begun anew. So is, once, one whose bytes it does not
    // like: a request that was sent again over a new connection may have left some there twice.
    void give_up(net::ClientResponse& answer) {
        const bool lost =
            answer.status == 404 || answer.status == 416 || (answer.status == 400 && !disagreed_);
        if (!lost) refuse_answer(answer, exchange_.asked(what_));
        drain(answer);
        disagreed_ = answer.status == 400;
        place_.reset();
        throw ApiError("REGISTRY-FAILED",
                       fmt::format("{}: {}: it lost the upload", exchange_.options().host, what_),
                       {.recovery = Recovery::transient});
    }

    RegistryExchange& exchange_;
    const std::string& repository_;
    const Digest& digest_;
    const BlobBody& body_;
    Retry& retry_;
    std::string what_;
    std::optional<Url> place_;  // of the upload, once it has begun
    bool disagreed_ = false;
    std::uint64_t received_ = 0;  // the most it has ever had
    std::shared_ptr<PartReader> reader_;
};

}  // namespace

Uploaded RegistryClient::upload(const std::string& repository, const Digest& digest,
                                const BlobBody& body, const std::string& from) {
    Retry retry = exchange_->patience();
    Upload job(*exchange_, repository, digest, body, retry);
    while (true) {
        try {
            // The answer alone may have been lost.
            const auto found = retry.failures() > 0 ? head_blob(repository, digest) : std::nullopt;
            return found && found->fits(body.size) ? Uploaded::sent : job.attempt(from);
        } catch (const Error& error) {
            retry.wait_or_rethrow(error);
        }
    }
}

PutManifest RegistryClient::put_manifest(const std::string& repository,
                                         const std::string& reference,
                                         const FetchedManifest& manifest) {
    const RegistryCall call{.method = "PUT",
                            .target = fmt::format("/v2/{}/manifests/{}", repository, reference),
                            .headers = {{"Content-Type", manifest.media_type}},
                            .scopes = push_scope(repository),
                            .body = manifest.text,
                            .what = fmt::format("manifest {} to {}", reference, repository)};
    return exchange_->persist([&] {
        net::ClientResponse answer = exchange_->send(call);
        if (answer.status != 201) refuse_answer(answer, exchange_->asked(call));
        const auto digest = answer.headers.find("Docker-Content-Digest");
        if (digest && *digest != manifest.digest.str()) {
            bad_answer(exchange_->asked(call),
                       fmt::format("it took it for {}", printable(*digest)));
        }
        PutManifest out{.subject_recorded = answer.headers.count("OCI-Subject") > 0};
        drain(answer);
        return out;
    });
}

}  // namespace slipway::oci
