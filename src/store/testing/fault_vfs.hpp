// A disk in memory under SQLite: it logs every change, fails on demand and loses power.
//
//     MemoryDisk disk({{"/journal.db", bytes}});
//     auto journal = Journal::create_or_open("/journal.db", disk.options());
//     disk.fail({.op = DiskOp::Kind::sync, .nth = 3});
//
//     PowerLoss power(start);                        // replays the log and cuts the power anywhere
//     for (const DiskOp& op : disk.log()) {
//         power.advance(op);
//         MemoryDisk after(power.image(Loss::torn_512, random));
//     }
//
// What survives a power cut: all that was written to a file before its last completed sync. Of what
// came after it, nothing, everything, or any sectors of any of the writes. A new file's name
// survives from its first sync on (SQLite's unix VFS syncs the folder with it). A write never harms
// bytes outside of its range, which is what SQLite assumes of disks by default (powersafe
// overwrite).
#pragma once

#include "store/journal.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace slipway::store::testing {

using Image = std::map<std::string, std::string>;  // path to content

struct DiskOp {
    enum class Kind { open, read, write, truncate, sync, remove };  // open and read are not logged
    Kind kind;
    std::string file;
    std::size_t offset = 0;  // of a write; the new size of a truncate
    std::string bytes = {};
};

struct Fault {
    enum class Error { eio, enospc, short_write };
    std::optional<DiskOp::Kind> op = {};  // any
    int nth = 1;
    Error error = Error::eio;
};

class MemoryDisk {
  public:
    explicit MemoryDisk(Image image = {});
    ~MemoryDisk();
    MemoryDisk(const MemoryDisk&) = delete;
    MemoryDisk& operator=(const MemoryDisk&) = delete;

    JournalOptions options() const;
    Image image() const;  // as running programs see it
    std::vector<DiskOp> log() const;
    std::size_t log_size() const;

    void fail(const Fault& fault);  // once, from now on
    bool fault_fired() const;

    struct State;  // for the C callbacks

  private:
    std::unique_ptr<State> state_;
};

enum class Loss { dropped, kept, torn_512, torn_4096 };

class PowerLoss {
  public:
    explicit PowerLoss(Image start) : synced_(std::move(start)) {}
    void advance(const DiskOp& op);
    Image image(Loss loss, std::mt19937& random) const;

  private:
    Image synced_;
    std::map<std::string, std::vector<DiskOp>> pending_;
};

}  // namespace slipway::store::testing
