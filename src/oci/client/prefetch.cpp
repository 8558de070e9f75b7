#include "oci/client/prefetch.hpp"

#include "base/error.hpp"

#include <algorithm>

#include <fcntl.h>
#include <unistd.h>

namespace slipway::oci {

Prefetch::Prefetch(std::vector<PrefetchItem> items, Spool& spool, PrefetchOptions options)
    : items_(std::move(items)), spool_(spool), options_(options) {
    for (std::size_t i = 0; i < items_.size(); ++i) places_[items_[i].digest] = i;
    state_.files.resize(items_.size());
    state_.errors.resize(items_.size());
    for (std::size_t i = 0; i < std::min(items_.size(), options_.connections); ++i) {
        threads_.emplace_back([this](const std::stop_token& stop) { work(stop); });
    }
}

Prefetch::~Prefetch() {
    for (std::jthread& thread : threads_) thread.request_stop();
    changed_.notify_all();
}

// The first is always let in, whatever its size: otherwise nobody would ever take anything.
bool Prefetch::has_room() const {
    if (state_.next >= items_.size() || state_.blobs == 0) return true;
    return state_.blobs < options_.blobs &&
           state_.bytes + items_[state_.next].size <= options_.bytes;
}

void Prefetch::work(const std::stop_token& stop) {
    while (true) {
        std::size_t mine = 0;
        {
            const Lock lock(mutex_);
            while (!stop.stop_requested() && !has_room()) {
                changed_.wait_for(mutex_, std::chrono::seconds(1));
            }
            if (stop.stop_requested() || state_.next >= items_.size()) return;
            mine = state_.next++;
            state_.bytes += items_[mine].size;
            ++state_.blobs;
        }
        std::shared_ptr<const Fd> file;
        std::exception_ptr error;
        try {
            file = fetch(items_[mine], stop);
        } catch (...) {
            error = std::current_exception();
        }
        const Lock lock(mutex_);
        state_.files[mine] = std::move(file);
        state_.errors[mine] = error;
        changed_.notify_all();
        if (error != nullptr) return;  // who takes it will end all of this
    }
}

std::filesystem::path Prefetch::new_path() {
    const Lock lock(mutex_);
    return spool_.new_path();
}

std::shared_ptr<const Fd> Prefetch::fetch(const PrefetchItem& item, const std::stop_token& stop) {
    const std::filesystem::path path = new_path();
    auto file =
        std::make_shared<Fd>(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!*file) throw StateError("BUNDLE-WRITE", "cannot make a file in the spool folder");
    ::unlink(path.c_str());  // gone with whoever reads it last
    const BlobInput input = item.source->open(item.digest);
    std::string buffer(kChunk, '\0');
    while (const std::size_t n = input.stream->read(buffer.data(), buffer.size())) {
        if (stop.stop_requested()) throw Cancelled();
        write_fully(file->get(), {buffer.data(), n}, "the spool");
    }
    return file;
}

BlobInput Prefetch::take(const Digest& digest) {
    const std::size_t place = places_.at(digest);
    const Lock lock(mutex_);
    while (state_.files[place] == nullptr && state_.errors[place] == nullptr) {
        changed_.wait(mutex_);
    }
    if (state_.errors[place] != nullptr) std::rethrow_exception(state_.errors[place]);
    // What is read from now on counts no more: the reader has one of them at a time.
    state_.bytes -= items_[place].size;
    --state_.blobs;
    changed_.notify_all();
    return {std::make_unique<FileStream>(std::move(state_.files[place]), "the spool", 0,
                                         items_[place].size),
            true};
}

}  // namespace slipway::oci
