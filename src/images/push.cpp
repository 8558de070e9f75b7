#include "images/push.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "oci/client/parallel.hpp"
#include "oci/media_types.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace slipway::images {

Push::Push(PushSet set, oci::Source& source, oci::RegistryClient& client, Sparse sparse)
    : set_(std::move(set)), source_(source), client_(client), sparse_(sparse) {}

void Push::look(std::size_t at_once) {
    const Found found = look_at_documents(at_once);
    look_at_blobs(found, at_once);
    for (std::size_t i = 0; i < found.size(); ++i) {
        if (found[i] && has_its_blobs(set_.images[i])) note_whole(i, *found[i]);
    }
}

// One that may not even be asked for fails by its own name when it is pushed. Only when that is so
// for all of them there is nothing to begin.
Push::Found Push::look_at_documents(std::size_t at_once) {
    oci::RegistryClient& client = client_;
    const std::size_t count = set_.images.size();
    Found found(count);
    std::vector<std::exception_ptr> refused(count);
    oci::in_parallel(count, at_once, [&](std::size_t i) {
        try {
            found[i] = ask_documents(client, set_.images[i]);
        } catch (const ApiError& error) {
            if (error.recovery() == Recovery::transient) throw;
            refused[i] = std::current_exception();
        }
    });
    const bool any = std::ranges::any_of(refused, [](const auto& e) { return e == nullptr; });
    if (!any && count > 0) std::rethrow_exception(refused[0]);
    return found;
}

// Each blob once a repository, however many images share it.
void Push::look_at_blobs(const Found& found, std::size_t at_once) {
    oci::RegistryClient& client = client_;
    std::set<std::pair<oci::Digest, std::string>> unique;
    for (std::size_t i = 0; i < found.size(); ++i) {
        if (!found[i]) continue;
        const ImageToPush& image = set_.images[i];
        for (const oci::Digest& digest : image.blobs) {
            if (!is_known(digest, image.target.repository)) {
                unique.emplace(digest, image.target.repository);
            }
        }
    }
    const std::vector<std::pair<oci::Digest, std::string>> list(unique.begin(), unique.end());
    oci::in_parallel(list.size(), at_once, [&](std::size_t i) {
        try {
            if (is_there(client, list[i].first, list[i].second)) return;
            const Lock lock(mutex_);
            absent_.insert(list[i]);
        } catch (const ApiError& error) {
            if (error.recovery() == Recovery::transient) throw;
        }
    });
}

bool Push::has_its_blobs(const ImageToPush& image) const {
    return std::ranges::all_of(image.blobs, [&](const oci::Digest& digest) {
        return is_known(digest, image.target.repository);
    });
}

// The digest of an index is not enough: another bundle may have brought it with fewer platforms.
// Nor is that of a manifest: registries lose blobs.
std::optional<Form> Push::ask_whole(oci::RegistryClient& client, const ImageToPush& image) {
    const std::string& repository = image.target.repository;
    const std::optional<Form> form = ask_documents(client, image);
    const auto is_here = [&](const oci::Digest& digest) {
        return is_known(digest, repository) || is_there(client, digest, repository);
    };
    return form && std::ranges::all_of(image.blobs, is_here) ? form : std::nullopt;
}

bool Push::may_reduce(const ImageToPush& image) const {
    return image.is_sparse() && sparse_ == Sparse::may_be_reduced && !image.target.digest;
}

// What the name stands for in the registry. nullopt: for nothing, or for something else.
std::optional<Form> Push::tagged_form(oci::RegistryClient& client, const ImageToPush& image) {
    const std::string& repository = image.target.repository;
    const std::string& tag = image.target.tag;
    std::optional<oci::Descriptor> found;
    if (!tag.empty()) found = client.head_manifest(repository, tag);
    for (const Form form : {Form::as_is, Form::reduced}) {
        if (form == Form::reduced && !may_reduce(image)) break;
        const oci::Digest& digest = image.digest_in(form);
        if (tag.empty()) found = client.head_manifest(repository, digest.str());
        if (found && found->digest == digest) return form;
    }
    return std::nullopt;
}

std::optional<Form> Push::ask_documents(oci::RegistryClient& client, const ImageToPush& image) {
    const std::string& repository = image.target.repository;
    const std::optional<Form> form = tagged_form(client, image);
    if (!form) return std::nullopt;
    const auto is_here = [&](const DocumentToPush& document) {
        const oci::Digest& digest = digest_in(*form, document);
        return digest == image.digest_in(*form) ||
               client.head_manifest(repository, digest.str()).has_value();
    };
    const bool all = std::ranges::all_of(image.documents, is_here) && ask_referrers(client, image);
    return all ? form : std::nullopt;
}

