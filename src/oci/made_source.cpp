#include "oci/made_source.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "oci/media_types.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>

namespace slipway::oci {

namespace {

namespace fs = std::filesystem;

class HashingSink : public ByteSink {
  public:
    explicit HashingSink(ByteSink* next) : next_(next) {}
    void write(std::string_view bytes) override {
        hasher_.update(bytes);
        size_ += bytes.size();
        if (next_ != nullptr) next_->write(bytes);
    }
    Digest finish() { return hasher_.finish(); }
    std::uint64_t size() const { return size_; }

  private:
    ByteSink* next_;
    Hasher hasher_;
    std::uint64_t size_ = 0;
};

std::int64_t changed_ns(const Fd& file) {
    struct stat info{};
    ::fstat(file.get(), &info);
    // The time of any change: unlike the one of writing, nobody can set it back.
    return info.st_ctim.tv_sec * 1'000'000'000 + info.st_ctim.tv_nsec;
}

// A file that was hashed before; that it is the same is told by its time of change, before and
// after.
class UnchangedFile : public ByteStream {
  public:
    UnchangedFile(std::shared_ptr<const Fd> file, std::string name, std::int64_t changed)
        : file_(file),
          name_(std::move(name)),
          changed_(changed),
          inner_(std::move(file), name_, 0, size_of(*file_)) {
        require_same();
    }

    std::size_t read(char* into, std::size_t max) override {
        const std::size_t n = inner_.read(into, max);
        if (n == 0) require_same();
        return n;
    }

  private:
    void require_same() const {
        if (changed_ns(*file_) == changed_) return;
        throw UserError("DIGEST-MISMATCH",
                        fmt::format("{} changed while the bundle was built", printable(name_)),
                        {.remedy = "build again when nobody writes to it"});
    }

    std::shared_ptr<const Fd> file_;  // shared with the inner stream
    std::string name_;
    std::int64_t changed_;
    FileStream inner_;
};

}  // namespace

Descriptor MadeSource::text(std::string content, std::string_view media_type) {
    Descriptor out{.media_type = std::string(media_type),
                   .digest = digest_of(content),
                   .size = content.size()};
    texts_[out.digest] = std::move(content);
    return out;
}

Descriptor MadeSource::file(const fs::path& path, std::string_view media_type,
                            const Digest& known) {
    const std::shared_ptr<const Fd> file = open_regular(path);
    Descriptor out{.media_type = std::string(media_type), .digest = known, .size = size_of(*file)};
    const std::int64_t changed = changed_ns(*file);
    if (known.empty()) {
        FileStream stream(file, path.string(), 0, out.size);
        HashingSink hash(nullptr);
        copy_all(stream, hash);
        out.digest = hash.finish();
    }
    files_[out.digest] = {path, known.empty(), changed};
    return out;
}

Descriptor MadeSource::hashed_file(const fs::path& path, std::string_view media_type,
                                   const Digest& digest) {
    const std::shared_ptr<const Fd> file = open_regular(path);
    files_[digest] = {path, true, changed_ns(*file)};
    return {.media_type = std::string(media_type), .digest = digest, .size = size_of(*file)};
}

Descriptor MadeSource::stream(std::string_view media_type,
                              const std::function<void(ByteSink&)>& write) {
    const fs::path path = spool_.new_path();
    const Fd file = new_file(path, 0600);
    FdSink sink(file.get(), path.string());
    HashingSink hash(&sink);
    write(hash);
    Descriptor out{
        .media_type = std::string(media_type), .digest = hash.finish(), .size = hash.size()};
    files_[out.digest] = {path, true, changed_ns(file)};
    return out;
}

Descriptor MadeSource::manifest(const Manifest& manifest) {
    Descriptor out = text(to_text(manifest), media::kManifest);
    out.artifact_type = manifest.artifact_type;
    return out;
}

Descriptor MadeSource::artifact(Manifest made) {
    made.media_type = media::kManifest;
    if (made.config.digest.empty()) made.config = text("{}", media::kEmpty);
    return manifest(made);
}

Descriptor MadeSource::index(const std::vector<Descriptor>& manifests) {
    return text(to_text(Index{.media_type = std::string(media::kIndex), .manifests = manifests}),
                media::kIndex);
}

bool MadeSource::has(const Digest& digest) {
    return texts_.contains(digest) || files_.contains(digest) ||
           std::ranges::any_of(borrowed_, [&](const auto& source) { return source->has(digest); });
}

BlobInput MadeSource::open(const Digest& digest) {
    if (const auto text = texts_.find(digest); text != texts_.end()) {
        return {std::make_unique<MemoryStream>(text->second)};
    }
    const auto found = files_.find(digest);
    if (found == files_.end()) {
        for (const auto& source : borrowed_) {
            if (source->has(digest)) return source->open(digest);
        }
        blob_is_missing(*this, digest);
    }
    const KeptFile& kept = found->second;
    return {std::make_unique<UnchangedFile>(open_regular(kept.path), kept.path.string(),
                                            kept.changed_ns),
            kept.is_checked};
}

}  // namespace slipway::oci
