#include "oci/client/testing/fake_registry.hpp"

#include "base/text.hpp"
#include "oci/client/login.hpp"
#include "oci/media_types.hpp"

#include <csignal>
#include <stdexcept>

#include <fmt/format.h>

namespace slipway::oci::testing {

namespace {

struct Kept {
    std::map<Digest, std::string> blobs = {};
    std::map<Digest, std::pair<std::string, std::string>> manifests = {};  // text and type
    std::map<std::string, Digest> tags = {};
};

// team/app and what follows it of /v2/team/app/blobs/…
std::pair<std::string, std::string> parts_of(const std::string& path) {
    for (const std::string_view word : {"/blobs/", "/manifests/", "/tags/", "/referrers/"}) {
        const std::size_t at = path.rfind(word);
        if (at != std::string::npos && at >= 4) return {path.substr(4, at - 4), path.substr(at)};
    }
    return {"", path};
}

void refuse(net::Response& response, int status, const std::string& code) {
    response.status = status;
    response.headers.set("Content-Type", "application/json");
    response.body =
        fmt::format(R"({{"errors":[{{"code":"{}","message":"as the test wants it"}}]}})", code);
}

}  // namespace

struct FakeRegistry::State {
    mutable Mutex mutex;
    Faults faults SLIPWAY_GUARDED_BY(mutex);
    std::map<std::string, Kept> repositories SLIPWAY_GUARDED_BY(mutex);
    std::map<std::string, std::string> uploads SLIPWAY_GUARDED_BY(mutex);
    std::vector<Seen> seen SLIPWAY_GUARDED_BY(mutex);
    int tokens SLIPWAY_GUARDED_BY(mutex) = 0;
    std::map<std::string, int> token_uses SLIPWAY_GUARDED_BY(mutex);
    int next_upload SLIPWAY_GUARDED_BY(mutex) = 0;
    std::unique_ptr<net::HttpServer> server;

    // The body, as far as it is let in.
    static std::string take_body(net::Request& request, std::uint64_t most) {
        std::string out;
        std::vector<char> buffer(64u << 10);
        while (out.size() < most) {
            const std::size_t n = request.body.read(buffer);
            if (n == 0) break;
            out.append(buffer.data(), std::min<std::uint64_t>(n, most - out.size()));
        }
        return out;
    }

    // How much of this body is taken before the connection ends.
    std::uint64_t cut_after(const net::Request& request) {
        const Lock lock(mutex);
        const bool is_upload = (request.method == "PATCH" || request.method == "PUT") &&
                               request.raw_target.find("/uploads/") != std::string::npos;
        if (!is_upload || request.body.length().value_or(0) <= faults.cut_uploads_after) return 0;
        if (--faults.cuts > 0) return faults.cut_uploads_after;
        return std::exchange(faults.cut_uploads_after, 0);
    }

    void handle(net::Request& request, net::Response& response) {
        request.body.limit(UINT64_MAX);
        if (answer_early(request, response)) return;
        const std::uint64_t cut = cut_after(request);
        const std::string body = take_body(request, cut > 0 ? cut : UINT64_MAX);
        const Lock lock(mutex);
        note(request, body.size());
        if (cut > 0) {
            uploads[request.target.path] += body;
            throw std::runtime_error("cut off");
        }
        if (!faults.answer.empty()) {
            response.body = faults.answer;
            return;
        }
        route(request, response, body);
    }

    // What is said before anyone looks at the body.
    bool answer_early(const net::Request& request, net::Response& response) {
        const Lock lock(mutex);
        if (request.target.path == "/token")
            return note(request), give_token(request, response), true;
        if (faults.busy > 0) {
            --faults.busy;
            response.headers.set("Retry-After", "7");
            return note(request), refuse(response, 429, "TOOMANYREQUESTS"), true;
        }
        if (faults.broken > 0) {
            --faults.broken;
            return note(request), refuse(response, 500, "UNKNOWN"), true;
        }
        if (faults.wants_token && !has_token(request)) {
            const std::string realm =
                faults.realm.empty() ? "http://" + server->address() + "/token" : faults.realm;
            response.headers.set("WWW-Authenticate",
                                 fmt::format("Bearer realm=\"{}\",service=\"fake\"", realm));
            return note(request), refuse(response, 401, "UNAUTHORIZED"), true;
        }
        return false;
    }

