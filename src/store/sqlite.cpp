#include "store/sqlite.hpp"

#include "store/state_errors.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include <sqlite3.h>

namespace slipway::store {

namespace {

// Longer than any write of ours takes; a process stopped in the middle of one holds others up so
// long.
constexpr int kBusyTimeoutMs = 20'000;
// A damaged length cannot make us allocate more than this.
constexpr int kLargestValue = 64 << 20;

// Statistics of its allocator cost SQLite a global lock at each allocation. Only possible before
// the first use; afterwards SQLite refuses and goes on as it was.
void configure_once() {
    [[maybe_unused]] static const int once = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

StateError translate(sqlite3* db, int code, const Path& file) {
    const int system_error = db != nullptr ? sqlite3_system_errno(db) : 0;
    std::string cause = db != nullptr ? sqlite3_errmsg(db) : sqlite3_errstr(code);
    const int primary = code & 0xff;
    if (primary == SQLITE_FULL) return full(file, cause);
    if (primary == SQLITE_BUSY || primary == SQLITE_LOCKED) return busy(file);
    const bool system = primary == SQLITE_IOERR || primary == SQLITE_CANTOPEN ||
                        primary == SQLITE_READONLY || primary == SQLITE_PERM ||
                        primary == SQLITE_AUTH || primary == SQLITE_INTERRUPT ||
                        primary == SQLITE_MISUSE || primary == SQLITE_PROTOCOL;
    // What is left (corrupt, not a database, no such table, wrong type, too big …) can only come
    // from a file that is not as we wrote it: the statements themselves are fixed.
    if (!system) return damaged(file, cause);
    if (system_error != 0) cause += std::string(": ") + std::strerror(system_error);
    if (system_error == ENOSPC || system_error == EDQUOT) return full(file, cause);
    return io_failed(file, cause);
}

void harden(sqlite3* db) {
    sqlite3_extended_result_codes(db, 1);
    sqlite3_busy_timeout(db, kBusyTimeoutMs);
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, kLargestValue);
    // A journal someone tampered with must not run SQL of its own.
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
}

}  // namespace

Rows::Rows(Rows&& other) noexcept
    : db_(other.db_), statement_(std::exchange(other.statement_, nullptr)) {}

Rows::~Rows() {
    if (statement_ != nullptr) sqlite3_reset(statement_);
}

bool Rows::next() {
    const int code = sqlite3_step(statement_);
    if (code == SQLITE_ROW) return true;
    if (code != SQLITE_DONE) db_->fail(code);
    return false;
}

std::int64_t Rows::number(int column) const { return sqlite3_column_int64(statement_, column); }

std::string_view Rows::text(int column) const {
    const void* bytes = sqlite3_column_blob(statement_, column);
    const int size = sqlite3_column_bytes(statement_, column);
    return {static_cast<const char*>(bytes), bytes == nullptr ? 0 : static_cast<std::size_t>(size)};
}

void Rows::bind_number(int index, std::int64_t value) {
    if (const int code = sqlite3_bind_int64(statement_, index, value)) db_->fail(code);
}

void Rows::bind_text(int index, std::string_view value, bool copy) {
    const char* bytes =
        value.data() == nullptr ? "" : value.data();  // a null pointer would bind NULL
    const int code = sqlite3_bind_text64(statement_, index, bytes, value.size(),
                                         copy ? SQLITE_TRANSIENT : SQLITE_STATIC, SQLITE_UTF8);
    if (code != SQLITE_OK) db_->fail(code);
}

void Rows::bind_blob(int index, std::string_view value) {
    const int code =
        sqlite3_bind_blob64(statement_, index, value.data(), value.size(), SQLITE_TRANSIENT);
    if (code != SQLITE_OK) db_->fail(code);
}

void Connection::Close::operator()(sqlite3* db) const { sqlite3_close_v2(db); }
void Connection::Finalize::operator()(sqlite3_stmt* statement) const {
    sqlite3_finalize(statement);
}

Connection::Connection(const Path& file, const Options& options) : file_(file) {
    configure_once();
    sqlite3* db = nullptr;
    const int flags =
        SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | (options.create ? SQLITE_OPEN_CREATE : 0);
    const int code = sqlite3_open_v2(file.c_str(), &db, flags,
                                     options.vfs.empty() ? nullptr : options.vfs.c_str());
    db_.reset(db);
    if (db == nullptr) throw std::bad_alloc();
    if (code != SQLITE_OK) fail(code);
    harden(db);
    if (options.exclusive) execute("PRAGMA locking_mode = EXCLUSIVE");
}

Connection::~Connection() {
    statements_.clear();  // before the connection, or it stays open as a zombie
}

bool Connection::exists(const Path& file, const std::string& vfs) {
    sqlite3_vfs* system = sqlite3_vfs_find(vfs.empty() ? nullptr : vfs.c_str());
    if (system == nullptr) throw io_failed(file, "no such VFS: " + vfs);
    int found = 0;
    // The unix VFS calls an empty file absent here, so a real file is asked for by stat.
    if (vfs.empty()) return std::filesystem::exists(std::filesystem::symlink_status(file));
    if (system->xAccess(system, file.c_str(), SQLITE_ACCESS_EXISTS, &found) != SQLITE_OK) {
        throw io_failed(file, "cannot look for the file");
    }
    return found != 0;
}

void Connection::execute(const char* sql) {
    if (const int code = sqlite3_exec(db_.get(), sql, nullptr, nullptr, nullptr)) fail(code);
}

std::int64_t Connection::number(const char* sql) {
    Rows rows = query(sql);
    return rows.next() ? rows.number(0) : 0;
}

std::string Connection::text(const char* sql) {
    Rows rows = query(sql);
    return rows.next() ? std::string(rows.text(0)) : std::string();
}

void Connection::check_structure() {
    const std::string verdict = text("PRAGMA quick_check(1)");
    if (verdict == "ok") return;
    // A page the disk could not deliver is reported in the same way, but the file may well be
    // whole.
    constexpr std::string_view kCode = "error code=";
    const std::size_t at = verdict.find(kCode);
    const char* digits = verdict.c_str() + (at == std::string::npos ? 0 : at + kCode.size());
    const long code = at == std::string::npos ? 0 : std::strtol(digits, nullptr, 10);
    if ((code & 0xff) == SQLITE_IOERR) throw io_failed(file_, verdict);
    throw damaged(file_, verdict);
}

bool Connection::in_transaction() const { return sqlite3_get_autocommit(db_.get()) == 0; }

void Connection::leave_wal_alone() {
    sqlite3_db_config(db_.get(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
}

std::string Connection::serialize() {
    sqlite3_int64 size = 0;
    const std::unique_ptr<unsigned char, decltype(&sqlite3_free)> bytes(
        sqlite3_serialize(db_.get(), "main", &size, 0), &sqlite3_free);
    if (!bytes) throw std::bad_alloc();
    return {reinterpret_cast<const char*>(bytes.get()), static_cast<std::size_t>(size)};
}

void Connection::copy_to(const Path& new_file) {
    Connection copy(new_file, {.create = true});
    sqlite3_backup* backup = sqlite3_backup_init(copy.db_.get(), "main", db_.get(), "main");
    if (backup == nullptr) copy.fail(sqlite3_errcode(copy.db_.get()));
    sqlite3_backup_step(backup, -1);  // all pages in one go: one consistent state
    if (const int code = sqlite3_backup_finish(backup)) copy.fail(code);
}

sqlite3_stmt* Connection::prepare(const char* sql) {
    auto& slot = statements_[sql];
    if (!slot) {
        sqlite3_stmt* statement = nullptr;
        const int code =
            sqlite3_prepare_v3(db_.get(), sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
        slot.reset(statement);
        if (code != SQLITE_OK) fail(code);
    }
    return slot.get();
}

int Connection::changes() const { return sqlite3_changes(db_.get()); }

void Connection::fail(int code) const {
    if ((code & 0xff) == SQLITE_NOMEM) throw std::bad_alloc();
    throw translate(db_.get(),
                    sqlite3_extended_errcode(db_.get()) != SQLITE_OK
                        ? sqlite3_extended_errcode(db_.get())
                        : code,
                    file_);
}

Transaction::~Transaction() {
    if (!db_.in_transaction()) return;
    try {
        db_.run("ROLLBACK");
    } catch (const StateError&) {
        // Empty on purpose: SQLite has rolled back by itself, or the connection is beyond use; the
        // first error counts.
    }
}

}  // namespace slipway::store