// A signature nobody can find is none: it must be in the list of what it is about, too.
bool Push::ask_referrers(oci::RegistryClient& client, const ImageToPush& image) {
    const std::string& repository = image.target.repository;
    std::map<oci::Digest, std::set<oci::Digest>> listed;
    for (const DocumentToPush& referrer : image.referrers) {
        const oci::Digest& digest = referrer.descriptor.digest;
        if (!client.head_manifest(repository, digest.str())) return false;
        if (referrer.subject.empty()) continue;
        const auto [place, is_new] = listed.try_emplace(referrer.subject);
        if (is_new) {
            for (const oci::Descriptor& d : client.referrers(repository, referrer.subject)) {
                place->second.insert(d.digest);
            }
        }
        if (!place->second.contains(digest)) return false;
    }
    return true;
}

void Push::note_whole(std::size_t image, Form form) {
    const Lock lock(mutex_);
    whole_[image] = form;
}

Form Push::form_of(std::size_t image) const {
    const Lock lock(mutex_);
    const auto found = whole_.find(image);
    return found == whole_.end() ? Form::as_is : found->second;
}

bool Push::is_whole(std::size_t image) const {
    const Lock lock(mutex_);
    return whole_.contains(image);
}

bool Push::all_whole() const {
    const Lock lock(mutex_);
    return whole_.size() == set_.images.size();
}

PushCounts Push::counts() const {
    const Lock lock(mutex_);
    return counts_;
}

bool Push::is_known(const oci::Digest& digest, const std::string& repository) const {
    const Lock lock(mutex_);
    const auto found = places_.find(digest);
    return found != places_.end() && found->second.contains(repository);
}

std::string Push::known_place(const oci::Digest& digest) const {
    const Lock lock(mutex_);
    const auto found = places_.find(digest);
    return found == places_.end() || found->second.empty() ? "" : *found->second.begin();
}

void Push::note_place(const oci::Digest& digest, const std::string& repository) {
    const Lock lock(mutex_);
    places_[digest].insert(repository);
}

// Repositories that lack it as far as we know.
std::set<std::string> Push::wanted_in(const oci::Digest& digest) const {
    std::set<std::string> out = set_.blobs.at(digest).repositories;
    const Lock lock(mutex_);
    const auto found = places_.find(digest);
    if (found != places_.end()) {
        for (const std::string& repository : found->second) out.erase(repository);
    }
    return out;
}

bool Push::is_there(oci::RegistryClient& client, const oci::Digest& digest,
                    const std::string& repository) {
    {
        const Lock lock(mutex_);
        if (absent_.erase({digest, repository}) > 0) return false;
    }
    const auto found = client.head_blob(repository, digest);
    if (found && found->fits(set_.blobs.at(digest).size))
        return note_place(digest, repository), true;
    const Lock lock(mutex_);
    if (found) damaged_.insert({digest, repository});
    return false;
}

// A registry that has a blob of that digest may think a second one needless.
void Push::require_mended(oci::RegistryClient& client, const oci::Digest& digest,
                          const std::string& repository) {
    {
        const Lock lock(mutex_);
        if (damaged_.erase({digest, repository}) == 0) return;
    }
    const auto found = client.head_blob(repository, digest);
    if (found && found->fits(set_.blobs.at(digest).size)) return;
    throw ApiError(
        "PUSH-INCOMPLETE",
        fmt::format("{} has a damaged blob {} in {}", client.host(), digest.str(), repository),
        {.cause = "it is not of the size it should be, and was not replaced",
         .remedy = "delete the blob in the registry's storage, then push again"});
}

// A repository that may not even be asked is for place_blob to judge, beside the others.
bool Push::has_blob(const oci::Digest& digest, const std::stop_token& stop) {
    oci::RegistryClient client = client_.stopped_by(stop);
    for (const std::string& repository : wanted_in(digest)) {
        try {
            if (is_there(client, digest, repository)) continue;
        } catch (const ApiError& error) {
            if (error.recovery() == Recovery::transient) throw;
            return false;
        }
        const Lock lock(mutex_);
        absent_.insert({digest, repository});
        return false;
    }
    return true;
}

oci::BlobBody Push::body_of(const oci::Digest& digest) const {
    const std::uint64_t size = set_.blobs.at(digest).size;
    // The registry hashes what arrives: a file of ours that is not what it says is refused there.
    if (const auto file = source_.file_of(digest)) return {.size = size, .file = *file};
    return {.size = size, .open = [this, digest, size]() -> std::unique_ptr<oci::ByteStream> {
                oci::BlobInput input = source_.open(digest);
                if (input.is_checked) return std::move(input.stream);
                return std::make_unique<oci::VerifyingStream>(std::move(input.stream), digest, size,
                                                              "blob " + digest.str());
            }};
}

// A blob that is elsewhere in the registry is mounted at once. For one that is nowhere we ask
// first: an earlier run may have left it here.
void Push::ensure(oci::RegistryClient& client, const oci::Digest& digest,
                  const std::string& repository, AskFirst ask) {
    if (is_known(digest, repository)) return;
    const std::string from = known_place(digest);
    const bool asks = ask == AskFirst::always || from.empty();
    if (asks && is_there(client, digest, repository)) return;
    const oci::Uploaded how = client.upload(repository, digest, body_of(digest), from);
    require_mended(client, digest, repository);
    note_place(digest, repository);
    const Lock lock(mutex_);
    if (how == oci::Uploaded::mounted) {
        ++counts_.mounted;
        return;
    }
    ++counts_.uploaded;
    counts_.bytes += set_.blobs.at(digest).size;
}

