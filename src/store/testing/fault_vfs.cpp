#include "store/testing/fault_vfs.hpp"

#include "base/digest.hpp"
#include "base/mutex.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <sqlite3.h>

namespace slipway::store::testing {

namespace {

void write_to(std::string& content, const DiskOp& op) {
    if (op.kind == DiskOp::Kind::truncate) {
        content.resize(op.offset);
        return;
    }
    content.resize(std::max(content.size(), op.offset + op.bytes.size()));
    content.replace(op.offset, op.bytes.size(), op.bytes);
}

// Some sectors of the write, chosen by lot.
void tear_into(std::string& content, const DiskOp& op, std::size_t sector, std::mt19937& random) {
    if (op.kind == DiskOp::Kind::truncate) {
        if (random() % 2 == 0) write_to(content, op);
        return;
    }
    std::size_t at = 0;
    while (at < op.bytes.size()) {
        const std::size_t end =
            std::min(op.bytes.size(), ((op.offset + at) / sector + 1) * sector - op.offset);
        if (random() % 2 == 0) {
            write_to(content,
                     {DiskOp::Kind::write, op.file, op.offset + at, op.bytes.substr(at, end - at)});
        }
        at = end;
    }
}

int code_for(DiskOp::Kind kind, Fault::Error error) {
    using Kind = DiskOp::Kind;
    switch (kind) {
        case Kind::open: return SQLITE_CANTOPEN;
        case Kind::read: return SQLITE_IOERR_READ;
        case Kind::write: return error == Fault::Error::eio ? SQLITE_IOERR_WRITE : SQLITE_FULL;
        case Kind::truncate: return SQLITE_IOERR_TRUNCATE;
        case Kind::sync: return SQLITE_IOERR_FSYNC;
        case Kind::remove: return SQLITE_IOERR_DELETE;
    }
    return SQLITE_IOERR;
}

}  // namespace

struct MemoryDisk::State {
    explicit State(Image start) : files(std::move(start)) {}

    // SQLITE_OK, or the code of the fault whose turn it is.
    int before(DiskOp::Kind kind) SLIPWAY_REQUIRES(mutex) {
        if (!fault || (fault->op && *fault->op != kind)) return SQLITE_OK;
        if (--fault->nth > 0) return SQLITE_OK;
        fired = fault->error;
        fault.reset();
        return code_for(kind, *fired);
    }

    mutable Mutex mutex;
    Image files SLIPWAY_GUARDED_BY(mutex);
    std::vector<DiskOp> log SLIPWAY_GUARDED_BY(mutex);
    std::optional<Fault> fault SLIPWAY_GUARDED_BY(mutex);
    std::optional<Fault::Error> fired SLIPWAY_GUARDED_BY(mutex);

