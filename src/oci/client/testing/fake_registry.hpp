// A registry in memory that misbehaves as it is told: for everything a good one does not do.
//
//     FakeRegistry fake;
//     fake.keep(sample_images(), "team/app");
//     fake.faults([](Faults& f) { f.cut_blobs_after = 64 << 10; });
#pragma once

#include "base/mutex.hpp"
#include "net/http_server.hpp"
#include "oci/manifest.hpp"

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace slipway::oci::testing {

struct Faults {
    std::uint64_t cut_blobs_after = 0;    // bytes of each answer; 0: never
    std::uint64_t cut_uploads_after = 0;  // bytes of a body that are kept
    int cuts = 1;                         // so many times
    int busy = 0;                         // so many answers of 429 with Retry-After: 7
    int broken = 0;                       // so many answers of 500
    int uses_of_token = 0;                // after which it is expired; 0: any number
    bool no_ranges = false;
    bool spoil_blobs = false;      // a bit of each is wrong
    bool spoil_manifests = false;  // likewise
    bool no_mounts = false;
    bool no_referrers_api = false;
    bool wants_token = false;    // of /token, which wants ops:secret
    std::string refuse = {};     // repository no manifest is taken for
    std::string forbid = {};     // repository that is refused whatever is asked
    bool whole_indexes = false;  // takes none whose manifests are not all there
    std::string blobs_at = {};   // redirects there, path appended
    std::string type = {};       // Content-Type of manifests
    std::string answer = {};     // body of every answer
    std::uint64_t endless = 0;   // bytes of a manifest that is never over
    std::string realm = {};      // instead of the own /token
    int token_seconds = 0;       // expires_in; 0: not said
};

// One request as it came.
struct Seen {
    std::string method = {};
    std::string target = {};
    std::string authorization = {};
    std::uint64_t received = 0;
};

class FakeRegistry {
  public:
    FakeRegistry();
    ~FakeRegistry();

    std::string host() const;
    void faults(const std::function<void(Faults&)>& change);

    void keep_blob(const std::string& repository, const std::string& bytes);
    void keep_manifest(const std::string& repository, const std::string& tag,
                       const std::string& text, const std::string& type);
    // What a disk does to a registry: a blob becomes this, or is gone.
    void damage_blob(const std::string& repository, const Digest& digest, const std::string& bytes);
    void lose_blob(const std::string& repository, const Digest& digest);
    void lose_manifest(const std::string& repository, const std::string& tag_or_digest);
    bool has_blob(const std::string& repository, const Digest& digest) const;
    bool has_manifest(const std::string& repository, const Digest& digest) const;
    bool has_tag(const std::string& repository, const std::string& tag) const;

    std::vector<Seen> seen() const;
    // Requests of this method whose target has this in it.
    int count(std::string_view method, std::string_view part) const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace slipway::oci::testing