// What one repository refuses others may take: the image of the first fails by its own name then.
void Push::place_blob(const oci::Digest& digest, const std::stop_token& stop) {
    oci::RegistryClient client = client_.stopped_by(stop);
    std::exception_ptr refused;
    bool placed = !known_place(digest).empty();
    for (const std::string& repository : wanted_in(digest)) {
        try {
            ensure(client, digest, repository, AskFirst::unless_mounted);
            placed = true;
        } catch (const ApiError& error) {
            if (error.recovery() == Recovery::transient) throw;
            refused = std::current_exception();
        }
    }
    if (!placed && refused != nullptr) std::rethrow_exception(refused);
}

bool Push::has_image(std::size_t image, const std::stop_token& stop) {
    oci::RegistryClient client = client_.stopped_by(stop);
    if (is_whole(image)) return true;
    const std::optional<Form> form = ask_whole(client, set_.images[image]);
    if (form) note_whole(image, *form);
    return form.has_value();
}

// A registry that wants everything an index names gets one of what there is: the manifests below it
// keep their digests.
Form Push::place_image(std::size_t index, const std::stop_token& stop) {
    oci::RegistryClient client = client_.stopped_by(stop);
    const ImageToPush& image = set_.images[index];
    // Those of steps an earlier session finished are asked for once more: it costs little.
    for (const oci::Digest& digest : image.blobs) {
        ensure(client, digest, image.target.repository, AskFirst::always);
    }
    Form form = Form::as_is;
    try {
        put_documents(client, image, form);
    } catch (const ApiError& error) {
        const bool lacks = error.id() == "REGISTRY-REFUSED" || error.id() == "REGISTRY-UNKNOWN";
        if (!image.is_sparse() || !lacks) throw;
        if (!may_reduce(image)) refuse_sparse(image, error);
        form = Form::reduced;
        put_documents(client, image, form);
    }
    for (const DocumentToPush& document : image.referrers) {
        put(client, image, document, document.descriptor.digest.str(), Form::as_is);
    }
    return form;
}

void Push::refuse_sparse(const ImageToPush& image, const ApiError& why) const {
    throw ApiError(
        "PUSH-SPARSE",
        fmt::format("{} does not take {} without its other platforms", client_.host(),
                    image.target.str()),
        {.cause = why.message(),
         .remedy = "push without --keep-digest, or build the bundle without platforms:"});
}

void Push::put_documents(oci::RegistryClient& client, const ImageToPush& image, Form form) {
    for (const DocumentToPush& document : image.documents) {
        const bool is_root = document.descriptor.digest == image.digest;
        put(client, image, document,
            is_root && !image.target.tag.empty() ? image.target.tag
                                                 : digest_in(form, document).str(),
            form);
    }
}

void Push::put(oci::RegistryClient& client, const ImageToPush& image,
               const DocumentToPush& document, const std::string& reference, Form form) {
    const oci::Descriptor& descriptor = document.descriptor;
    const bool is_other = form == Form::reduced && document.reduced;
    const oci::PutManifest done = client.put_manifest(
        image.target.repository, reference,
        {.text = is_other ? document.reduced->text : oci::read_manifest(source_, descriptor),
         .media_type = descriptor.media_type,
         .digest = digest_in(form, document)});
    if (!document.subject.empty() && !done.subject_recorded) {
        list_referrer(client, image.target.repository, document);
    }
}

// A registry that keeps no list of referrers has it as an index under a tag, which whoever pushes
// looks after.
void Push::list_referrer(oci::RegistryClient& client, const std::string& repository,
                         const DocumentToPush& document) {
    const Lock lock(lists_);
    const std::string tag = oci::referrers_tag(document.subject);
    oci::Index list{.media_type = std::string(oci::media::kIndex)};
    if (const auto found = client.get_manifest(repository, tag);
        found && oci::media::is_index(found->media_type)) {
        list.manifests = oci::parse_index(found->text).manifests;
    }
    const auto is_it = [&](const oci::Descriptor& d) {
        return d.digest == document.descriptor.digest;
    };
    if (std::ranges::any_of(list.manifests, is_it)) return;
    list.manifests.push_back(document.descriptor);
    const std::string text = oci::to_text(list);
    client.put_manifest(repository, tag,
                        {.text = text,
                         .media_type = std::string(oci::media::kIndex),
                         .digest = oci::digest_of(text)});
}

void Push::verify_image(std::size_t index, const std::stop_token& stop) {
    oci::RegistryClient client = client_.stopped_by(stop);
    const ImageToPush& image = set_.images[index];
    if (const std::optional<Form> form = ask_whole(client, image)) return note_whole(index, *form);
    throw ApiError(
        "PUSH-INCOMPLETE",
        fmt::format("{} does not have {} as it was pushed", client.host(), image.target.str()),
        {.cause = "someone else pushed to the same name, or the registry lost it",
         .remedy = "push again; look at the registry's log"});
}

}  // namespace slipway::images
