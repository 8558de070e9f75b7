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

// Up to this size a blob goes in one request; a larger one in pieces, so that little is lost with a
// connection.
constexpr std::uint64_t kPiece = 256u << 20;
// From here on it is worth a round trip to hear first whether the body is wanted.
constexpr std::uint64_t kAskFirst = 32u << 20;

// Reads a part of what is uploaded, no faster than allowed.
class PartReader {
  public:
    PartReader(const BlobBody& body, std::uint64_t offset, std::uint64_t length,
               const RegistryExchange& exchange)
        : file_(body.file),
          at_(body.file.offset + offset),
          left_(length),
          rate_(exchange.options().rate),
          stop_(exchange.stop()) {
        if (file_.file != nullptr) return;
        stream_ = body.open();
        if (!stream_->skip(offset)) refuse_short();
    }

    std::size_t read(std::span<char> room) {
        std::size_t now = std::min<std::uint64_t>(room.size(), left_);
        if (now == 0) return 0;
        if (stop_.stop_requested()) throw Cancelled();
        if (rate_ != nullptr) now = rate_->take(now, stop_);
        std::size_t got = 0;
        if (stream_ != nullptr) {
            got = read_fully(*stream_, room.data(), now);
        } else {
            const ssize_t n = ::pread(file_.file->get(), room.data(), now, static_cast<off_t>(at_));
            got = n < 0 ? 0 : static_cast<std::size_t>(n);
        }
        if (got == 0) refuse_short();
        at_ += got;
        left_ -= got;
        // The last piece, so that a stream that checks itself can do so.
        if (left_ == 0 && stream_ != nullptr) stream_->skip(1);
        return got;
    }

  private:
    [[noreturn]] static void refuse_short() {
        throw UserError("SOURCE-BLOB-MISSING", "a blob became shorter while it was sent");
    }

    net::FileRange file_;
    std::uint64_t at_;
    std::uint64_t left_;
    RateLimit* rate_;
    std::stop_token stop_;
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
           const BlobBody& body)
        : exchange_(exchange),
          repository_(repository),
          digest_(digest),
          body_(body),
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
        return received;
    }

    void send_rest(std::uint64_t offset) {
        if (offset == 0 && body_.size <= kPiece) return finish(0);
        while (offset < body_.size) {
            const std::uint64_t now = std::min(kPiece, body_.size - offset);
            RegistryCall patch = call("PATCH");
            patch.headers.set("Content-Type", "application/octet-stream");
            patch.headers.set("Content-Range", fmt::format("{}-{}", offset, offset + now - 1));
            give_body(patch, offset, now);
            net::ClientResponse answer = exchange_.send_to(*place_, patch);
            if (answer.status != 202) give_up(answer);
            move_on(answer);
            exchange_.count_sent(now);
            offset += now;
        }
        finish(body_.size);
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

    void give_body(RegistryCall& to, std::uint64_t offset, std::uint64_t length) const {
        if (length == 0) return;
        to.only_once = true;
        to.ask_first = length >= kAskFirst;
        if (body_.file.file != nullptr && exchange_.options().rate == nullptr) {
            to.body = net::FileRange{body_.file.file, body_.file.offset + offset, length};
            return;
        }
        // Shared: a std::function must be copyable.
        auto reader = std::make_shared<PartReader>(body_, offset, length, exchange_);
        to.length = length;
        to.body = net::Producer([reader](std::span<char> room) { return reader->read(room); });
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
    std::string what_;
    std::optional<Url> place_;  // of the upload, once it has begun
    bool disagreed_ = false;
};

}  // namespace

Uploaded RegistryClient::upload(const std::string& repository, const Digest& digest,
                                const BlobBody& body, const std::string& from) {
    Upload job(*exchange_, repository, digest, body);
    Retry retry = exchange_->patience();
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
