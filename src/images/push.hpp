// Pushing as steps of the engine: one a blob, one an image.
//
//     auto push = std::make_shared<Push>(set, source, client);
//     push->look(8);                               // which images are there already
//     engine::Plan plan = engine::Plan::build(push_steps(push));
//
// The same set gives the same steps, whatever the registry has: an interrupted run goes on with the
// same plan. A blob is uploaded to one repository and mounted in the others; an image's manifests
// go when its blobs are there, its tag last, and what the registry has is compared at the end.
#pragma once

#include "base/error.hpp"
#include "base/mutex.hpp"
#include "engine/step.hpp"
#include "images/push_set.hpp"
#include "oci/client/registry_client.hpp"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace slipway::images {

inline constexpr const char* kRegistryPool = "registry";

struct PushCounts {
    std::uint64_t uploaded = 0;  // blobs
    std::uint64_t mounted = 0;
    std::uint64_t bytes = 0;
};

// What is done with an index that names platforms the source lacks where the registry wants all it
// names: reduced to those there are, or refused so that no digest changes.
enum class Sparse { may_be_reduced, stays };

class Push {
  public:
    // The source and the client must outlive this.
    Push(PushSet set, oci::Source& source, oci::RegistryClient& client,
         Sparse sparse = Sparse::may_be_reduced);

    // Asks for every image whether the registry has it whole: manifests, configs and layers. Many
    // at a time. Throws when no image can be asked for.
    void look(std::size_t at_once);
    bool is_whole(std::size_t image) const;
    bool all_whole() const;
    // How the registry has the image, once it is whole.
    Form form_of(std::size_t image) const;

    const PushSet& set() const { return set_; }
    PushCounts counts() const;
    const std::string& registry() const { return client_.host(); }

    // What the steps do, each until it is told to stop.
    bool has_blob(const oci::Digest& digest, const std::stop_token& stop);
    void place_blob(const oci::Digest& digest, const std::stop_token& stop);
    bool has_image(std::size_t image, const std::stop_token& stop);
    // Says in which form the registry took it.
    Form place_image(std::size_t index, const std::stop_token& stop);
    void verify_image(std::size_t index, const std::stop_token& stop);

  private:
    std::set<std::string> wanted_in(const oci::Digest& digest) const;
    enum class AskFirst { always, unless_mounted };
    void ensure(oci::RegistryClient& client, const oci::Digest& digest,
                const std::string& repository, AskFirst ask);
    bool is_there(oci::RegistryClient& client, const oci::Digest& digest,
                  const std::string& repository);
    std::string known_place(const oci::Digest& digest) const;
    bool is_known(const oci::Digest& digest, const std::string& repository) const;
    void note_place(const oci::Digest& digest, const std::string& repository);
    oci::BlobBody body_of(const oci::Digest& digest) const;
    void put(oci::RegistryClient& client, const ImageToPush& image, const DocumentToPush& document,
             const std::string& reference, Form form);
    void put_documents(oci::RegistryClient& client, const ImageToPush& image, Form form);
    bool may_reduce(const ImageToPush& image) const;
    std::optional<Form> tagged_form(oci::RegistryClient& client, const ImageToPush& image);
    [[noreturn]] void refuse_sparse(const ImageToPush& image, const ApiError& why) const;
    void list_referrer(oci::RegistryClient& client, const std::string& repository,
                       const DocumentToPush& document);
    std::optional<Form> ask_whole(oci::RegistryClient& client, const ImageToPush& image);
    std::optional<Form> ask_documents(oci::RegistryClient& client, const ImageToPush& image);
    bool ask_referrers(oci::RegistryClient& client, const ImageToPush& image);
    using Found = std::vector<std::optional<Form>>;  // by image
    Found look_at_documents(std::size_t at_once);
    void look_at_blobs(const Found& found, std::size_t at_once);
    bool has_its_blobs(const ImageToPush& image) const;
    void note_whole(std::size_t image, Form form);
    void require_mended(oci::RegistryClient& client, const oci::Digest& digest,
                        const std::string& repository);

    PushSet set_;
    oci::Source& source_;
    oci::RegistryClient& client_;
    Sparse sparse_;
    mutable Mutex mutex_;
    std::map<oci::Digest, std::set<std::string>> places_ SLIPWAY_GUARDED_BY(mutex_);
    // What we have just been told is not there: the next who wants to know need not ask.
    std::set<std::pair<oci::Digest, std::string>> absent_ SLIPWAY_GUARDED_BY(mutex_);
    // There, but cut short: by a full disk, as a rule.
    std::set<std::pair<oci::Digest, std::string>> damaged_ SLIPWAY_GUARDED_BY(mutex_);
    std::map<std::size_t, Form> whole_ SLIPWAY_GUARDED_BY(mutex_);
    PushCounts counts_ SLIPWAY_GUARDED_BY(mutex_);
    Mutex lists_;  // one at a time changes a list of referrers
};

inline constexpr std::uint64_t kSlowestRate = 128u << 10;  // bytes a second

// Shared by all steps, which outlive whoever made them. A blob that comes on more slowly than this
// has failed.
std::vector<engine::Step> push_steps(const std::shared_ptr<Push>& push,
                                     std::uint64_t slowest = kSlowestRate);

std::string step_id(const ImageToPush& image);
std::string step_id(const oci::Digest& blob);

}  // namespace slipway::images