    void note(const net::Request& request, std::size_t received = 0) SLIPWAY_REQUIRES(mutex) {
        seen.push_back({request.method, request.raw_target,
                        std::string(request.headers.find("Authorization").value_or("")), received});
    }

    void give_token(const net::Request& request, net::Response& response) SLIPWAY_REQUIRES(mutex) {
        const Login good{"ops", Secret("secret")};
        if (request.headers.find("Authorization") != good.basic().reveal()) {
            return refuse(response, 401, "UNAUTHORIZED");
        }
        token_uses[fmt::format("Bearer token-{}", tokens + 1)] = 0;
        response.body = fmt::format(R"({{"token":"token-{}"{}}})", ++tokens,
                                    faults.token_seconds > 0
                                        ? fmt::format(",\"expires_in\":{}", faults.token_seconds)
                                        : "");
    }

    bool has_token(const net::Request& request) SLIPWAY_REQUIRES(mutex) {
        const auto found =
            token_uses.find(std::string(request.headers.find("Authorization").value_or("")));
        if (found == token_uses.end()) return false;
        return faults.uses_of_token == 0 || ++found->second <= faults.uses_of_token;
    }

    void route(const net::Request& request, net::Response& response, const std::string& body)
        SLIPWAY_REQUIRES(mutex) {
        const auto [repository, rest] = parts_of(request.target.path);
        const std::string last = rest.substr(rest.rfind('/') + 1);
        if (request.target.path == "/v2/") return;
        if (repository == faults.forbid && !repository.empty()) {
            return refuse(response, 403, "DENIED");
        }
        if (rest.starts_with("/blobs/uploads/")) {
            return upload(request, response, repository, body);
        }
        if (rest.starts_with("/blobs/")) return blob(request, response, repository, last);
        if (rest.starts_with("/manifests/")) {
            return request.method == "PUT" ? put(request, response, repository, last, body)
                                           : manifest(response, repository, last);
        }
        if (rest.starts_with("/referrers/") && !faults.no_referrers_api) {
            return referrers(response, repository, last);
        }
        refuse(response, 404, "NAME_UNKNOWN");
    }

    void blob(const net::Request& request, net::Response& response, const std::string& repository,
              const std::string& text) SLIPWAY_REQUIRES(mutex) {
        const auto& blobs = repositories[repository].blobs;
        const auto found = blobs.find(Digest::parse(text));
        if (found == blobs.end()) return refuse(response, 404, "BLOB_UNKNOWN");
        if (!faults.blobs_at.empty()) {
            response.status = 307;
            response.headers.set("Location", faults.blobs_at + request.raw_target);
            return;
        }
        std::string bytes = found->second;
        if (faults.spoil_blobs) bytes.back() ^= 1;
        const auto range = request.headers.find("Range");
        if (range && !faults.no_ranges) {
            const std::size_t begin = std::stoull(std::string(range->substr(6)));
            response.status = 206;
            response.headers.set("Content-Range", fmt::format("bytes {}-{}/{}", begin,
                                                              bytes.size() - 1, bytes.size()));
            bytes.erase(0, begin);
        }
        const std::uint64_t cut = faults.cut_blobs_after;
        if (cut == 0 || bytes.size() <= cut || request.method == "HEAD") {
            response.body = std::move(bytes);
            return;
        }
        // The length is stated in full, then the connection ends.
        response.body = net::Producer(
            [bytes = bytes.substr(0, cut), at = std::size_t{0}](std::span<char> room) mutable {
                const std::size_t n = std::min(room.size(), bytes.size() - at);
                if (n == 0) throw std::runtime_error("cut off");
                bytes.copy(room.data(), n, at);
                at += n;
                return n;
            });
    }

