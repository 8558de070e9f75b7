#include "base/error.hpp"
#include "base/mutex.hpp"
#include "oci/bundle_reader.hpp"
#include "oci/bundle_signature.hpp"
#include "oci/manifest.hpp"
#include "oci/media_types.hpp"
#include "oci/tar_fields.hpp"
#include "oci/tar_writer.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <numeric>
#include <thread>

#include <fmt/format.h>

namespace slipway::oci {

namespace {

class Findings {
  public:
    void add(std::string what, std::string why) {
        const Lock lock(mutex_);
        found_.push_back({std::move(what), std::move(why)});
    }
    std::vector<Damage> sorted() {
        const Lock lock(mutex_);
        std::ranges::sort(found_, std::ranges::less{}, &Damage::what);
        return found_;
    }

  private:
    Mutex mutex_;
    std::vector<Damage> found_ SLIPWAY_GUARDED_BY(mutex_);
};

std::string bytes_at(const BundleReader& bundle, std::uint64_t offset, std::uint64_t size) {
    std::string out(size, '\0');
    std::size_t have = 0;
    while (have < size) {
        const ssize_t n =
            ::pread(bundle.fd(), out.data() + have, size - have, static_cast<off_t>(offset + have));
        if (n <= 0) break;
        have += static_cast<std::size_t>(n);
    }
    return out;
}

// What stands around the blobs follows from the index, so it is made again and compared.
void check_frame(const BundleReader& bundle, Findings& findings) {
    const BundleIndex& index = bundle.index();
    std::string front = front_matter(index);
    const std::string signatures = bundle.signature_block();
    const std::uint64_t at = signature_offset(index);
    front.replace(at, kSignatureBlock, signatures);
    const std::string found = bytes_at(bundle, 0, front.size());
    if (found != front) {
        const auto place = std::ranges::mismatch(found, front).in1 - found.begin();
        const std::uint64_t after_signatures = at + kSignatureBlock;
        const bool in_json = static_cast<std::uint64_t>(place) >= after_signatures;
        findings.add(in_json ? "index.json" : "the front of the file",
                     fmt::format("byte {} is not what it must be", place));
    }
    try {
        parse_signatures(signatures);
    } catch (const Error& e) {
        findings.add("the signatures", e.message());
    }
    std::uint64_t end = front.size();
    for (std::size_t i = 0; i < index.offsets.size(); ++i) {
        if (index.offsets[i] == 0) continue;
        const BundleBlob& blob = index.content.blobs[i];
        const std::string header = blob_header(blob, end);
        const std::uint64_t blob_end = index.offsets[i] + blob.size;
        const std::string padding(tar_padding(blob.size), '\0');
        if (bytes_at(bundle, end, header.size()) != header) {
            findings.add("the header before " + bundle.describe(blob.digest), "it was changed");
        }
        if (bytes_at(bundle, blob_end, padding.size()) != padding) {
            findings.add("the padding after " + bundle.describe(blob.digest), "it was changed");
        }
        end = blob_end + padding.size();
    }
    if (bytes_at(bundle, end, kTarEnd) != std::string(kTarEnd, '\0')) {
        findings.add("the end of the file", "it was changed");
    }
}

void check_blob(const BundleReader& bundle, const BundleBlob& blob, std::string& buffer,
                const VerifyOptions& options, Findings& findings) {
    try {
        const std::unique_ptr<ByteStream> stream = bundle.open(blob.digest);
        while (const std::size_t n = stream->read(buffer.data(), buffer.size())) {
            if (options.stop.stop_requested()) return;
            if (options.on_bytes) options.on_bytes(n);
        }
    } catch (const Error& e) {
        findings.add(bundle.describe(blob.digest), e.cause().empty() ? e.message() : e.cause());
    }
}

void check_blobs(const BundleReader& bundle, const VerifyOptions& options, Findings& findings) {
    const std::vector<BundleBlob>& blobs = bundle.content().blobs;
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < blobs.size(); ++i) {
        if (bundle.index().offsets[i] != 0) order.push_back(i);
    }
    // The largest first, so that none of them is left for one core at the end.
    std::ranges::sort(order, std::ranges::greater{}, [&](std::size_t i) { return blobs[i].size; });
    const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
    const unsigned threads = options.threads == 0 ? cores : options.threads;
    std::atomic<std::size_t> next = 0;
    std::vector<std::jthread> workers;
    for (unsigned t = 0; t < threads; ++t) {
        workers.emplace_back([&] {
            std::string buffer(kChunk, '\0');
            for (std::size_t i = next++; i < order.size(); i = next++) {
                if (options.stop.stop_requested()) return;
                check_blob(bundle, blobs[order[i]], buffer, options, findings);
            }
        });
    }
    workers.clear();
}

void check_child(const BundleReader& bundle, const Descriptor& child, const std::string& parent,
                 Findings& findings) {
    const BundleBlob* blob = bundle.content().find(child.digest);
    if (blob == nullptr) {
        if (media::is_foreign_layer(child.media_type)) return;
        findings.add(parent, fmt::format("it needs {}, which is not there", child.digest.str()));
    } else if (blob->size != child.size) {
        findings.add(parent, fmt::format("it gives {} another size", child.digest.str()));
    }
}

// A manifest without one of its layers could be served but never pulled. Of an index only the
// platforms that were asked for are there.
void check_whole(const BundleReader& bundle, const BundleBlob& blob, Findings& findings) {
    if (blob.kind == BlobKind::blob || !bundle.find(blob.digest)) return;
    try {
        const Document document = parse_document(bundle.manifest(blob.digest), blob.media_type);
        const std::string name = bundle.describe(blob.digest);
        if (const auto* image = std::get_if<Manifest>(&document)) {
            check_child(bundle, image->config, name, findings);
            for (const Descriptor& layer : image->layers)
                check_child(bundle, layer, name, findings);
        }
    } catch (const Error& e) {
        if (e.id() == "DIGEST-MISMATCH") return;  // said already
        findings.add(bundle.describe(blob.digest), e.message());
    }
}

}  // namespace

std::vector<Damage> verify(const BundleReader& bundle, const VerifyOptions& options) {
    Findings findings;
    check_frame(bundle, findings);
    check_blobs(bundle, options, findings);
    for (const BundleBlob& blob : bundle.content().blobs) {
        if (options.stop.stop_requested()) throw Cancelled();
        check_whole(bundle, blob, findings);
    }
    return findings.sorted();
}

}  // namespace slipway::oci
