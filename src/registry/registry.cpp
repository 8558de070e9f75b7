#include "registry/registry.hpp"

#include "base/error.hpp"
#include "base/json.hpp"
#include "net/failure.hpp"
#include "oci/reference.hpp"
#include "registry/exchange.hpp"

#include <fmt/format.h>

namespace slipway::registry {

namespace {

void dispatch(Exchange& x) {
    switch (x.route.kind) {
        case Route::Kind::ping:
            if (x.request.method != "GET" && x.request.method != "HEAD")
                refuse_method(x, "GET, HEAD");
            x.response.headers.set("Content-Type", "application/json");
            x.response.body = "{}";
            return;
        case Route::Kind::catalog: return answer_catalog(x);
        case Route::Kind::tags: return answer_tags(x);
        case Route::Kind::referrers: return answer_referrers(x);
        case Route::Kind::manifest: return answer_manifest(x);
        case Route::Kind::blob: return answer_blob(x);
        case Route::Kind::new_upload: return answer_new_upload(x);
        case Route::Kind::upload: return answer_upload(x);
        case Route::Kind::none: break;
    }
    throw Refusal(404, "UNSUPPORTED", "there is nothing here");
}

// Headers that the route has set before stay: they help a client to go on.
void refuse(net::Response& response, int status, const std::string& code,
            const std::string& message) {
    response.status = status;
    response.headers.set("Content-Type", "application/json");
    const json::object error = {{"code", code}, {"message", message}};
    response.body = json::serialize(json::object{{"errors", json::array{error}}});
}

constexpr const char* kFailedHere = "this registry has failed; its log says why";

bool is_read(const net::Request& request) {
    return request.method == "GET" || request.method == "HEAD";
}

}  // namespace

Registry::Registry(Library library, RegistryOptions options)
    : library_(std::move(library)),
      options_(std::move(options)),
      large_reads_(std::make_unique<LargeReads>()) {
    if (library_.store() != nullptr && !options_.read_only)
        uploads_.emplace(*library_.store(), options_.most_uploads);
}

Registry::~Registry() = default;

void Registry::handle(net::Request& request, net::Response& response) {
    try {
        answer(request, response);
    } catch (const Refusal& refusal) {
        refuse(response, refusal.status, refusal.code, refusal.what());
    } catch (const net::HttpError& error) {
        if (error.status != 413) throw;
        refuse(response, error.status, "SIZE_INVALID", "it is larger than this registry takes");
    } catch (const net::Failure&) {
        throw;
    } catch (const Error& error) {
        const bool full = error.id() == "STORE-FULL";
        refuse(response, full ? 507 : 500, "UNKNOWN",
               full ? "the disk of the registry is full" : kFailedHere);
        response.error = fmt::format("{}: {}: {}", error.id(), error.message(), error.cause());
    } catch (const std::exception& error) {
        refuse(response, 500, "UNKNOWN", kFailedHere);
        response.error = error.what();
    }
}

void Registry::answer(net::Request& request, net::Response& response) {
    const std::string& path = request.target.path;
    if (path.starts_with("/v2"))
        response.headers.set("Docker-Distribution-Api-Version", "registry/2.0");
    if (options_.logins) require_login(request, response);
    if (path == "/metrics" && is_read(request)) return answer_metrics(response);
    const Route route = parse_route(path);
    if (!route.name.empty() && !oci::is_valid_repository_name(route.name))
        throw Refusal(404, "NAME_INVALID", "this is not the name of a repository");
    Exchange exchange{.library = library_,
                      .uploads = uploads_ ? &*uploads_ : nullptr,
                      .largest_blob = options_.largest_blob,
                      .large_reads = *large_reads_,
                      .route = route,
                      .request = request,
                      .response = response};
    dispatch(exchange);
}

void Registry::require_login(const net::Request& request, net::Response& response) {
    if (options_.anyone_reads && is_read(request)) return;
    const auto given = request.headers.find("Authorization");
    const auto verdict = given ? options_.logins->check(*given) : Logins::Verdict::wrong;
    if (verdict == Logins::Verdict::right) return;
    if (verdict == Logins::Verdict::busy) {
        response.headers.set("Retry-After", "1");
        throw Refusal(429, "TOOMANYREQUESTS", "too many logins at once");
    }
    response.headers.set("WWW-Authenticate", "Basic realm=\"slipway registry\"");
    throw Refusal(401, "UNAUTHORIZED",
                  given ? "the user or the password is wrong" : "a login is needed");
}

void Registry::answer_metrics(net::Response& response) {
    response.headers.set("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
    response.body =
        metrics_.text(stats_ ? stats_() : net::ServerStats(), uploads_ ? uploads_->count() : 0);
}

std::size_t Registry::expire_uploads() {
    return uploads_ ? uploads_->expire(options_.keep_uploads) : 0;
}

GarbageReport Registry::clean(std::chrono::seconds age, const std::stop_token& stop) {
    if (!uploads_) return {};
    try {
        expire_uploads();
        const GarbageReport report = library_.store()->collect_garbage(age, false, stop);
        metrics_.collected(report);
        return report;
    } catch (...) {
        metrics_.collection_failed();
        throw;
    }
}

}  // namespace slipway::registry