    void manifest(net::Response& response, const std::string& repository, const std::string& name)
        SLIPWAY_REQUIRES(mutex) {
        const Kept& kept = repositories[repository];
        const auto tag = kept.tags.find(name);
        const Digest digest =
            tag != kept.tags.end() ? tag->second : Digest::try_parse(name).value_or(Digest{});
        const auto found = kept.manifests.find(digest);
        if (found == kept.manifests.end()) return refuse(response, 404, "MANIFEST_UNKNOWN");
        response.headers.set("Content-Type",
                             faults.type.empty() ? found->second.second : faults.type);
        response.headers.set("Docker-Content-Digest", digest.str());
        std::string text = found->second.first;
        if (faults.spoil_manifests) text += " ";
        response.body = std::move(text);
        if (faults.endless > 0) {
            response.body = net::Producer([left = faults.endless](std::span<char> room) mutable {
                const std::size_t n = std::min<std::uint64_t>(room.size(), left);
                std::fill_n(room.data(), n, ' ');
                left -= n;
                return n;
            });
        }
    }

    void put(const net::Request& request, net::Response& response, const std::string& repository,
             const std::string& name, const std::string& body) SLIPWAY_REQUIRES(mutex) {
        if (repository == faults.refuse) return refuse(response, 403, "DENIED");
        Kept& kept = repositories[repository];
        const Digest digest = digest_of(body);
        if (faults.whole_indexes && names_absent(body, kept)) {
            return refuse(response, 400, "MANIFEST_BLOB_UNKNOWN");
        }
        kept.manifests[digest] = {body,
                                  std::string(request.headers.find("Content-Type").value_or(""))};
        if (!Digest::try_parse(name)) kept.tags[name] = digest;
        response.status = 201;
        response.headers.set("Docker-Content-Digest", digest.str());
        const Document document = parse_document(body, "");
        const bool refers =
            std::visit([](const auto& d) { return d.subject.has_value(); }, document);
        if (refers && !faults.no_referrers_api) response.headers.set("OCI-Subject", "yes");
    }

    static bool names_absent(const std::string& text, const Kept& kept) {
        const Document document = parse_document(text, "");
        const auto* index = std::get_if<Index>(&document);
        return index != nullptr && std::ranges::any_of(index->manifests, [&](const auto& child) {
                   return !kept.manifests.contains(child.digest);
               });
    }

    void referrers(net::Response& response, const std::string& repository, const std::string& text)
        SLIPWAY_REQUIRES(mutex) {
        Index index{.media_type = std::string(media::kIndex)};
        for (const auto& [digest, kept] : repositories[repository].manifests) {
            const Document document = parse_document(kept.first, kept.second);
            const auto* manifest = std::get_if<Manifest>(&document);
            if (manifest == nullptr || !manifest->subject ||
                manifest->subject->digest.str() != text) {
                continue;
            }
            index.manifests.push_back(
                {.media_type = kept.second, .digest = digest, .size = kept.first.size()});
        }
        response.headers.set("Content-Type", std::string(media::kIndex));
        response.body = to_text(index);
    }

    void upload(const net::Request& request, net::Response& response, const std::string& repository,
                const std::string& body) SLIPWAY_REQUIRES(mutex) {
        const std::string& path = request.target.path;
        if (request.method == "POST") return start(request, response, repository);
        const auto found = uploads.find(path);
        if (found == uploads.end()) return refuse(response, 404, "BLOB_UPLOAD_UNKNOWN");
        response.headers.set("Location", path + "?state=x");
        response.headers.set(
            "Range", fmt::format("0-{}", found->second.empty() ? 0 : found->second.size() - 1));
        if (request.method == "GET") {
            response.status = 204;
            return;
        }
        found->second += body;
        response.status = 202;
        if (request.method != "PUT") return;
        const Digest wanted = Digest::parse(request.target.parameter("digest").value_or(""));
        if (digest_of(found->second, wanted.algorithm) != wanted) {
            return refuse(response, 400, "DIGEST_INVALID");
        }
        repositories[repository].blobs[wanted] = found->second;
        uploads.erase(found);
        response.status = 201;
    }

