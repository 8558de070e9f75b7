// One registry, as the OCI distribution specification has it: reading and writing.
//
//     RegistryClient registry({.host = "registry.example.com", .login = …});
//     const auto manifest = registry.get_manifest("team/app", "1.0");
//     const auto layer = registry.open_blob("team/app", descriptor);   // checked while it is read
//
// What arrives is never trusted: digests and sizes are checked as bytes come in, answers are
// limited, the login stays with the registry it is for. What fails for a reason that passes is
// tried again, a blob from where it broke off. Errors: REGISTRY-* and NET-*. May be used by any
// number of threads, with a connection each.
#pragma once

#include "oci/client/registry_exchange.hpp"
#include "oci/manifest.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::oci {

struct FetchedManifest {
    std::string text = {};
    std::string media_type = {};
    Digest digest = {};

    Descriptor descriptor() const {
        return {.media_type = media_type, .digest = digest, .size = text.size()};
    }
};

// What is uploaded: a part of a file, which the kernel sends, or a stream that can be opened again.
struct BlobBody {
    std::uint64_t size = 0;
    net::FileRange file = {};
    std::function<std::unique_ptr<ByteStream>()> open = {};
};

// A blob a registry says it has.
struct BlobThere {
    std::optional<std::uint64_t> size = {};  // not every registry says

    bool fits(std::uint64_t wanted) const { return size.value_or(wanted) == wanted; }
};

enum class Uploaded { mounted, sent };

struct PutManifest {
    bool subject_recorded = false;  // the registry keeps a list of referrers by itself
};

class RegistryClient {
  public:
    explicit RegistryClient(RegistryOptions options);
    ~RegistryClient();
    RegistryClient(const RegistryClient&) = delete;
    RegistryClient& operator=(const RegistryClient&) = delete;

    // The same registry, connections and login, for work that stops by a token of its own.
    RegistryClient stopped_by(std::stop_token stop) const;

    // That something answers there and takes the login.
    void ping();

    // `reference` is a tag or a digest; nullopt: there is none. By tag, the digest is the
    // registry's word until the manifest itself is fetched.
    std::optional<Descriptor> head_manifest(const std::string& repository,
                                            const std::string& reference);
    std::optional<FetchedManifest> get_manifest(const std::string& repository,
                                                const std::string& reference);

    std::optional<BlobThere> head_blob(const std::string& repository, const Digest& digest);
    // Size and digest are checked; what breaks off goes on where it was.
    std::unique_ptr<ByteStream> open_blob(const std::string& repository,
                                          const Descriptor& descriptor);

    // With `from`, another repository of this registry that has the blob, it is mounted if the
    // registry can. Looks first what is there when an earlier try was cut off.
    Uploaded upload(const std::string& repository, const Digest& digest, const BlobBody& body,
                    const std::string& from = "");
    PutManifest put_manifest(const std::string& repository, const std::string& reference,
                             const FetchedManifest& manifest);

    std::vector<std::string> tags(const std::string& repository);
    // The same of a name that came from the catalog: one that has digests only has no list.
    std::vector<std::string> tags_if_any(const std::string& repository);
    std::vector<std::string> catalog();
    // By the referrers API, or where there is none by the tag that stands for it.
    std::vector<Descriptor> referrers(const std::string& repository, const Digest& digest);

    const std::string& host() const { return exchange_->options().host; }
    RegistryCounts counts() const { return exchange_->counts(); }

  private:
    explicit RegistryClient(std::shared_ptr<RegistryExchange> exchange);

    std::optional<FetchedManifest> fetch_manifest(const std::string& repository,
                                                  const std::string& reference);
    std::vector<std::string> paged(const std::string& target, const Scopes& scopes,
                                   const char* field, const std::string& what);
    std::optional<std::vector<Descriptor>> referrers_by_api(const std::string& repository,
                                                            const Digest& digest);

    // Shared: streams of blobs outlive the client.
    std::shared_ptr<RegistryExchange> exchange_;
};

// The tag under which registries without a referrers API have the list: sha256-9f86….
std::string referrers_tag(const Digest& digest);
// Exactly such a tag: sha256-9f86….sig is a signature that someone has put there.
bool is_referrers_tag(std::string_view tag);

}  // namespace slipway::oci
