#include "server/journals.hpp"

#include <algorithm>

#include <sys/stat.h>

namespace slipway::server {

namespace {

Journals::Source source_of(const std::string& file) {
    struct stat about{};
    if (::stat(file.c_str(), &about) != 0) return {.file = file};
    return {.file = file, .device = about.st_dev, .inode = about.st_ino};
}

}  // namespace

void Journals::Return::operator()(store::Journal* journal) const {
    owner->put_back(source, std::unique_ptr<store::Journal>(journal));
}

Journals::Lease Journals::lend(const desk::ClusterFolder& cluster) {
    const Source source = source_of(cluster.journal().string());
    std::unique_ptr<store::Journal> journal = take_idle(source);
    // Whoever writes to it looks for damage; a reader sees it where it reads.
    if (!journal) journal = store::Journal::open_existing(source.file, {.check_integrity = false});
    return {journal.release(), Return{.owner = this, .source = source}};
}

std::unique_ptr<store::Journal> Journals::take_idle(const Source& source) {
    const Lock lock(mutex_);
    const auto found = std::ranges::find(idle_, source, &Idle::source);
    if (found == idle_.end()) return nullptr;
    std::unique_ptr<store::Journal> out = std::move(found->journal);
    idle_.erase(found);
    return out;
}

void Journals::put_back(const Source& source, std::unique_ptr<store::Journal> journal) {
    std::vector<Idle> closed;  // after the lock is open again: it takes a while
    const Lock lock(mutex_);
    idle_.push_back({.source = source, .journal = std::move(journal)});
    if (idle_.size() <= kMostIdle) return;
    closed.push_back(std::move(idle_.front()));
    idle_.erase(idle_.begin());
}

}  // namespace slipway::server