    std::string vfs_name;
    sqlite3_vfs vfs{};
};

namespace {

using Kind = DiskOp::Kind;
using State = MemoryDisk::State;

// What SQLite allocates for an open file; zeroed by it, never constructed.
struct OpenFile {
    sqlite3_file base;
    State* disk;
    const char* name;  // SQLite keeps it while the file is open
};

OpenFile& opened(sqlite3_file* file) { return *reinterpret_cast<OpenFile*>(file); }
State& disk_of(sqlite3_vfs* vfs) { return *static_cast<State*>(vfs->pAppData); }

int close_file(sqlite3_file*) { return SQLITE_OK; }

int read_file(sqlite3_file* f, void* buffer, int size, sqlite3_int64 offset) {
    State& disk = *opened(f).disk;
    const Lock lock(disk.mutex);
    if (const int code = disk.before(Kind::read)) return code;
    const std::string& content = disk.files[opened(f).name];
    std::memset(buffer, 0, static_cast<std::size_t>(size));
    const auto start = static_cast<std::size_t>(offset);
    if (start >= content.size()) return SQLITE_IOERR_SHORT_READ;
    const std::size_t count = std::min(static_cast<std::size_t>(size), content.size() - start);
    std::memcpy(buffer, content.data() + start, count);
    return count == static_cast<std::size_t>(size) ? SQLITE_OK : SQLITE_IOERR_SHORT_READ;
}

int write_file(sqlite3_file* f, const void* buffer, int size, sqlite3_int64 offset) {
    State& disk = *opened(f).disk;
    const Lock lock(disk.mutex);
    const int code = disk.before(Kind::write);
    if (code != SQLITE_OK && disk.fired != Fault::Error::short_write) return code;
    if (code != SQLITE_OK) size /= 2;
    DiskOp op{Kind::write, opened(f).name, static_cast<std::size_t>(offset),
              std::string(static_cast<const char*>(buffer), static_cast<std::size_t>(size))};
    write_to(disk.files[op.file], op);
    disk.log.push_back(std::move(op));
    return code;
}

int truncate_file(sqlite3_file* f, sqlite3_int64 size) {
    State& disk = *opened(f).disk;
    const Lock lock(disk.mutex);
    if (const int code = disk.before(Kind::truncate)) return code;
    DiskOp op{Kind::truncate, opened(f).name, static_cast<std::size_t>(size)};
    write_to(disk.files[op.file], op);
    disk.log.push_back(std::move(op));
    return SQLITE_OK;
}

int sync_file(sqlite3_file* f, int) {
    State& disk = *opened(f).disk;
    const Lock lock(disk.mutex);
    if (const int code = disk.before(Kind::sync)) return code;
    disk.log.push_back({Kind::sync, opened(f).name});
    return SQLITE_OK;
}

int file_size(sqlite3_file* f, sqlite3_int64* size) {
    State& disk = *opened(f).disk;
    const Lock lock(disk.mutex);
    *size = static_cast<sqlite3_int64>(disk.files[opened(f).name].size());
    return SQLITE_OK;
}

// One process, one connection: every lock is free.
int lock_file(sqlite3_file*, int) { return SQLITE_OK; }
int check_lock(sqlite3_file*, int* held) {
    *held = 0;
    return SQLITE_OK;
}
int file_control(sqlite3_file*, int, void*) { return SQLITE_NOTFOUND; }
int sector_size(sqlite3_file*) { return 4096; }
int characteristics(sqlite3_file*) { return SQLITE_IOCAP_POWERSAFE_OVERWRITE; }

const sqlite3_io_methods kMethods = {.iVersion = 1,
                                     .xClose = close_file,
                                     .xRead = read_file,
                                     .xWrite = write_file,
                                     .xTruncate = truncate_file,
                                     .xSync = sync_file,
                                     .xFileSize = file_size,
                                     .xLock = lock_file,
                                     .xUnlock = lock_file,
                                     .xCheckReservedLock = check_lock,
                                     .xFileControl = file_control,
                                     .xSectorSize = sector_size,
                                     .xDeviceCharacteristics = characteristics,
                                     .xShmMap = nullptr,
                                     .xShmLock = nullptr,
                                     .xShmBarrier = nullptr,
                                     .xShmUnmap = nullptr,
                                     .xFetch = nullptr,
                                     .xUnfetch = nullptr};

int open_file(sqlite3_vfs* vfs, const char* name, sqlite3_file* f, int flags, int* out_flags) {
    State& disk = disk_of(vfs);
    const Lock lock(disk.mutex);
    f->pMethods = nullptr;
    if (const int code = disk.before(Kind::open)) return code;
    const char* known = name == nullptr ? "/temporary" : name;
    if (!disk.files.contains(known) && (flags & SQLITE_OPEN_CREATE) == 0) return SQLITE_CANTOPEN;
    disk.files.try_emplace(known);
    opened(f).base.pMethods = &kMethods;
    opened(f).disk = &disk;
    opened(f).name = known;
    if (out_flags != nullptr) *out_flags = flags;
    return SQLITE_OK;
}

int remove_file(sqlite3_vfs* vfs, const char* name, int) {
    State& disk = disk_of(vfs);
    const Lock lock(disk.mutex);
    if (const int code = disk.before(Kind::remove)) return code;
    if (disk.files.erase(name) == 0) return SQLITE_IOERR_DELETE_NOENT;
    disk.log.push_back({Kind::remove, name});
    return SQLITE_OK;
}

int access_file(sqlite3_vfs* vfs, const char* name, int, int* found) {
    State& disk = disk_of(vfs);
    const Lock lock(disk.mutex);
    *found = disk.files.contains(name) ? 1 : 0;
    return SQLITE_OK;
}

int full_path(sqlite3_vfs*, const char* name, int size, char* out) {
    if (std::strlen(name) >= static_cast<std::size_t>(size)) return SQLITE_CANTOPEN;
    std::strcpy(out, name);
    return SQLITE_OK;
}

int last_error(sqlite3_vfs* vfs, int, char*) {
    State& disk = disk_of(vfs);
    const Lock lock(disk.mutex);
    if (!disk.fired) return 0;
    return *disk.fired == Fault::Error::eio ? EIO : ENOSPC;
}

}  // namespace

MemoryDisk::MemoryDisk(Image image) : state_(std::make_unique<State>(std::move(image))) {
    const sqlite3_vfs* system = sqlite3_vfs_find(nullptr);
    state_->vfs_name = "memory-" + random_hex(8);
    sqlite3_vfs& vfs = state_->vfs;
    vfs = *system;  // time, sleep and randomness stay the system's
    vfs.iVersion = 1;
    vfs.szOsFile = sizeof(OpenFile);
    vfs.pNext = nullptr;
    vfs.zName = state_->vfs_name.c_str();
    vfs.pAppData = state_.get();
    vfs.xOpen = open_file;
    vfs.xDelete = remove_file;
    vfs.xAccess = access_file;
    vfs.xFullPathname = full_path;
    vfs.xGetLastError = last_error;
    sqlite3_vfs_register(&vfs, 0);
}

MemoryDisk::~MemoryDisk() { sqlite3_vfs_unregister(&state_->vfs); }

JournalOptions MemoryDisk::options() const { return {.vfs = state_->vfs_name, .exclusive = true}; }

Image MemoryDisk::image() const {
    const Lock lock(state_->mutex);
    return state_->files;
}

std::vector<DiskOp> MemoryDisk::log() const {
    const Lock lock(state_->mutex);
    return state_->log;
}

std::size_t MemoryDisk::log_size() const {
    const Lock lock(state_->mutex);
    return state_->log.size();
}

void MemoryDisk::fail(const Fault& fault) {
    const Lock lock(state_->mutex);
    state_->fault = fault;
    state_->fired.reset();
}

bool MemoryDisk::fault_fired() const {
    const Lock lock(state_->mutex);
    return state_->fired.has_value();
}

void PowerLoss::advance(const DiskOp& op) {
    std::vector<DiskOp>& pending = pending_[op.file];
    switch (op.kind) {
        case Kind::write:
        case Kind::truncate: pending.push_back(op); break;
        case Kind::sync:
            for (const DiskOp& earlier : pending) write_to(synced_[op.file], earlier);
            pending.clear();
            break;
        case Kind::remove:
            pending.clear();
            synced_.erase(op.file);
            break;
        case Kind::open:
        case Kind::read: break;
    }
}

Image PowerLoss::image(Loss loss, std::mt19937& random) const {
    Image out = synced_;
    if (loss == Loss::dropped) return out;
    for (const auto& [file, pending] : pending_) {
        for (const DiskOp& op : pending) {
            if (loss == Loss::kept) write_to(out[file], op);
            if (loss == Loss::torn_512) tear_into(out[file], op, 512, random);
            if (loss == Loss::torn_4096) tear_into(out[file], op, 4096, random);
        }
    }
    return out;
}

}  // namespace slipway::store::testing
