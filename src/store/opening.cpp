#include "store/opening.hpp"

#include "base/digest.hpp"
#include "base/failpoint.hpp"
#include "base/files.hpp"
#include "store/migrate.hpp"
#include "store/seal.hpp"
#include "store/state_errors.hpp"

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include <fcntl.h>
#include <unistd.h>

namespace slipway::embedded {
extern const char slipway_store_v1[];
}

namespace slipway::store {

namespace {

constexpr std::int64_t kApplicationId = 0x534c5750;  // as in schema/v1.sql

const Failpoint kBeforeCreate("store.before-create", Failpoint::Where::apply,
                              "the state folder is there, the journal not yet");
const Failpoint kAfterCreate("store.after-create", Failpoint::Where::apply,
                             "an empty journal was made, nothing is recorded");

Path folder_of(const Path& file) { return file.has_parent_path() ? file.parent_path() : "."; }

Path temporary_for(const Path& file) { return file.string() + ".new-" + random_hex(6); }

std::string reason() { return std::strerror(errno); }

void sync_file(const Path& path, const Path& journal) {
    const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd || ::fsync(fd.get()) != 0) throw io_failed(journal, reason());
}

// Left by a process that was killed while it made or copied a journal.
void remove_leftovers(const Path& file) {
    const std::string prefix = file.filename().string() + ".new-";
    for (const auto& entry : std::filesystem::directory_iterator(folder_of(file))) {
        if (entry.path().filename().string().starts_with(prefix)) {
            ::unlink(entry.path().c_str());
        }
    }
}

// What only exists after a journal did.
void refuse_if_lost(const Path& file) {
    for (const Path& witness :
         {seal_key_of(file), snapshot_of(file), Path(file.string() + "-wal")}) {
        if (Connection::exists(witness, "")) throw lost(file, witness);
    }
}

std::string empty_image() {
    Connection db = Connection::in_memory();
    db.execute(embedded::slipway_store_v1);
    std::string image = db.serialize();
    // The format's read and write versions: 2 means WAL. Set here, no two processes that open a new
    // journal have to agree on who switches it over.
    image[18] = image[19] = 2;
    return image;
}

void place_empty_journal(const Path& file) {
    const Path temporary = temporary_for(file);
    atomic_write(temporary, empty_image());
    // A link, unlike a rename, cannot replace a journal another process has made meanwhile.
    const int linked = ::link(temporary.c_str(), file.c_str());
    const std::string why = linked == 0 ? "" : reason();
    ::unlink(temporary.c_str());
    if (linked != 0) throw io_failed(file, why);
    sync_folder(folder_of(file));
}

void check_identity(Connection& db) {
    const std::int64_t id = db.number("PRAGMA application_id");
    const std::int64_t version = db.number("PRAGMA user_version");
    if (id == 0 && db.number("SELECT count(*) FROM sqlite_schema") == 0) {
        throw damaged(db.file(), "it is empty");
    }
    if (id != kApplicationId) throw foreign(db.file());
    if (version <= 0) throw damaged(db.file(), "it has no schema version");
    if (version > kSchemaVersion) throw newer(db.file(), static_cast<int>(version), kSchemaVersion);
    if (db.text("PRAGMA encoding") != "UTF-8") throw damaged(db.file(), "its encoding was changed");
}

void set_up(Connection& db, const JournalOptions& options) {
    // A commit returns after its fsync. Checkpoints come seldom: each costs two more, and the pages
    // at the end of nodes and events, written over and over, are then copied once for many commits.
    db.execute(
        fmt::format("PRAGMA synchronous = FULL;"
                    "PRAGMA foreign_keys = ON;"
                    "PRAGMA cell_size_check = ON;"
                    "PRAGMA wal_autocheckpoint = {};",
                    options.checkpoint_pages));
}

}  // namespace

void create_journal(const Path& file) {
    kBeforeCreate.hit();
    try {
        refuse_if_lost(file);
        place_empty_journal(file);
    } catch (const StateError&) {
        // Another process was quicker: what looked like a loss was its WAL, or it has tidied our
        // temporary file away. Its journal is as good as ours.
        if (!Connection::exists(file, "")) throw;
    }
    kAfterCreate.hit();
}

Connection open_journal(const Path& file, const JournalOptions& options, Purpose purpose) {
    if (!Connection::exists(file, options.vfs)) throw missing(file);
    Connection db(file, {.vfs = options.vfs, .exclusive = options.exclusive});
    check_identity(db);
    if (options.check_integrity) db.check_structure();
    set_up(db, options);
    if (purpose == Purpose::writing) {
        migrate(db, migrations(), kSchemaVersion);
        if (db.text("PRAGMA journal_mode = WAL") != "wal") {
            throw io_failed(file, "this file system cannot hold a WAL database");
        }
        if (options.vfs.empty()) remove_leftovers(file);
    } else if (const auto version = db.number("PRAGMA user_version"); version < kSchemaVersion) {
        throw older(file, static_cast<int>(version), kSchemaVersion);
    }
    return db;
}

Connection reopen_journal(const Path& file, const JournalOptions& options) {
    Connection db(file, {.vfs = options.vfs, .exclusive = options.exclusive});
    set_up(db, options);
    return db;
}

// What the journal forgets must not live on beside it, where its key is too. Bytes and all; and in
// the file itself, not in a WAL beside it.
static void leave_out_secrets(const Path& copy) {
    Connection db(copy, {});
    db.execute(
        "PRAGMA journal_mode = DELETE; PRAGMA secure_delete = ON; DELETE FROM secrets; "
        "PRAGMA journal_mode = WAL;");
}

void take_snapshot(Connection& db) {
    const Path& file = db.file();
    const Path temporary = temporary_for(file);
    try {
        // Made here, as SQLite would let others read it.
        if (!Fd(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600))) {
            throw io_failed(file, reason());
        }
        db.copy_to(temporary);
        leave_out_secrets(temporary);
        sync_file(temporary, file);
        std::filesystem::rename(temporary, snapshot_of(file));
        sync_folder(folder_of(file));
    } catch (...) {
        ::unlink(temporary.c_str());
        throw;
    }
}

void Journal::restore_snapshot(const Path& file) {
    const Path snapshot = snapshot_of(file);
    open_journal(snapshot, {}, Purpose::reading);  // refuses a copy that is damaged itself
    // The WAL goes first: replayed into the restored file it would damage that too. A crash on the
    // way leaves no journal beside a snapshot, which is refused (STATE-MISSING) and can be
    // repeated.
    const std::string suffix = ".damaged-" + random_hex(4);
    for (const char* part : {"-wal", "-shm", ""}) {
        const Path old = file.string() + part;
        if (!Connection::exists(old, "")) continue;
        std::filesystem::rename(old, file.string() + suffix + part);
    }
    const Path temporary = temporary_for(file);
    std::filesystem::copy_file(snapshot, temporary);
    sync_file(temporary, file);
    std::filesystem::rename(temporary, file);
    sync_folder(folder_of(file));
}

}  // namespace slipway::store