    void start(const net::Request& request, net::Response& response, const std::string& repository)
        SLIPWAY_REQUIRES(mutex) {
        const auto from = request.target.parameter("from");
        if (from && !faults.no_mounts) {
            const Digest digest = Digest::parse(request.target.parameter("mount").value_or(""));
            const auto& blobs = repositories[std::string(*from)].blobs;
            if (const auto found = blobs.find(digest); found != blobs.end()) {
                repositories[repository].blobs[digest] = found->second;
                response.status = 201;
                return;
            }
        }
        const std::string place = fmt::format("/v2/{}/blobs/uploads/{}", repository, ++next_upload);
        uploads[place] = "";
        response.status = 202;
        response.headers.set("Location", place + "?state=x");
    }
};

FakeRegistry::FakeRegistry() : state_(std::make_unique<State>()) {
    std::signal(SIGPIPE, SIG_IGN);
    state_->server = std::make_unique<net::HttpServer>(
        net::Listener("127.0.0.1:0"), net::ServerOptions{},
        [state = state_.get()](net::Request& request, net::Response& response) {
            state->handle(request, response);
        });
}
FakeRegistry::~FakeRegistry() { state_->server->stop(net::Millis(0)); }

std::string FakeRegistry::host() const { return state_->server->address(); }

void FakeRegistry::faults(const std::function<void(Faults&)>& change) {
    const Lock lock(state_->mutex);
    change(state_->faults);
}

void FakeRegistry::keep_blob(const std::string& repository, const std::string& bytes) {
    const Lock lock(state_->mutex);
    state_->repositories[repository].blobs[digest_of(bytes)] = bytes;
}

void FakeRegistry::keep_manifest(const std::string& repository, const std::string& tag,
                                 const std::string& text, const std::string& type) {
    const Lock lock(state_->mutex);
    Kept& kept = state_->repositories[repository];
    kept.manifests[digest_of(text)] = {text, type};
    if (!tag.empty()) kept.tags[tag] = digest_of(text);
}

void FakeRegistry::damage_blob(const std::string& repository, const Digest& digest,
                               const std::string& bytes) {
    const Lock lock(state_->mutex);
    state_->repositories[repository].blobs[digest] = bytes;
}

void FakeRegistry::lose_blob(const std::string& repository, const Digest& digest) {
    const Lock lock(state_->mutex);
    state_->repositories[repository].blobs.erase(digest);
}

void FakeRegistry::lose_manifest(const std::string& repository, const std::string& tag_or_digest) {
    const Lock lock(state_->mutex);
    Kept& kept = state_->repositories[repository];
    kept.tags.erase(tag_or_digest);
    if (const auto digest = Digest::try_parse(tag_or_digest)) kept.manifests.erase(*digest);
}

bool FakeRegistry::has_manifest(const std::string& repository, const Digest& digest) const {
    const Lock lock(state_->mutex);
    return state_->repositories[repository].manifests.contains(digest);
}

bool FakeRegistry::has_blob(const std::string& repository, const Digest& digest) const {
    const Lock lock(state_->mutex);
    return state_->repositories[repository].blobs.contains(digest);
}

bool FakeRegistry::has_tag(const std::string& repository, const std::string& tag) const {
    const Lock lock(state_->mutex);
    return state_->repositories[repository].tags.contains(tag);
}

std::vector<Seen> FakeRegistry::seen() const {
    const Lock lock(state_->mutex);
    return state_->seen;
}

int FakeRegistry::count(std::string_view method, std::string_view part) const {
    int out = 0;
    for (const Seen& one : seen()) {
        if (one.method == method && one.target.find(part) != std::string::npos) ++out;
    }
    return out;
}

}  // namespace slipway::oci::testing
