// SQLite behind RAII: connections, cached statements, typed values, errors as StateError.
//
//     Connection db(file, {});
//     db.run("UPDATE facts SET at_ms = ?1 WHERE host = ?2", now, "cp1");
//     auto rows = db.query("SELECT host, at_ms FROM facts WHERE at_ms > ?1", since);
//     while (rows.next()) use(rows.text(0), rows.number(1));
//
// SQL texts are string literals: statements are cached by address. A connection is used by one
// thread at a time. Every failure becomes a StateError (state_errors.hpp); no SQLite code leaves
// sqlite.cpp.
#pragma once

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

struct sqlite3;
struct sqlite3_stmt;

namespace slipway::store {

struct Blob {
    std::string_view bytes;
};

// Rows of a query, or a statement under way; gives the statement back to the cache when it goes.
class Rows {
  public:
    Rows(Rows&& other) noexcept;
    Rows(const Rows&) = delete;
    Rows& operator=(const Rows&) = delete;
    Rows& operator=(Rows&&) = delete;
    ~Rows();

    bool next();
    // Valid until the next call of next().
    std::int64_t number(int column) const;
    std::string_view text(int column) const;  // of a blob too

  private:
    friend class Connection;
    Rows(class Connection& db, sqlite3_stmt* statement) : db_(&db), statement_(statement) {}

    template <class Value>
    void bind(int index, const Value& value, bool copy) {
        if constexpr (std::same_as<Value, Blob>) {
            bind_blob(index, value.bytes);
        } else if constexpr (std::integral<Value>) {
            bind_number(index, static_cast<std::int64_t>(value));
        } else {
            bind_text(index, std::string_view(value), copy);
        }
    }
    void bind_number(int index, std::int64_t value);
    void bind_text(int index, std::string_view value, bool copy);
    void bind_blob(int index, std::string_view value);

    Connection* db_;
    sqlite3_stmt* statement_;
};

class Connection {
  public:
    struct Options {
        std::string vfs = {};
        bool create = false;
        bool exclusive = false;  // lock the file for good; needs no shared memory file
    };

    Connection(const std::filesystem::path& file, const Options& options);
    static Connection in_memory() { return Connection(":memory:", {.create = true}); }
    // Whether `file` exists, as the VFS sees it.
    static bool exists(const std::filesystem::path& file, const std::string& vfs);

    Connection(Connection&&) noexcept = default;
    Connection& operator=(Connection&&) noexcept = default;
    ~Connection();

    // Statements without parameters or rows, one or many.
    void execute(const char* sql);
    void execute(const std::string& sql) { execute(sql.c_str()); }

    // One statement; returns the number of rows it changed.
    template <class... Values>
    int run(const char* sql, const Values&... values) {
        Rows rows(*this, prepare(sql));
        int index = 0;
        (rows.bind(++index, values, false), ...);
        rows.next();
        return changes();
    }

    template <class... Values>
    Rows query(const char* sql, const Values&... values) {
        Rows rows(*this, prepare(sql));
        int index = 0;
        (rows.bind(++index, values, true), ...);
        return rows;
    }

    // The first column of the first row; 0 without rows.
    std::int64_t number(const char* sql);
    std::string text(const char* sql);

    // Throws STATE-DAMAGED when SQLite finds the file's structure broken (reads all of it).
    void check_structure();

    bool in_transaction() const;
    // A failed write may have left the WAL in doubt: closing must then not copy it into the file.
    void leave_wal_alone();

    std::string serialize();                              // the whole database as bytes
    void copy_to(const std::filesystem::path& new_file);  // consistent, while others write

    const std::filesystem::path& file() const { return file_; }

  private:
    friend class Rows;
    struct Close {
        void operator()(sqlite3* db) const;
    };
    struct Finalize {
        void operator()(sqlite3_stmt* statement) const;
    };

    sqlite3_stmt* prepare(const char* sql);
    int changes() const;
    [[noreturn]] void fail(int code) const;

    std::filesystem::path file_;
    std::unique_ptr<sqlite3, Close> db_;
    std::unordered_map<const char*, std::unique_ptr<sqlite3_stmt, Finalize>> statements_;
};

// BEGIN IMMEDIATE … COMMIT; rolls back when it goes without commit().
class Transaction {
  public:
    explicit Transaction(Connection& db) : db_(db) { db_.run("BEGIN IMMEDIATE"); }
    ~Transaction();
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;

    void commit() { db_.run("COMMIT"); }

  private:
    Connection& db_;
};

}  // namespace slipway::store
