#include "oci/bundle_writer.hpp"

#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "oci/bundle_errors.hpp"
#include "oci/tar_fields.hpp"
#include "oci/tar_writer.hpp"

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include <fcntl.h>

namespace slipway::oci {

namespace {

namespace fs = std::filesystem;

// The file under a name of its own until it is whole.
class NewFile {
  public:
    explicit NewFile(const fs::path& wanted)
        : wanted_(wanted), path_(wanted.string() + ".new-" + random_hex(4)) {
        fd_ = Fd(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
        if (!fd_) fail("cannot create");
    }
    ~NewFile() {
        if (!path_.empty()) ::unlink(path_.c_str());
    }
    NewFile(const NewFile&) = delete;
    NewFile& operator=(const NewFile&) = delete;

    void put_in_place() {
        if (::fsync(fd_.get()) != 0) fail("cannot write");
        if (::rename(path_.c_str(), wanted_.c_str()) != 0) fail("cannot rename");
        path_.clear();
        sync_folder(wanted_.has_parent_path() ? wanted_.parent_path() : fs::path("."));
    }

    int fd() const { return fd_.get(); }
    const fs::path& path() const { return path_; }

  private:
    [[noreturn]] void fail(std::string_view what) const {
        throw StateError("BUNDLE-WRITE", fmt::format("{} {}: {}", what, printable(wanted_.string()),
                                                     std::strerror(errno)));
    }

    fs::path wanted_, path_;
    Fd fd_;
};

// Counts what was written and stops when it is asked to.
class Output {
  public:
    Output(int fd, std::string name, const WriteOptions& options)
        : fd_(fd), name_(std::move(name)), options_(options) {}

    void write(std::string_view bytes) {
        if (options_.stop.stop_requested()) throw Cancelled();
        write_fully(fd_, bytes, name_);
        at_ += bytes.size();
        start_writeback();
        if (options_.on_bytes) options_.on_bytes(at_);
    }
    std::uint64_t at() const { return at_; }

  private:
    // Lets the disk work while we hash, so that the fsync at the end has little left to do.
    void start_writeback() {
        constexpr std::uint64_t kPiece = 16u << 20;
        if (at_ - sent_ < kPiece) return;
        ::sync_file_range(fd_, static_cast<off64_t>(sent_), static_cast<off64_t>(at_ - sent_),
                          SYNC_FILE_RANGE_WRITE);
        sent_ = at_;
    }

    int fd_;
    std::string name_;
    const WriteOptions& options_;
    std::uint64_t at_ = 0;
    std::uint64_t sent_ = 0;
};

std::unique_ptr<ByteStream> checked(BlobInput input, const BundleBlob& blob) {
    if (input.is_checked) return std::move(input.stream);
    return std::make_unique<VerifyingStream>(std::move(input.stream), blob.digest, blob.size,
                                             "blob " + blob.digest.str());
}

void write_blob(Output& out, const BundleBlob& blob, BlobInput input, std::string& buffer) {
    out.write(blob_header(blob, out.at()));
    const std::uint64_t begin = out.at();
    const std::unique_ptr<ByteStream> stream = checked(std::move(input), blob);
    while (const std::size_t n = stream->read(buffer.data(), buffer.size())) {
        out.write({buffer.data(), n});
    }
    if (out.at() - begin != blob.size) {
        throw UserError("DIGEST-MISMATCH",
                        fmt::format("blob {} changed while it was read", blob.digest.str()));
    }
    out.write(std::string(tar_padding(blob.size), '\0'));
}

}  // namespace

void write_bundle(const fs::path& path, const BundleIndex& index, const OpenBlob& open,
                  const WriteOptions& options) {
    NewFile file(path);
    Output out(file.fd(), path.string(), options);
    std::string front = front_matter(index);
    front.replace(signature_offset(index), options.signatures.size(), options.signatures);
    out.write(front);
    std::string buffer(kChunk, '\0');
    for (std::size_t i = 0; i < index.content.blobs.size(); ++i) {
        if (index.offsets[i] == 0) continue;
        write_blob(out, index.content.blobs[i], open(index.content.blobs[i]), buffer);
    }
    out.write(std::string(kTarEnd, '\0'));
    if (out.at() != index.file_size) bundle_damaged("the new file", "it is not as long as planned");
    file.put_in_place();
}

}  // namespace slipway::oci
